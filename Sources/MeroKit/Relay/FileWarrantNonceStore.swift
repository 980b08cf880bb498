import Foundation

/// Counts in files that several processes can share: no number is handed out twice, whoever is killed and when.
///
/// Each sequence is a file of its own in the folder, replaced as a whole, made durable before its number is handed out, and
/// read and written under a lock that all processes take in turn. The folder is made with mode 0700, the files have 0600.
/// Give each device a folder of its own. Spec: 60, section 4.2.
public final class FileWarrantNonceStore: WarrantNonceStore {
    /// Where the files lie.
    public let directory: URL
    /// Waiting for another thread of this process needs no polling.
    private let gate = Gate()

    /// Seconds to wait for another process, which holds the lock while it replaces a small file. One that takes longer has
    /// been stopped, and then there is no number.
    private static let patience: TimeInterval = 10

    /// Reads and writes nothing yet.
    public init(directory: URL) { self.directory = directory }

    /// The next number; 0 once all are spent, and when it could not be written.
    public func next(relay: String) -> UInt64 {
        let number = try? exclusively(relay) { file, last -> UInt64 in
            guard let next = WarrantNonceSequence.next(after: last) else { return 0 }
            try Self.write(next, to: file)
            return next
        }
        return number ?? 0
    }

    /// Sees to it that `next` returns at least `floor`.
    public func advance(relay: String, to floor: UInt64) {
        // What cannot be written here cannot be written by `next` either, which then says so.
        try? exclusively(relay) { file, last in
            if let raised = WarrantNonceSequence.raised(last, to: floor) { try Self.write(raised, to: file) }
        }
    }

    /// Whether the last number there is has been handed out.
    public func isSpent(relay: String) -> Bool { (try? Self.last(in: PrivateFile(path: path(relay)))) == .max }

    private func exclusively<T>(_ relay: String, _ body: (PrivateFile, UInt64) throws -> T) throws -> T {
        let path = path(relay)
        return try gate.pass {
            try FileLock(path: path + ".lock", patience: Self.patience).withLockBlocking {
                let file = PrivateFile(path: path)
                return try body(file, Self.last(in: file))
            }
        }
    }

    /// A URL is no name of a file, its hash is.
    private func path(_ relay: String) -> String {
        let key = WarrantNonceSequence.key(relay)
        return directory.appendingPathComponent(Hex.encode(sha256(Data(key.utf8)))).path
    }

    /// A file that is there and cannot be read is not the beginning of a sequence: it is no sequence at all.
    private static func last(in file: PrivateFile) throws -> UInt64 {
        if let content = file.read() {
            return WarrantNonceSequence.last(from: String(decoding: content, as: UTF8.self))
        }
        var status = stat()
        guard lstat(file.path, &status) != 0, errno == ENOENT else { throw POSIXError(.EACCES) }
        return 0
    }

    private static func write(_ last: UInt64, to file: PrivateFile) throws {
        try file.replace(with: Data(String(last).utf8))
    }
}
