import Foundation

/// Where bytes for a person or a script go.
protocol TextSink: Sendable {
    /// Writes all bytes, or throws `OutputClosed` when nobody reads any more.
    func write(_ text: String) throws
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
                } else {
                    throw OutputClosed()
                }
            }
        }
    }
}

/// The C function, under a name that the method above does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
