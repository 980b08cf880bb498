import Foundation
import MeroDevNode
import MeroKit

/// A dev node in a process of its own, to which one large blob goes and from which it comes back. Its clients are
/// processes of their own again, so that each side's memory is told apart.
struct BlobJob: Codable {
    var engine: Engine
    /// In MiB.
    var size: Int
    /// For the files of the client and those of the node.
    var folder: URL

    struct Result: Codable {
        var put: BlobTransferJob.Result
        var get: BlobTransferJob.Result
        /// Bytes of the node's resident memory at the peak of both, above those before. Nil where the system does not tell.
        var nodePeakBytes: Int?
    }

    func run() async throws -> Result {
        var options = DevNodeOptions()
        options.blobLimit = UInt64(size) << 20
        options.dataDirectory = folder.appendingPathComponent("node", isDirectory: true)
        let node = try await DevNode.start(options)
        let token = node.mintTokens().accessToken
        let source = folder.appendingPathComponent("source")
        // No blocks on disk: the disk is read through, and is not what is measured.
        _ = FileManager.default.createFile(atPath: source.path, contents: nil)
        let handle = try FileHandle(forWritingTo: source)
        try handle.truncate(atOffset: UInt64(size) << 20)
        try handle.close()
        let memory = MemoryWatch()
        func transfer(_ blob: String?, _ file: URL) async throws -> BlobTransferJob.Result {
            let job = Job.blobTransfer(
                BlobTransferJob(engine: engine, url: node.url, token: token, blob: blob, file: file))
            // The node answers on this process's other threads meanwhile.
            return try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Swift.Result { try ChildProcess.work(job, returning: BlobTransferJob.Result.self) })
                }
            }
        }
        let put = try await transfer(nil, source)
        let copy = folder.appendingPathComponent("copy")
        let get = try await transfer(put.blob, copy)
        let peak = memory?.peakBytesAboveStart()
        let arrived = try FileManager.default.attributesOfItem(atPath: copy.path)[.size] as? NSNumber
        await node.stop()
        guard arrived?.intValue == size << 20 else { throw BenchError("a blob arrived with another length") }
        return Result(put: put, get: get, nodePeakBytes: peak)
    }
}

/// Puts or gets one large blob and watches its own memory.
struct BlobTransferJob: Codable {
    var engine: Engine
    var url: URL
    var token: String
    /// What to get; nil to put `file`.
    var blob: String?
    var file: URL

    struct Result: Codable {
        var blob: String
        var seconds: Double
        /// Bytes of resident memory at the peak, above those before the transfer. Nil where the system does not tell.
        var peakBytes: Int?
    }

    func run() async throws -> Result {
        let admin = AdminApi(http: engine.client(baseURL: url, token: token, timeout: 120))
        // Whatever the first call loads for good is not part of the transfer.
        _ = try await admin.listBlobs()
        let memory = MemoryWatch()
        let start = monotonicSeconds()
        var id = blob ?? ""
        if let blob {
            try await admin.downloadBlob(blob, to: file)
        } else {
            id = try await admin.uploadBlob(file: file, limit: .max).blobId
        }
        return Result(blob: id, seconds: monotonicSeconds() - start, peakBytes: memory?.peakBytesAboveStart())
    }
}
