#if canImport(CCurl)
    import Foundation

    /// A body on its way out.
    enum UploadSource {
        /// Small: libcurl has its own copy.
        case memory(Data)
        case stream(Data, position: Int)
        case file(InputFile, position: Int)

        var size: Int {
            switch self {
            case .memory(let data), .stream(let data, _): return data.count
            case .file(let file, _): return file.size
            }
        }

        var position: Int {
            get {
                switch self {
                case .memory(let data): return data.count
                case .stream(_, let position), .file(_, let position): return position
                }
            }
            set {
                switch self {
                case .memory: break
                case .stream(let data, _): self = .stream(data, position: newValue)
                case .file(let file, _): self = .file(file, position: newValue)
                }
            }
        }

        /// Copies the next bytes; 0 at the end.
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count: Int
            switch self {
            case .memory: return 0
            case .stream(let data, let position):
                count = min(buffer.count, data.count - position)
                if count > 0 { data.copyBytes(to: buffer, from: data.startIndex + position..<data.startIndex + position + count) }
            case .file(let file, let position):
                count = try file.read(into: buffer, at: position)
            }
            position += count
            return count
        }
    }

    /// A file that is sent.
    final class InputFile {
        let size: Int
        private let descriptor: Int32

        init(_ url: URL) throws {
            descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw EngineError(
                    kind: .file, mayHaveReachedNode: false, message: "Cannot read \(url.path): \(lastSystemError())")
            }
            var info = stat()
            guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw EngineError(kind: .file, mayHaveReachedNode: false, message: "Cannot read \(url.path): not a file")
            }
            size = Int(info.st_size)
        }

        deinit { close(descriptor) }

        func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws -> Int {
            let wanted = min(buffer.count, size - position)
            if wanted == 0 { return 0 }
            let count = pread(descriptor, buffer.baseAddress, wanted, position)
            guard count > 0 else {
                throw EngineError(
                    kind: .file, mayHaveReachedNode: true,
                    message: count == 0 ? "The file became shorter while it was sent" : lastSystemError())
            }
            return count
        }
    }

    private func lastSystemError() -> String { String(cString: strerror(errno)) }
#endif
