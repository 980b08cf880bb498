import Foundation

/// A map on disk: a snapshot, replaced atomically, and a log of the changes since. A change costs one appended line,
/// however large the map is. Files are readable by their owner only.
///
/// Not safe to share between threads; its owner calls it under a lock.
final class Journal {
    private let directory: DataDirectory
    private let snapshotURL: URL
    private let logURL: URL
    private var descriptor: Int32 = -1
    private var logBytes = 0
    private var snapshotBytes = 0

    /// Opens `name` in `directory` and gives what it holds.
    static func open(directory: DataDirectory, name: String) throws -> (journal: Journal, entries: [String: JsonTree]) {
        let journal = Journal(directory: directory, name: name)
        let entries = try journal.load()
        return (journal, entries)
    }

    private init(directory: DataDirectory, name: String) {
        self.directory = directory
        snapshotURL = directory.url.appendingPathComponent("\(name).json")
        logURL = directory.url.appendingPathComponent("\(name).log")
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private func load() throws -> [String: JsonTree] {
        var entries: [String: JsonTree] = [:]
        if let data = try readIfPresent(snapshotURL) {
            snapshotBytes = data.count
            Self.apply(try JsonParser.parse(data), to: &entries)
        }
        let log = try readIfPresent(logURL) ?? Data()
        // A process that died while writing leaves half a line at the end: that change was never acknowledged.
        for line in log.split(separator: UInt8(ascii: "\n")) {
            guard let change = try? JsonParser.parse(line) else { break }
            Self.apply(change, to: &entries)
        }
        if !log.isEmpty { try replaceSnapshot(entries) }
        return entries
    }

    private func readIfPresent(_ url: URL) throws -> Data? {
        FileManager.default.fileExists(atPath: url.path) ? try Data(contentsOf: url) : nil
    }

    private static func apply(_ change: JsonTree, to entries: inout [String: JsonTree]) {
        for member in change["put"]?.members ?? [] { entries[member.name] = member.value }
        for name in change["drop"]?.arrayValue ?? [] { if let name = name.stringValue { entries[name] = nil } }
    }

    /// Makes the changes durable; `snapshot` is asked for the whole map when the log has outgrown it.
    func record(_ changes: [(key: String, value: JsonTree?)], snapshot: () -> [String: JsonTree]) throws {
        guard !changes.isEmpty else { return }
        guard directory.isHeld else { throw DevNodeError.storage("the node is stopped") }
        if logBytes > max(256 << 10, 4 * snapshotBytes) {
            var entries = snapshot()
            for change in changes { entries[change.key] = change.value }
            return try replaceSnapshot(entries)
        }
        var members: [JsonMember] = []
        var dropped: [String] = []
        for change in changes {
            if let value = change.value {
                members.append(JsonMember(name: change.key, value: value))
            } else {
                dropped.append(change.key)
            }
        }
        var line: [UInt8] = []
        (["put": .object(members), "drop": JsonTree(dropped)] as JsonTree).write(into: &line)
        line.append(UInt8(ascii: "\n"))
        try append(line)
    }

    private func append(_ bytes: [UInt8]) throws {
        if descriptor < 0 {
            descriptor = try OwnerOnlyFile.openFile(logURL, O_WRONLY | O_CREAT | O_APPEND)
        }
        do {
            try OwnerOnlyFile.writeAll(bytes, to: descriptor, url: logURL)
        } catch {
            // Half a line would swallow the next one.
            ftruncate(descriptor, off_t(logBytes))
            throw error
        }
        logBytes += bytes.count
    }

    private func replaceSnapshot(_ entries: [String: JsonTree]) throws {
        let members = entries.sorted { $0.key < $1.key }.map { JsonMember(name: $0.key, value: $0.value) }
        let bytes = (["put": .object(members)] as JsonTree).bytes
        try OwnerOnlyFile.replace(snapshotURL, with: bytes)
        snapshotBytes = bytes.count
        if descriptor >= 0 { close(descriptor) }
        descriptor = try OwnerOnlyFile.openFile(logURL, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC)
        logBytes = 0
    }
}

extension JsonTree {
    var members: [JsonMember] {
        if case .object(let members) = self { return members }
        return []
    }
}
