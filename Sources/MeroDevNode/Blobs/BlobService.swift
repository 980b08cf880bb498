import Foundation
import MeroKit

/// `/admin-api/blobs`.
///
/// Spec: 20, section 5.6.
struct BlobService: Sendable {
    let blobs: BlobStore
    let groups: GroupRegistry
    /// The largest blob in bytes.
    let limit: UInt64

    private static let notFound = NodeRefusal(404, "Blob not found locally or in network")
    private static let badId = "Invalid blob id: expected 64 hexadecimal characters"

    /// The answer to an upload that is too long; the length is found out while it streams, so it is no 413.
    var tooLarge: DevHttpResponse { Self.notStored("blob exceeds the maximum size of \(limit) bytes").response }

    private static func notStored(_ why: String) -> NodeRefusal { NodeRefusal(500, "Failed to store blob: \(why)") }

    func upload(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let hash = try call.queryId("hash")
            let context = try call.queryId("context_id")
            let request = call.request
            do {
                let record = try await Blocking.run { [blobs] in
                    if let file = request.bodyFile {
                        return try blobs.take(file, expecting: hash, context: context)
                    }
                    return try blobs.put(request.body, expecting: hash, context: context)
                }
                return .json(200, ["data": Self.row(record)])
            } catch let mismatch as BlobStore.HashMismatch {
                throw Self.notStored("\(mismatch)")
            } catch let error as DevNodeError {
                throw Self.notStored(error.localizedDescription)
            }
        }
    }

    private static func row(_ record: BlobRecord) -> JsonTree {
        ["blob_id": .string(record.id), "size": JsonTree(record.size)]
    }

    /// An account's session sees what was uploaded for its groups' contexts, and what its groups run.
    func list(_ call: RouteCall) async -> DevHttpResponse {
        let all = blobs.all
        guard let account = call.caller?.account else {
            return .json(200, ["data": ["blobs": .array(all.map(Self.row))]])
        }
        let device = call.caller?.device
        let seen = groups.read { state -> [BlobRecord] in
            let reach = state.reach(of: account, device: device)
            let bytecode = Set(reach.compactMap { state[$0]?.target?.bytecodeId })
            return all.filter { blob in
                bytecode.contains(blob.id)
                    || blob.contexts.contains { state.groupOfContext[$0].map(reach.contains) ?? false }
            }
        }
        return .json(200, ["data": ["blobs": .array(seen.map(Self.row))]])
    }

    /// `GET` and `HEAD`. With a context its peers are asked, too; a HEAD never transfers anything.
    func download(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("id", orSay: Self.badId)
            let context = try call.queryId("context_id")
            if let record = blobs[id] { return local(record) }
            guard let context, let peer = blobs.atPeers(id, context: context) else { throw Self.notFound }
            if call.request.method == "HEAD" { return Self.remote(id, peer.size) }
            do {
                return local(try await Blocking.run { [blobs] in try blobs.fetch(id, from: peer, context: context) })
            } catch is BlobStore.HashMismatch {
                throw Self.notFound
            }
        }
    }

    private func local(_ record: BlobRecord) -> DevHttpResponse {
        DevHttpResponse(
            status: 200,
            headers: [
                ("Content-Type", record.mimeType), ("ETag", "\"\(record.hash)\""),
                ("Cache-Control", "private, no-cache"), ("X-Blob-ID", record.id), ("X-Blob-Hash", record.hash),
                ("X-Blob-MIME-Type", record.mimeType), ("X-Blob-Source", "local"),
            ],
            body: record.size == 0 ? .bytes(Data()) : .file(blobs.file(record.id), length: record.size))
    }

    private static func remote(_ id: String, _ size: UInt64?) -> DevHttpResponse {
        var response = DevHttpResponse(status: 200, headers: [("X-Blob-ID", id), ("X-Blob-Source", "peer")])
        if let size {
            response.headers.append(("Content-Length", String(size)))
        } else {
            // A stream is what has no length.
            response.body = .stream(DevHttpStream())
        }
        return response
    }

    func delete(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("id", orSay: Self.badId)
            switch try await Blocking.run({ [blobs] in try blobs.remove(id) }) {
            case .unknown: throw NodeRefusal(404, "Blob not found")
            case .inUse: throw NodeRefusal(403, "Blob \(id) belongs to an installed application")
            case .done: return .json(200, ["blob_id": .string(id), "deleted": true])
            }
        }
    }
}
