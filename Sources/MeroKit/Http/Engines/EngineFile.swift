import Foundation

/// A file that an answer is written to: created anew, readable by its owner only, and gone again if the answer fails.
final class EngineFile {
    private let path: String
    private var descriptor: Int32

    /// - Throws: `EngineError.Kind.file`.
    init(creating url: URL) throws {
        path = url.path
        // A leftover would keep its own mode, and a link would send the bytes elsewhere.
        unlink(path)
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Self.failure("create", url) }
    }

    deinit {
        if descriptor >= 0 { _ = systemClose(descriptor) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = systemWrite(descriptor, rest.baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write", URL(fileURLWithPath: path)) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Ends a file that is complete.
    func close() throws {
        let closed = systemClose(descriptor)
        descriptor = -1
        if closed != 0 { throw Self.failure("write", URL(fileURLWithPath: path)) }
    }

    func discard() {
        if descriptor >= 0 { _ = systemClose(descriptor) }
        descriptor = -1
        unlink(path)
    }

    /// The size of a file that is about to be sent.
    ///
    /// - Throws: `EngineError.Kind.file` unless `url` is a regular file whose bytes can be read.
    static func sizeOfReadable(_ url: URL) throws -> Int64 {
        var status = stat()
        guard url.isFileURL, stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            access(url.path, R_OK) == 0
        else {
            throw EngineError(
                kind: .file, mayHaveReachedNode: false, message: "Cannot read the file \(url.lastPathComponent)")
        }
        return Int64(status.st_size)
    }

    /// Only a file gives way to another one: a device, a pipe or a link that is unlinked is gone.
    ///
    /// - Throws: `EngineError.Kind.file` unless there is a regular file, or nothing.
    static func checkReplaceable(_ url: URL) throws {
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw EngineError(
            kind: .file, mayHaveReachedNode: false,
            message: "Cannot replace \(url.lastPathComponent): it is no regular file")
    }

    private static func failure(_ what: String, _ url: URL) -> EngineError {
        EngineError(
            kind: .file, mayHaveReachedNode: true,
            message: "Cannot \(what) the file \(url.lastPathComponent): \(String(cString: strerror(errno)))")
    }
}

extension MeroError {
    /// The same error with the name that the app gave in place of the one that the bytes were written under meanwhile.
    static func naming(_ file: URL, insteadOf temporary: URL, in error: any Error) -> any Error {
        guard case MeroError.network(let text) = error else { return error }
        return MeroError.network(
            text.replacingOccurrences(of: temporary.lastPathComponent, with: file.lastPathComponent))
    }
}

// `close` and `write` inside the type above would name its own methods.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
