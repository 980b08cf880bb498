import Foundation
import MeroDevNode
import MeroKit
import Testing

@Suite struct ReadmeTests {
    @Test func theContractOfTheReadmeCounts() async throws {
        let (node, contextId) = try await ReadmeSamples.devNode()
        let mero = Mero(config: MeroConfig(baseURL: node.url))
        try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
        for _ in 0..<2 {
            let _: Int = try await mero.rpc.execute(contextId: contextId, method: "add", argsJson: ["by": 21])
        }
        let count: Int = try await mero.rpc.execute(contextId: contextId, method: "get")
        #expect(count == 42)
        let refusal = await #expect(throws: MeroError.self) {
            let _: Int = try await mero.rpc.execute(contextId: contextId, method: "add", argsJson: ["by": 0])
        }
        #expect(refusal?.errorType == "FunctionCallError")
        await node.stop()
    }

    @Test func theFaultsOfTheReadmeCanBeSwitchedOn() async throws {
        let (node, _) = try await ReadmeSamples.devNode()
        try await ReadmeSamples.faults(node)
        await #expect(throws: MeroError.self) {
            try await Mero(config: MeroConfig(baseURL: node.url, retryPolicy: .never)).http.sendVoid(
                HttpRequest(path: "/admin-api/health"))
        }
        await node.stop()
    }
}
