import Foundation
import MeroKit

/// The blobs of a node: one file each, named by its id. Content is moved in and read from there, never held in memory.
///
/// Spec: 20, section 5.6.
final class BlobStore: Sendable {
    /// A blob that another node has and would hand over.
    struct PeerBlob: Sendable {
        /// As that node tells it; it need not.
        var size: UInt64?
        /// Copies the content into a new file.
        var copy: @Sendable (URL) throws -> Void
    }

    enum Removal: Sendable, Equatable {
        case done
        case unknown
        /// It is the bytecode of an installed application.
        case inUse
    }

    struct HashMismatch: Error, CustomStringConvertible {
        let expected: String
        let found: String

        var description: String { "hash mismatch: expected \(expected), got \(found)" }
    }

    private struct State {
        var blobs: [String: BlobRecord] = [:]
        var journal: Journal?
        var nextOrder = 0
        /// By blob and context.
        var offers: [String: PeerBlob] = [:]
        var finders: [@Sendable (_ blob: String, _ context: String) -> PeerBlob?] = []
    }

    private let folder: URL
    private let isTemporary: Bool
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(directory: DataDirectory?) throws {
        isTemporary = directory == nil
        folder =
            directory.map { Self.folder(in: $0.url) }
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("merodev-blobs-\(UUID().uuidString)")
        var state = State()
        if let directory {
            try OwnerOnlyFile.makeDirectory(folder)
            let (journal, entries) = try directory.open("node-blobs")
            state.journal = journal
            for (id, tree) in entries { state.blobs[id] = BlobRecord(id: id, tree) }
            // What a process that died left half done, and records whose content somebody took away.
            let files = Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
            for name in files where state.blobs[name] == nil {
                unlink(folder.appendingPathComponent(name).path)
            }
            state.blobs = state.blobs.filter { files.contains($0.key) }
            state.nextOrder = (state.blobs.values.map(\.order).max() ?? -1) + 1
        }
        self.state = Locked(state)
    }

    deinit { if isTemporary { try? FileManager.default.removeItem(at: folder) } }

    /// Where uploads should be spooled, so that they can be moved into place.
    static func folder(in directory: URL) -> URL { directory.appendingPathComponent("blobs", isDirectory: true) }

    // MARK: - Reading

    subscript(id: String) -> BlobRecord? { state.withLock { $0.blobs[id] } }

    /// In the order of arrival.
    var all: [BlobRecord] { state.withLock { $0.blobs.values.sorted { $0.order < $1.order } } }

    func file(_ id: String) -> URL { folder.appendingPathComponent(id, isDirectory: false) }

    // MARK: - Writing

    /// Takes a file over. Throws ``HashMismatch`` when it has another hash than expected, and `DevNodeError`.
    func take(
        _ url: URL, expecting hash: String? = nil, context: String? = nil, release: String? = nil
    ) throws -> BlobRecord {
        let digest = try BlobDigest.of(url)
        if let hash, hash != digest.hash { throw HashMismatch(expected: hash, found: digest.hash) }
        if isTemporary { try Self.storing { try OwnerOnlyFile.makeDirectory(folder) } }
        return try state.withLock { state in
            var record = state.blobs[digest.id] ?? BlobRecord(digest, order: state.nextOrder)
            if let release { record.releases.insert(release) } else { record.uploads += 1 }
            if let context { record.contexts.insert(context) }
            if state.blobs[digest.id] == nil { try move(url, to: file(digest.id)) }
            try put(record, &state)
            state.nextOrder = max(state.nextOrder, record.order + 1)
            return record
        }
    }

    /// As ``take(_:expecting:context:release:)`` with content from memory.
    func put(
        _ data: Data, expecting hash: String? = nil, context: String? = nil, release: String? = nil
    ) throws -> BlobRecord {
        if isTemporary { try Self.storing { try OwnerOnlyFile.makeDirectory(folder) } }
        let draft = draft()
        defer { unlink(draft.path) }
        let descriptor = try OwnerOnlyFile.openFile(draft, O_WRONLY | O_CREAT | O_EXCL)
        do {
            defer { close(descriptor) }
            try OwnerOnlyFile.writeAll(Array(data), to: descriptor, url: draft)
        }
        return try take(draft, expecting: hash, context: context, release: release)
    }

    private func draft() -> URL { folder.appendingPathComponent(".draft-\(UUID().uuidString)", isDirectory: false) }

    private func move(_ url: URL, to target: URL) throws {
        if rename(url.path, target.path) == 0 { return }
        // Another volume.
        try Self.storing {
            let draft = draft()
            defer { unlink(draft.path) }
            try FileManager.default.copyItem(at: url, to: draft)
            guard chmod(draft.path, 0o600) == 0, rename(draft.path, target.path) == 0 else {
                throw DevNodeError.storage(String(cString: strerror(errno)))
            }
        }
    }

    private static func storing(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DevNodeError {
            throw error
        } catch {
            throw DevNodeError.storage(error.localizedDescription)
        }
    }

    private func put(_ record: BlobRecord, _ state: inout State) throws {
        let blobs = state.blobs
        try state.journal?.record([(record.id, record.tree)]) { blobs.mapValues(\.tree) }
        state.blobs[record.id] = record
    }

    // MARK: - Letting go

    /// Gives one upload back. The content stays for as long as somebody else uses it. Throws `DevNodeError`.
    func remove(_ id: String) throws -> Removal {
        try state.withLock { state in
            guard var record = state.blobs[id] else { return .unknown }
            guard record.releases.isEmpty else { return .inUse }
            record.uploads -= 1
            try settle(record, &state)
            return .done
        }
    }

    /// An application release no longer needs its bytecode. Throws `DevNodeError`.
    func release(_ id: String, from release: String) throws {
        try state.withLock { state in
            guard var record = state.blobs[id], record.releases.remove(release) != nil else { return }
            try settle(record, &state)
        }
    }

    private func settle(_ record: BlobRecord, _ state: inout State) throws {
        guard record.isUnused else { return try put(record, &state) }
        let blobs = state.blobs
        try state.journal?.record([(record.id, nil)]) { blobs.mapValues(\.tree) }
        state.blobs[record.id] = nil
        unlink(file(record.id).path)
    }

    // MARK: - Peers

    /// Lets a peer of a context have a blob.
    func offer(_ blob: PeerBlob, id: String, context: String) {
        state.withLock { $0.offers["\(id)|\(context)"] = blob }
    }

    /// Asks this, too, when a context's peers are asked for a blob.
    func addFinder(_ finder: @escaping @Sendable (_ blob: String, _ context: String) -> PeerBlob?) {
        state.withLock { $0.finders.append(finder) }
    }

    /// What a context's peers have; nil when none has it.
    func atPeers(_ id: String, context: String) -> PeerBlob? {
        let (offer, finders) = state.withLock { ($0.offers["\(id)|\(context)"], $0.finders) }
        return offer ?? finders.lazy.compactMap { $0(id, context) }.first
    }

    /// Fetches a blob from a peer. Throws ``HashMismatch`` when what came is something else, and `DevNodeError`.
    func fetch(_ id: String, from peer: PeerBlob, context: String) throws -> BlobRecord {
        if isTemporary { try Self.storing { try OwnerOnlyFile.makeDirectory(folder) } }
        let draft = draft()
        defer { unlink(draft.path) }
        try Self.storing { try peer.copy(draft) }
        chmod(draft.path, 0o600)
        let digest = try BlobDigest.of(draft)
        guard digest.id == id else { throw HashMismatch(expected: id, found: digest.id) }
        return try take(draft, context: context)
    }
}
