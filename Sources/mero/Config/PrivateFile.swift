import Foundation

/// Files that only their owner reads.
enum PrivateFile {
    struct CannotWrite: Error {}

    /// Replaces the file in one step: a reader sees the old content or the new one, never half of either, and at no
    /// moment does anybody else have access.
    static func write(_ content: Data, to file: URL) throws {
        let temporary = file.deletingLastPathComponent()
            .appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString)")
        let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CannotWrite() }
        var isDone = false
        defer { if !isDone { unlink(temporary.path) } }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            defer { close(descriptor) }
            try handle.write(contentsOf: content)
            guard fsync(descriptor) == 0 else { throw CannotWrite() }
        }
        guard rename(temporary.path, file.path) == 0 else { throw CannotWrite() }
        isDone = true
    }

    /// The permission bits, nil when there is no such file.
    static func permissions(of file: URL) -> UInt32? {
        var status = stat()
        guard stat(file.path, &status) == 0 else { return nil }
        return UInt32(status.st_mode) & 0o777
    }
}
