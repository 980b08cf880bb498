import Foundation
import Testing

@testable import MeroKit

/// Reads through a relay. Spec: 60, section 5.7.
@Suite("Relay queries") struct RelayQueryTests {
    private typealias Rig = RelayRig

    /// The memory of methods is the process's: each test has methods of its own.
    private let method = "m-\(UUID().uuidString)"

    private static func script(_ query: @escaping @Sendable (Int) throws -> EngineResponse) -> RelayRig.Script {
        { route, count, _ in
            switch route {
            case "GET intents": return Rig.description
            case "POST intents": return Rig.done(#""written""#)
            case "POST query": return try query(count)
            default: return .status(500)
            }
        }
    }

    @Test func aReadAsksOnce() async throws {
        let rig = try RelayRig(token: "t0k3n", Self.script { _ in Rig.data(#"{"returns":{"v":1}}"#) })
        #expect(
            try await rig.relay.query(contextId: Rig.context, method: method, argsJson: ["b": 1, "a": 2]) == ["v": 1])
        #expect(rig.routes == ["POST query"])
        #expect(rig.engine.requests[0].header("Authorization") == "Bearer t0k3n")
        guard case .bytes(let body) = rig.engine.requests[0].body else {
            Issue.record("no body")
            return
        }
        #expect(String(decoding: body, as: UTF8.self) == #"{"method":"\#(method)","argsJson":{"a":2,"b":1}}"#)
        // A method that is known to read is asked for as a read again.
        #expect(try await rig.relay.query([String: Int].self, contextId: Rig.context, method: method) == ["v": 1])
        #expect(rig.routes == ["POST query", "POST query"])
        #expect(rig.nonces.next(relay: Rig.url) == 1)
    }

    @Test func nullIsNilAndNumbersAreExact() async throws {
        let rig = try RelayRig(
            token: "t",
            Self.script { count in Rig.data(count < 2 ? #"{"returns":null}"# : #"{"returns":18446744073709551615}"#) })
        #expect(try await rig.relay.query(contextId: Rig.context, method: method) == nil)
        #expect(try await rig.relay.query(String?.self, contextId: Rig.context, method: method) == nil)
        #expect(try await rig.relay.query(UInt64.self, contextId: Rig.context, method: method) == .max)
    }

    @Test func aWriteIsFoundOutOnce() async throws {
        let rig = try RelayRig(
            token: "t", Self.script { _ in Rig.refused(409, "method 'm' is not declared read-only") })
        #expect(try await rig.relay.query(contextId: Rig.context, method: method) == "written")
        #expect(rig.routes == ["POST query", "GET intents", "POST intents"])
        // Another client of the same relay knows, too.
        let again = try RelayRig(token: "t", Self.script { _ in Rig.refused(409, "no") })
        #expect(try await again.relay.query(contextId: Rig.context, method: method) == "written")
        #expect(again.routes == ["GET intents", "POST intents"])
    }

    @Test func whatTeachesNothingIsAskedAgain() async throws {
        let rig = try RelayRig(
            token: "t",
            Self.script { count in
                switch count {
                case 0: return .status(503)
                case 1: return Rig.refused(403, "account is not a member")
                case 2: return .status(401)
                case 3: throw EngineError(kind: .connectionLost, mayHaveReachedNode: true, message: "cut")
                default: return .status(200, [:], "no json")
                }
            })
        for _ in 0..<5 { #expect(try await rig.relay.query(contextId: Rig.context, method: method) == "written") }
        #expect(rig.routes.filter { $0 == "POST query" }.count == 5)
        #expect(rig.routes.filter { $0 == "POST intents" }.count == 5)
    }

    @Test(arguments: [400, 403, 409]) func theMethodsOwnErrorIsTheAnswer(status: Int) async throws {
        let rig = try RelayRig(
            token: "t",
            Self.script { _ in .status(status, [:], #"{"error":"e","type":"FunctionCallError","data":"e"}"#) })
        let error = await failure(of: { try await rig.relay.query(contextId: Rig.context, method: method) })
        #expect((error as? MeroError)?.errorType == "FunctionCallError")
        #expect(rig.routes == ["POST query"])
        #expect(RelayMethodKinds.shared[Rig.url, Rig.context, method] == nil)
    }

    @Test func withoutASessionEveryReadIsAWarrant() async throws {
        let rig = try RelayRig(Self.script { _ in .status(500) })
        #expect(try await rig.relay.query(contextId: Rig.context, method: method) == "written")
        #expect(rig.routes == ["GET intents", "POST intents"])
    }

    @Test func cancellationIsNotAnsweredByAWarrant() async throws {
        let isAsked = Locked(false)
        let rig = try RelayRig(token: "t") { route, _, _ in
            guard route == "POST query" else { return Rig.description }
            isAsked.withLock { $0 = true }
            try await Task.sleep(nanoseconds: 600_000_000_000)
            return .status(500)
        }
        let task = Task { try await rig.relay.query(contextId: Rig.context, method: method) }
        try await eventually { isAsked.withLock { $0 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(rig.routes == ["POST query"])
    }
}
