import Foundation
import Testing

@testable import MeroKit

/// Heads whose first line continues a line that is not there. libcurl before 8.2 put what it says behind a line of the
/// answer before, in memory that was no longer its own.
@Suite("Heads that begin with a folded line") struct EngineFoldedHeadTests {
    private static let folds = [
        " ", "\t", " folded", "\tfolded: x", "  : ", " " + String(repeating: "x", count: 3_000),
    ]
    private static let plain = "HTTP/1.1 200 OK\r\nX-Some-Name: some value\r\nContent-Length: 2\r\n\r\nok"

    @Test(arguments: EngineUnderTest.thatSurviveCutHeads, folds.indices)
    func touchNothingOfTheAnswerBefore(engine: EngineUnderTest, fold: Int) async throws {
        let folded =
            "HTTP/1.1 200 OK\r\n\(Self.folds[fold])\r\nContent-Length: 2\r\n\r\nno"
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                try peer.send(request.target == "/folded" ? folded : Self.plain)
            }
        }
        let engine = try engine.make()
        for round in 0..<40 {
            // Answers that were read at the same time leave several handles behind.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<(round % 4 + 1) {
                    group.addTask {
                        let answer = try await engine.perform(EngineRequest(server.url + "/plain"))
                        #expect(answer.headers["x-some-name"] == "some value")
                        #expect(answer.body == Data("ok".utf8))
                    }
                }
                try await group.waitForAll()
            }
            do {
                let answer = try await engine.perform(EngineRequest(server.url + "/folded"))
                #expect(answer.body == Data("no".utf8))
            } catch let error as EngineError {
                #expect(error.kind == .connectionLost)
            }
        }
    }
}
