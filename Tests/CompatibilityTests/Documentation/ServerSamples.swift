import Dispatch
import Foundation
import MeroKit

// The Swift of the documentation's page about servers, word for word.

/// One client for each node, kept for as long as the service runs.
actor Clients {
    private let folder: URL
    private var clients: [URL: Mero] = [:]

    init(folder: URL) { self.folder = folder }

    func client(of node: URL) -> Mero {
        if let known = clients[node] { return known }
        let name = "\(node.host ?? "node")-\(node.port ?? 0).json"
        let config = MeroConfig(
            baseURL: node, timeout: 5, tokenStore: FileTokenStore(url: folder.appendingPathComponent(name)),
            retryPolicy: .onlyIfUnsent)
        let mero = Mero(config: config)
        clients[node] = mero
        return mero
    }

    func close() async {
        for mero in clients.values { await mero.close() }
        clients = [:]
    }
}

struct ServerSamples {
    /// Runs `service` until it ends or the process is asked to stop; then the task is cancelled and waited for.
    func run(_ service: @escaping @Sendable () async throws -> Void) async throws {
        let work = Task { try await service() }
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { work.cancel() }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        do {
            try await work.value
        } catch is CancellationError {
            // Asked to stop.
        }
    }

    func deadline(_ mero: Mero, _ contextId: String) async throws -> Int {
        let answer: Int = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await mero.rpc.execute(contextId: contextId, method: "len") }
            group.addTask {
                try await Task.sleep(nanoseconds: 2_000_000_000)
                throw MeroError.network("no answer within 2 seconds")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? 0
        }
        return answer
    }
}
