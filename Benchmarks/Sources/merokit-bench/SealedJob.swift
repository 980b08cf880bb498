import Foundation
import MeroDevNode
import MeroKit

/// A dev node in a process of its own, and clients of it in theirs: one plain, the others sealed.
struct SealedJob: Codable {
    var seconds: Double
    /// Of the blob that is downloaded, in MiB.
    var size: Int

    struct Result: Codable {
        var plain: Measured
        var sealed: Measured
        /// To a file by the HTTP client alone, in the clear.
        var plainTransfer: Measured
        /// The same, sealed.
        var transfer: Measured
        /// As an app gets a blob: what arrives is read again and hashed.
        var blob: Measured
    }

    /// What a client did, and what that took of the processor on either side.
    struct Measured: Codable {
        /// Calls, or bytes.
        var amount: Double
        var seconds: Double
        var clientProcessor: Double
        var nodeProcessor: Double

        var rate: Double { amount / seconds }
    }

    func run() async throws -> Result {
        let node = try await DevNode.start()
        let context = try node.createContext(KeyValueContract())
        let token = node.mintTokens().accessToken
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "merokit-sealed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("source")
        try Data((0..<(size << 20)).lazy.map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: source)
        let admin = AdminApi(
            http: URLSessionHttpClient(baseURL: node.url, hooks: TransportHooks(getAuthToken: { token })))
        let blob = try await admin.uploadBlob(file: source).blobId
        func measure(_ key: Data?, _ task: SealedClientJob.Task) async throws -> Measured {
            let job = Job.sealedClient(
                SealedClientJob(url: node.url, token: token, context: context, transportKey: key, task: task))
            let before = processorSeconds()
            let did: SealedClientJob.Result = try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Swift.Result { try ChildProcess.work(job, returning: SealedClientJob.Result.self) })
                }
            }
            // A download is warmed up by another one.
            let part = task.isDownload ? 0.5 : 1
            return Measured(
                amount: did.amount, seconds: did.seconds, clientProcessor: did.processor,
                nodeProcessor: (processorSeconds() - before) * part)
        }
        let key = node.sealed.transportKey
        let calls = SealedClientJob.Task.calls(seconds: seconds, count: 0)
        let copy = folder.appendingPathComponent("copy")
        let result = Result(
            plain: try await measure(nil, calls), sealed: try await measure(key, calls),
            plainTransfer: try await measure(nil, .download(blob: blob, file: copy, isHashed: false)),
            transfer: try await measure(key, .download(blob: blob, file: copy, isHashed: false)),
            blob: try await measure(key, .download(blob: blob, file: copy, isHashed: true)))
        await node.stop()
        return result
    }
}

/// Calls a contract, 16 in flight, or downloads one blob.
struct SealedClientJob: Codable {
    enum Task: Codable {
        /// For so long, or so many if that is above zero.
        case calls(seconds: Double, count: Int)
        case download(blob: String, file: URL, isHashed: Bool)

        var isDownload: Bool {
            if case .download = self { return true }
            return false
        }
    }

    struct Result: Codable {
        /// Calls, or bytes.
        var amount: Double
        var seconds: Double
        /// Of the processor, in this process.
        var processor: Double
    }

    var url: URL
    var token: String
    var context: String
    /// Nil for a plain client.
    var transportKey: Data?
    var task: Task

    private static let inFlight = 16

    func run() async throws -> Result {
        let token = token
        let sealing = transportKey.map { Sealing.node(key: .fixed($0)) }
        let http = URLSessionHttpClient(
            baseURL: url, timeout: 120, hooks: TransportHooks(getAuthToken: { token }),
            options: HttpOptions(sealing: sealing))
        let rpc = RpcClient(http: http)
        // Opens connections and a session.
        _ = try await calls(rpc, until: .infinity, atMost: Self.inFlight)
        if case .download(let blob, let file, let isHashed) = task {
            // Memory for the file that the system has never handed out before may cost more than all the rest.
            try await download(blob, to: file, isHashed, over: http)
            try FileManager.default.removeItem(at: file)
        }
        let start = monotonicSeconds()
        let processor = processorSeconds()
        let amount: Double
        switch task {
        case .calls(let seconds, let count):
            amount = Double(
                try await calls(rpc, until: count > 0 ? .infinity : start + seconds, atMost: count > 0 ? count : .max))
        case .download(let blob, let file, let isHashed):
            try await download(blob, to: file, isHashed, over: http)
            amount = Double(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
        return Result(
            amount: amount, seconds: monotonicSeconds() - start, processor: processorSeconds() - processor)
    }

    private func download(_ blob: String, to file: URL, _ isHashed: Bool, over http: any HttpClient) async throws {
        if isHashed {
            try await AdminApi(http: http).downloadBlob(blob, to: file)
        } else {
            _ = try await http.download(HttpRequest(path: "/admin-api/blobs/\(blob)"), to: file)
        }
    }

    private func calls(_ rpc: RpcClient, until deadline: Double, atMost limit: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.inFlight {
                group.addTask {
                    var done = 0
                    while done < max(1, limit / Self.inFlight), monotonicSeconds() < deadline {
                        let _: String? = try await rpc.execute(
                            contextId: context, method: "get", argsJson: ["key": "greeting"])
                        done += 1
                    }
                    return done
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
