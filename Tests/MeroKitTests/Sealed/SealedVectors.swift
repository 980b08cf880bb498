import Foundation

@testable import MeroKit

/// The files of published and derived bytes of the sealed transport.
enum SealedVectors {
    static func load(_ name: String) throws -> ExactJSON {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fixtures/sealed/\(name).json")
        return try ExactJSON(jsonBytes: Data(contentsOf: file))
    }

    /// The session that the requests and answers are sealed under, with the ids before `requestId` used up.
    static func session(_ vectors: ExactJSON, before requestId: UInt64) throws -> SealedSession {
        SealedSession(
            NoiseHandshake.Outcome(
                sessionId: Array(try vectors.bytes("sessionId")), lifetimeSeconds: 3600,
                requestKey: SecretBytes(try vectors.bytes("requestKey")),
                responseKey: SecretBytes(try vectors.bytes("responseKey"))),
            now: 0, lastId: requestId - 1)
    }
}
