import Foundation
import MeroDevNode
import MeroKit

/// A dev node in a process of its own, and clients of it in theirs: one plain, one sealed.
struct SealedJob: Codable {
    var seconds: Double
    /// Of the blob that is downloaded, in MiB.
    var size: Int

    struct Result: Codable {
        var plain: Double
        var sealed: Double
        /// Bytes a second.
        var download: Double
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
        func client(_ key: Data?, _ blob: String?) async throws -> Double {
            let job = Job.sealedClient(
                SealedClientJob(
                    url: node.url, token: token, context: context, transportKey: key, seconds: seconds, blob: blob,
                    file: folder.appendingPathComponent("copy")))
            return try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Swift.Result { try ChildProcess.work(job, returning: Double.self) })
                }
            }
        }
        let key = node.sealed.transportKey
        let result = Result(
            plain: try await client(nil, nil), sealed: try await client(key, nil),
            download: Double(size << 20) / (try await client(key, blob)))
        await node.stop()
        return result
    }
}

/// Calls a contract, 16 in flight, or downloads one blob.
struct SealedClientJob: Codable {
    var url: URL
    var token: String
    var context: String
    /// Nil for a plain client.
    var transportKey: Data?
    var seconds: Double
    /// What to download; nil for calls.
    var blob: String?
    var file: URL

    private static let inFlight = 16

    /// Calls a second, or seconds.
    func run() async throws -> Double {
        let token = token
        let sealing = transportKey.map { Sealing.node(key: .fixed($0)) }
        let http = URLSessionHttpClient(
            baseURL: url, timeout: 120, hooks: TransportHooks(getAuthToken: { token }),
            options: HttpOptions(sealing: sealing))
        let rpc = RpcClient(http: http)
        _ = try await calls(rpc, until: monotonicSeconds() + 0.2)
        let start = monotonicSeconds()
        if let blob {
            try await AdminApi(http: http).downloadBlob(blob, to: file)
            return monotonicSeconds() - start
        }
        let count = try await calls(rpc, until: start + seconds)
        return Double(count) / (monotonicSeconds() - start)
    }

    private func calls(_ rpc: RpcClient, until deadline: Double) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.inFlight {
                group.addTask {
                    var done = 0
                    while monotonicSeconds() < deadline {
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
