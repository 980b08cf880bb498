import Foundation
import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The call that every contender makes.
enum SampleCall {
    static let contextId = String(repeating: "1b", count: 32)
    static let body = """
        {"jsonrpc":"2.0","id":1,"method":"execute","params":{"contextId":"\(contextId)","method":"get",\
        "argsJson":{"key":"greeting"}}}
        """
    static let answer = #"{"jsonrpc":"2.0","id":1,"result":{"output":"hello, world"}}"#
    static let output = "hello, world"
    /// As long as the tokens a node mints; it opens nothing.
    static let token = String(repeating: "benchmark.", count: 40)
}

/// Makes `rpc.execute` calls with some in flight, for a time or up to a count.
struct CallJob: Codable {
    var engine: Engine
    var url: URL
    var inFlight: Int
    var seconds: Double
    /// Zero: until `seconds` are over.
    var calls: Int

    struct Result: Codable {
        var calls: Int
        var seconds: Double

        var rate: Double { Double(calls) / seconds }
    }

    func run() async throws -> Result {
        let rpc = RpcClient(http: engine.client(baseURL: url))
        // Opens the connections; the same number of calls as the bare loop makes before its clock starts.
        _ = try await loop(rpc, limit: 64, deadline: .infinity)
        let start = monotonicSeconds()
        let done = try await loop(
            rpc, limit: calls > 0 ? calls : .max, deadline: calls > 0 ? .infinity : start + seconds)
        return Result(calls: done, seconds: monotonicSeconds() - start)
    }

    private func loop(_ rpc: RpcClient, limit: Int, deadline: Double) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<inFlight {
                let share = limit / inFlight + (index < limit % inFlight ? 1 : 0)
                group.addTask {
                    var done = 0
                    while done < share && monotonicSeconds() < deadline {
                        let output: String = try await rpc.execute(
                            contextId: SampleCall.contextId, method: "get", argsJson: ["key": "greeting"])
                        guard output == SampleCall.output else { throw BenchError("not the expected answer") }
                        done += 1
                    }
                    return done
                }
            }
            return try await group.reduce(0, +)
        }
    }
}

extension Engine {
    func client(
        baseURL: URL, token: String = SampleCall.token, timeout: TimeInterval = 10
    ) -> URLSessionHttpClient {
        URLSessionHttpClient(
            baseURL: baseURL, timeout: timeout, hooks: TransportHooks(getAuthToken: { token }),
            session: self == .urlSession ? .shared : nil)
    }
}
