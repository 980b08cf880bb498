import Foundation
import Testing

@testable import MeroKit

/// More engines at once than the system gives threads to a process.
@Suite("Many engines") struct ManyEnginesTests {
    @Test(.timeLimit(.minutes(2)), arguments: EngineUnderTest.allCases)
    func hundredsStartAtOnce(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" }
        let url = server.url
        let engines = try (0..<400).map { _ in try engine.make() }
        let answers = try await withThrowingTaskGroup(of: Data.self) { group in
            for engine in engines {
                group.addTask { try await engine.perform(EngineRequest(url)).body }
            }
            return try await group.reduce(into: [Data]()) { $0.append($1) }
        }
        #expect(answers.count == 400 && answers.allSatisfy { $0 == Data("ok".utf8) })
        server.stop()
    }
}
