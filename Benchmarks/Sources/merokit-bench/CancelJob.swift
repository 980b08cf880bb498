import Foundation
import MeroDevNode
import MeroKit

/// Cancels calls that a node never answers and measures how long each takes to end.
struct CancelJob: Codable {
    var engine: Engine
    var samples: Int

    struct Result: Codable {
        var seconds: [Double]
    }

    func run() async throws -> Result {
        let node = try await DevNode.start()
        node.inject(.stall, on: "POST /jsonrpc", times: nil)
        let rpc = RpcClient(http: engine.client(baseURL: node.url))
        var result = Result(seconds: [])
        for sample in 1...samples {
            let call = Task {
                let _: JSONValue = try await rpc.execute(contextId: SampleCall.contextId, method: "get")
            }
            while node.requestCount("POST", "/jsonrpc") < sample { try await Task.sleep(nanoseconds: 1_000_000) }
            let start = monotonicSeconds()
            call.cancel()
            let outcome = await call.result
            result.seconds.append(monotonicSeconds() - start)
            guard case .failure(let error) = outcome, error is CancellationError else {
                throw BenchError("a cancelled call ended with \(outcome)")
            }
        }
        await node.stop()
        return result
    }
}
