import Foundation

/// A small file that only its owner may read, and that is never half written.
///
/// A replacement is written beside it, made durable and moved into place: whoever reads, at whatever moment and after
/// whatever crash, sees the old content or the new.
package struct PrivateFile: Sendable {
    /// Where it is.
    package let path: String
    private let folder: String
    private let name: String

    /// Enough for every secret that is kept this way; a larger file is not one of ours.
    private static let sizeLimit = 1 << 20
    /// Seconds after which a temporary file was surely left behind by a crash.
    static let staleAge: TimeInterval = 600

    /// Reads and writes nothing yet.
    package init(path: String) {
        self.path = path
        let parent = (path as NSString).deletingLastPathComponent
        folder = parent.isEmpty ? "." : parent
        name = (path as NSString).lastPathComponent
    }

    /// The content; nil when there is no file, or none that can be trusted.
    ///
    /// A file that others may read is closed to them first. One that belongs to somebody else, or that others may write
    /// to, is not read: its content could be anybody's.
    package func read() -> Data? { try? content() }

    /// The same, telling a file that is not there (nil) from one that cannot be read or trusted. Throws `POSIXError`: `EPERM`
    /// for one that others may change, `EFBIG` for one that is too large, and what the system says.
    package func content() throws -> Data? {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw POSIXError.last(at: path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw POSIXError.last(at: path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw POSIXError(.EPERM)
        }
        guard status.st_size <= Self.sizeLimit else { throw POSIXError(.EFBIG) }
        if status.st_mode & 0o077 != 0 && fchmod(descriptor, 0o600) != 0 { throw POSIXError.last(at: path) }
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data()
        } catch {
            throw POSIXError(.EIO)
        }
    }

    /// Replaces the content, and makes the folder if it is missing. When it throws, the old content is still there.
    package func replace(with content: Data) throws {
        try put(content) { temporary in
            guard rename(temporary, path) == 0 else { throw POSIXError.last(at: path) }
        }
    }

    /// Makes the file; false, with nothing changed, when there is one already.
    package func create(with content: Data) throws -> Bool {
        var isNew = true
        try put(content) { temporary in
            // Unlike a rename, a link never takes the place of anything.
            if link(temporary, path) == 0 {
                unlink(temporary)
                return
            }
            if errno == EEXIST {
                isNew = false
                unlink(temporary)
                return
            }
            // A disk without links: somebody who creates it in this very moment loses.
            guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno), access(path, F_OK) != 0,
                rename(temporary, path) == 0
            else { throw POSIXError.last(at: path) }
        }
        return isNew
    }

    private func put(_ content: Data, move: (_ temporary: String) throws -> Void) throws {
        try makeFolder()
        let temporary = "\(folder)/.\(name).\(UUID().uuidString).tmp"
        // O_EXCL also refuses a link that somebody put there.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last(at: temporary) }
        do {
            defer { close(descriptor) }
            // Gives back what the process's mask may have taken away.
            guard fchmod(descriptor, 0o600) == 0 else { throw POSIXError.last(at: temporary) }
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: content)
            guard fsync(descriptor) == 0 else { throw POSIXError.last(at: temporary) }
            try move(temporary)
        } catch {
            unlink(temporary)
            throw error
        }
        syncFolder()
        removeStaleTemporaries()
    }

    /// Removes the file if it is there.
    package func remove() {
        if unlink(path) == 0 { syncFolder() }
    }

    /// Makes the folder that the file is in, and those above it that are missing, for the owner only.
    package func makeFolder() throws { try Self.makeFolder(folder) }

    private static func makeFolder(_ folder: String) throws {
        if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        let parent = (folder as NSString).deletingLastPathComponent
        guard errno == ENOENT, !parent.isEmpty, parent != folder else { throw POSIXError.last(at: folder) }
        try makeFolder(parent)
        if mkdir(folder, 0o700) != 0 && errno != EEXIST { throw POSIXError.last(at: folder) }
    }

    /// A rename is durable only once its folder is.
    private func syncFolder() {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// What a crash left behind holds secrets too.
    private func removeStaleTemporaries() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for entry in names where entry.hasPrefix(".\(name).") && entry.hasSuffix(".tmp") {
            let path = "\(folder)/\(entry)"
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let date = attributes?[.modificationDate] as? Date else { continue }
            if Date().timeIntervalSince(date) > Self.staleAge { unlink(path) }
        }
    }
}

extension POSIXError {
    /// What the last call into the system complained about, and where.
    static func last(at path: String) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO, userInfo: [NSFilePathErrorKey: path])
    }
}
