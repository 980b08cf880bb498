import Foundation
import MeroKit

/// The blobs of a dev node.
public struct DevBlobs: Sendable {
    let store: BlobStore

    /// Stores content as an upload would, and returns its id (64 hex). Throws ``DevNodeError``.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - context: what it is for, 64 hex; accounts see it through that context's group.
    @discardableResult
    public func put(_ data: Data, context: String? = nil) throws -> String {
        try store.put(data, context: try context.map(ContextRuntime.checkedId)).id
    }

    /// The content of a blob; nil when the node does not have it.
    public func data(_ id: String) -> Data? {
        guard let record = store[id.lowercased()] else { return nil }
        return try? Data(contentsOf: store.file(record.id))
    }

    /// The ids of all blobs in the order of arrival.
    public var ids: [String] { store.all.map(\.id) }

    /// The id that content has everywhere, 64 hex: not its SHA-256. Throws ``DevNodeError``.
    ///
    /// Spec: 20, section 5.6.
    public static func id(of data: Data) throws -> String { try BlobDigest.of(data).id }

    /// Makes content available from a peer in a context: the node finds it there when it is asked with that context's id,
    /// and has it itself from then on. Returns its id. Throws ``DevNodeError``.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - context: the context, 64 hex.
    ///   - tellsSize: whether the peer says how long it is.
    @discardableResult
    public func offerFromPeer(_ data: Data, context: String, tellsSize: Bool = true) throws -> String {
        let id = try Self.id(of: data)
        let peer = BlobStore.PeerBlob(size: tellsSize ? UInt64(data.count) : nil) { url in
            try data.write(to: url)
        }
        store.offer(peer, id: id, context: try ContextRuntime.checkedId(context))
        return id
    }
}

extension DevNode {
    /// What the node keeps as blobs.
    public var blobs: DevBlobs { DevBlobs(store: core.blobs) }
}
