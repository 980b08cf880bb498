import Foundation

/// Where bytes for a person or a script go.
protocol TextSink: Sendable {
    /// Writes all bytes. Throws `OutputClosed` when nobody reads any more, `Failure` when there is no room for them.
    func write(_ text: String) throws
    /// Returns when nobody reads any more, which a command that writes seldom would learn late. Throws `CancellationError`.
    func untilClosed() async throws
}

extension TextSink {
    /// Somebody always reads.
    func untilClosed() async throws {
        while true { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
    }
}

/// The reader of the output has left, as `head` does. Not worth a message: the command just ends.
struct OutputClosed: Error {}

/// A descriptor of this process. Nothing is buffered, so that a line is out when the call returns.
struct DescriptorSink: TextSink {
    let descriptor: Int32

    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = systemWrite(descriptor, start, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN {
                    // The other end shares a non-blocking terminal or pipe: wait until it takes more.
                    var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&poller, 1, -1)
                } else if count < 0, [ENOSPC, EDQUOT, EFBIG].contains(errno) {
                    throw Failure(
                        code: .localFile, message: "The output cannot be written: \(String(cString: strerror(errno)))",
                        hint: "Make room where it goes")
                } else {
                    throw OutputClosed()
                }
            }
        }
    }
}

extension DescriptorSink {
    func untilClosed() async throws {
        let waker = try WakePipe()
        defer { waker.close() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    Self.waitForHangUp(descriptor, waker)
                    continuation.resume()
                }
            }
        } onCancel: {
            waker.wake()
        }
        try Task.checkCancellation()
    }

    private static func waitForHangUp(_ descriptor: Int32, _ waker: WakePipe) {
        // No event is asked for: hang-ups and errors are told anyway.
        var waits = [
            pollfd(fd: descriptor, events: 0, revents: 0),
            pollfd(fd: waker.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            if poll(&waits, 2, -1) < 0 && errno == EINTR { continue }
            guard waits[0].revents & Int16(POLLNVAL) != 0 && waits[1].revents == 0 else { return }
            // Some systems cannot watch every kind of device. The next write finds out then.
            waits[0].fd = -1
        }
    }
}

/// The C function, under a name that the method above does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
