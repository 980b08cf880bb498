import Foundation
import MeroDevNode
import MeroKit
import Testing

@Suite struct ReadmeTests {
    private static let here = URL(fileURLWithPath: #filePath)
    private static let root = here.deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Indentation, empty lines and imports may differ; nothing else.
    private static func code(_ text: Substring) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
    }

    @Test func everySwiftBlockIsAmongTheCompiledSamples() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let samplesFile = Self.here.deletingLastPathComponent().appendingPathComponent("ReadmeSamples.swift")
        let samples = Self.code(try String(contentsOf: samplesFile, encoding: .utf8)[...])
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
            // A piece of a manifest is no program.
            .filter { !$0.hasPrefix("dependencies:") }
        #expect(blocks.count > 5)
        for block in blocks {
            let isCompiled = samples.contains(Self.code(block[...]))
            #expect(isCompiled, "not in ReadmeSamples.swift as it stands: \(block)")
        }
    }

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
