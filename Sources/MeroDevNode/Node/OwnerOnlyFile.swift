import Foundation

/// Files that only their owner may read.
enum OwnerOnlyFile {
    static func openFile(_ url: URL, _ flags: Int32) throws -> Int32 {
        let descriptor = url.path.withCString { open($0, flags | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw failure("open", url) }
        return descriptor
    }

    static func writeAll(_ bytes: [UInt8], to descriptor: Int32, url: URL) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("write", url) }
            written += count
        }
    }

    /// A reader sees the old content or the new one, never a part, even after a power cut.
    static func replace(_ url: URL, with bytes: [UInt8]) throws {
        let temporary = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).\(UUID())")
        let descriptor = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL)
        do {
            defer { close(descriptor) }
            try writeAll(bytes, to: descriptor, url: temporary)
            guard fsync(descriptor) == 0 else { throw failure("sync", temporary) }
        } catch {
            unlink(temporary.path)
            throw error
        }
        guard rename(temporary.path, url.path) == 0 else {
            let error = failure("rename", url)
            unlink(temporary.path)
            throw error
        }
    }

    static func makeDirectory(_ url: URL) throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private static func failure(_ what: String, _ url: URL) -> DevNodeError {
        .storage("cannot \(what) \(url.path): \(String(cString: strerror(errno)))")
    }
}
