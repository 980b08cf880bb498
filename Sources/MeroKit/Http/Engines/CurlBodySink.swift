#if canImport(CCurl)
    import Foundation
    import Glibc

    /// Takes the answer's body as it arrives and puts it where the request wants it.
    struct CurlBodySink {
        /// Why no more bytes are taken.
        enum Stop {
            /// The answer is complete as far as anyone wants it: the rest of an error page is of no use.
            case enough
            case tooLarge(limit: Int)
            case file(String)
        }

        /// How much of an answer other than 2xx is kept when the body was meant for a file.
        private static let errorBodyLimit = 64 * 1024

        private let target: EngineSink
        private var path: String?
        private var descriptor: Int32 = -1
        private var hasBegun = false
        private(set) var body = Data()

        init(_ target: EngineSink) { self.target = target }

        /// - Parameter expected: the size that the answer announces, -1 if none; only a hint.
        mutating func write(_ bytes: UnsafeRawBufferPointer, status: Int, expected: Int) -> Stop? {
            if !hasBegun, let stop = begin(status: status) { return stop }
            if descriptor >= 0 { return writeToFile(bytes) }
            switch target {
            case .memory(let limit):
                guard bytes.count <= limit - body.count else { return .tooLarge(limit: limit) }
                if body.isEmpty, expected > bytes.count { body.reserveCapacity(min(expected, limit, 1 << 20)) }
                append(bytes)
                return nil
            case .file:
                let room = Self.errorBodyLimit - body.count
                append(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
                return bytes.count > room ? .enough : nil
            }
        }

        /// Ends a body that came whole.
        mutating func finish(status: Int) -> Stop? {
            if !hasBegun, let stop = begin(status: status) { return stop }
            guard descriptor >= 0 else { return nil }
            let closed = close(descriptor)
            descriptor = -1
            return closed == 0 ? nil : .file(Self.problem("write"))
        }

        /// Leaves nothing behind.
        mutating func discard() {
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
            if let created = path { unlink(created) }
            path = nil
            body = Data()
        }

        /// The file is made only when a 2xx answer is there, so that a failed call leaves an older file as it was.
        private mutating func begin(status: Int) -> Stop? {
            hasBegun = true
            guard case .file(let url) = target, (200..<300).contains(status) else { return nil }
            guard url.isFileURL else { return .file("The place to write to is not a file URL") }
            unlink(url.path)
            // O_EXCL and O_NOFOLLOW: never write through a link that someone else put there.
            descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return .file(Self.problem("create")) }
            path = url.path
            return nil
        }

        private mutating func append(_ bytes: UnsafeRawBufferPointer) {
            if let base = bytes.bindMemory(to: UInt8.self).baseAddress { body.append(base, count: bytes.count) }
        }

        private func writeToFile(_ bytes: UnsafeRawBufferPointer) -> Stop? {
            var rest = bytes
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if written < 0 {
                    if errno == EINTR { continue }
                    return .file(Self.problem("write"))
                }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            }
            return nil
        }

        private static func problem(_ verb: String) -> String {
            "Cannot \(verb) the file: \(String(cString: strerror(errno)))"
        }
    }
#endif
