#if canImport(CCurl)
    import Foundation
    import Glibc

    /// Hands out a request body piece by piece, from memory or from disk.
    struct CurlBodySource {
        /// The body is not what it was when the request began.
        struct Problem: Error {
            let message: String
        }

        let size: Int
        private let bytes: Data
        private var descriptor: Int32 = -1
        private var offset = 0

        init(_ bytes: Data) {
            self.bytes = bytes
            size = bytes.count
        }

        init(file url: URL) throws {
            guard url.isFileURL else { throw Problem(message: "The file to send is not a file URL") }
            bytes = Data()
            // O_NONBLOCK: opening a pipe without a writer must not stop the event thread.
            descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw Self.problem() }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw Problem(message: "The file to send is not a regular file")
            }
            size = Int(status.st_size)
        }

        /// The next bytes; 0 at the end.
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let wanted = min(buffer.count, size - offset)
            guard wanted > 0 else { return 0 }
            let count: Int
            if descriptor < 0 {
                let start = bytes.startIndex + offset
                count = bytes.copyBytes(to: buffer, from: start..<(start + wanted))
            } else {
                count = try readFile(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
            }
            offset += count
            return count
        }

        mutating func seek(to position: Int) -> Bool {
            guard (0...size).contains(position) else { return false }
            offset = position
            return true
        }

        mutating func end() {
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }

        private func readFile(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            var count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
            while count < 0, errno == EINTR { count = pread(descriptor, buffer.baseAddress, buffer.count, offset) }
            guard count >= 0 else { throw Self.problem() }
            var status = stat()
            // The length was promised in the request's head: a file that shrank or grew cannot be sent any more.
            guard count > 0, offset + count < size || (fstat(descriptor, &status) == 0 && Int(status.st_size) == size)
            else { throw Problem(message: "The file changed its size while it was being sent") }
            return count
        }

        private static func problem() -> Problem {
            Problem(message: "Cannot read the file: \(String(cString: strerror(errno)))")
        }
    }
#endif
