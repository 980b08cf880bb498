import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// What is signed cannot be changed on its way: the relay refuses it, the client says so, and nothing is used up.
/// Spec: 50, section 10.1; 60, sections 1.2 and 3.
@Suite("Tampered intents over HTTP") struct RelayTamperTests {
    /// Changes a member of the body of intents before they are sent.
    private final class Tampering: HttpEngine {
        private let engine: any HttpEngine
        private let member: String
        private let change: @Sendable (inout [UInt8]) -> Void
        /// How long the member was.
        let size = Locked(0)

        init(_ engine: any HttpEngine, _ member: String, _ change: @escaping @Sendable (inout [UInt8]) -> Void) {
            self.engine = engine
            self.member = member
            self.change = change
        }

        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            guard request.method == "POST", case .bytes(let body) = request.body,
                case .object(var members) = try JSONValue(jsonBytes: body),
                var bytes = members[member]?.stringValue.flatMap(Hex.decode)
            else { return try await engine.perform(request) }
            size.withLock { $0 = bytes.count }
            change(&bytes)
            members[member] = .string(Hex.encode(bytes))
            var request = request
            request.body = .bytes(CanonicalJSON.data(.object(members)))
            return try await engine.perform(request)
        }
    }

    private func client(_ fixture: RelayNodeFixture, _ engine: any HttpEngine, _ nonces: MemoryWarrantNonceStore)
        -> RelayClient
    {
        RelayClient(
            relayURL: fixture.node.url.absoluteString, authorAccount: fixture.ada.accountId,
            authorProof: fixture.ada.credential, signer: fixture.ada.keys, nonces: nonces, engine: engine)
    }

    /// Flips each byte in turn; every call has to end with a refusal that is not to be answered by a second warrant.
    private func flipEachByte(of member: String) async throws {
        let fixture = try await RelayNodeFixture.start()
        let engine = try EngineUnderTest.allCases[0].make()
        let honest = Tampering(engine, member) { _ in }
        let nonces = MemoryWarrantNonceStore()
        _ = try await client(fixture, honest, nonces).execute(contextId: fixture.probe, method: "increment")
        let size = honest.size.withLock { $0 }
        #expect(size > 200)
        let path = fixture.intents(fixture.probe)
        let before = fixture.node.requestCount("POST", path)
        for index in 0..<size {
            let bit = UInt8(1) << UInt8(index % 8)
            let relay = client(fixture, Tampering(engine, member) { $0[index] ^= bit }, nonces)
            let error = await failure(of: {
                _ = try await relay.execute(contextId: fixture.probe, method: "increment")
            })
            guard case AccountError.intentRefused(_, let retryable, let status)? = error else {
                Issue.record("byte \(index): \(String(describing: error))")
                continue
            }
            #expect(!retryable && (status == 400 || status == 403), "byte \(index): \(status)")
        }
        // One warrant each.
        #expect(fixture.node.requestCount("POST", path) == before + size)
        #expect(fixture.node.contextState(fixture.probe)?["count"] == 1)
        // No number was used up but the first: another store begins right behind it.
        let fresh = MemoryWarrantNonceStore()
        fresh.advance(relay: fixture.node.url.absoluteString, to: 2)
        let last: Int = try await client(fixture, engine, fresh).execute(
            Int.self, contextId: fixture.probe, method: "increment")
        #expect(last == 2)
        #expect(fixture.node.requestCount("POST", path) == before + size + 1)
        #expect(fixture.node.delegatedWrites.map(\.nonce) == [1, 2])
        await fixture.stop()
    }

    @Test func eachByteOfAWarrant() async throws { try await flipEachByte(of: "warrant") }

    @Test func eachByteOfACredential() async throws { try await flipEachByte(of: "authorProof") }

    /// The arguments are what was signed for, down to the last digit.
    @Test func otherArguments() async throws {
        let fixture = try await RelayNodeFixture.start()
        let engine = try EngineUnderTest.allCases[0].make()
        for (member, value) in [
            ("argsJson", JSONValue.object(["by": 2])), ("argsJson", .null), ("method", "reset"), ("method", ""),
        ] {
            let relay = client(fixture, Replacing(engine, member, value), fixture.nonces)
            let error = await failure(of: {
                _ = try await relay.execute(contextId: fixture.probe, method: "increment", argsJson: ["by": 1])
            })
            guard case AccountError.intentRefused(_, false, let status)? = error else {
                Issue.record("\(member) \(value): \(String(describing: error))")
                continue
            }
            #expect(status == 400 || status == 403)
        }
        #expect(fixture.node.contextState(fixture.probe)?["count"] == nil)
        #expect(fixture.node.delegatedWrites.isEmpty)
        await fixture.stop()
    }

    /// Puts another value into the body of intents.
    private final class Replacing: HttpEngine {
        private let engine: any HttpEngine
        private let member: String
        private let value: JSONValue

        init(_ engine: any HttpEngine, _ member: String, _ value: JSONValue) {
            self.engine = engine
            self.member = member
            self.value = value
        }

        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            guard request.method == "POST", case .bytes(let body) = request.body,
                case .object(var members) = try JSONValue(jsonBytes: body), members["warrant"] != nil
            else { return try await engine.perform(request) }
            members[member] = value
            var request = request
            request.body = .bytes(CanonicalJSON.data(.object(members)))
            return try await engine.perform(request)
        }
    }
}
