import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct PresenceIntentTests {
    private struct Update {
        var context: String
        var state: Data? = Data(#"{"typing":true}"#.utf8)
        var sequence: UInt64 = 1
        var sentAt: UInt64
    }

    private func path(_ relay: RelayFixture) -> String { "/admin-api/contexts/\(relay.context)/presence-intents" }

    private func body(
        _ relay: RelayFixture, as author: DevAccount? = nil, _ change: (inout Update) -> Void = { _ in }
    ) throws -> JsonTree {
        let author = author ?? relay.ada
        var update = Update(context: relay.context, sentAt: relay.now * 1000)
        change(&update)
        let statement = try PresenceStatement(
            context: update.context, author: author.keys.signPublicKeyBytes, sequence: update.sequence,
            sentAt: update.sentAt, state: update.state)
        return [
            "state": update.state.map { .string(Hex.encode($0)) } ?? .null, "seq": JsonTree(update.sequence),
            "sentAtMs": JsonTree(update.sentAt),
            "signature": .string(Hex.encode(try author.keys.sign(statement.bytes))),
            "authorProof": .string(author.credential),
        ]
    }

    private func send(
        _ relay: RelayFixture, as author: DevAccount? = nil, _ change: (inout Update) -> Void = { _ in }
    ) async throws -> Answer {
        try await relay.fixture.post(path(relay), try body(relay, as: author, change))
    }

    @Test func subscribersSeeTheAccount() async throws {
        try await withRelay { relay async throws in
            let tap = try await relay.fixture.listen(
                contexts: [relay.context], token: relay.node.mintTokens().accessToken)
            let first = try await send(relay)
            #expect(first.status == 204 && first.body.isEmpty)
            // The same bytes are a heartbeat, an older number changes nothing.
            #expect(try await send(relay) { $0.sequence = 2 }.status == 204)
            #expect(try await send(relay) { $0.state = Data([1]) }.status == 204)
            #expect(
                try await send(relay) {
                    $0.sequence = 3
                    $0.state = Data()
                }.status == 204)
            #expect(
                try await send(relay) {
                    $0.sequence = 4
                    $0.state = nil
                }.status == 204)
            #expect(await tap.has(frames: 4))
            let author = JsonTree.string(relay.ada.keys.signPublicKey)
            let account = JsonTree.string(relay.ada.accountId)
            #expect(
                tap.events.map { $0.result["data"] } == [
                    [
                        "author": author, "account": account,
                        "state": .array(Data(#"{"typing":true}"#.utf8).map { JsonTree($0) }),
                    ], ["author": author, "account": account, "state": []],
                    ["author": author, "account": account, "removed": true],
                ])
            #expect(relay.mark() == nil)
        }
    }

    @Test func withoutHeartbeatsItGoes() async throws {
        try await withRelay { relay async throws in
            let tap = try await relay.fixture.listen(
                contexts: [relay.context], token: relay.node.mintTokens().accessToken)
            #expect(try await send(relay).status == 204)
            relay.node.clock.advance(by: 7)
            #expect(await tap.has(frames: 3))
            #expect(tap.events.last?.result["data"]?["removed"] == true)
        }
    }

    @Test(arguments: [(-7_000, true), (7_000, true), (-7_001, false), (7_001, false)])
    func aStampIsFreshForSevenSeconds(offset: Int, isFresh: Bool) async throws {
        try await withRelay { relay async throws in
            relay.node.clock.freeze(at: Date(timeIntervalSince1970: Double(relay.now)))
            let answer = try await send(relay) { $0.sentAt = UInt64(Int(relay.now) * 1000 + offset) }
            #expect(answer.status == (isFresh ? 204 : 400))
            if !isFresh { #expect(answer.json == ["error": "the statement is outside the freshness window"]) }
        }
    }

    @Test func whatIsSignedHasToBeWhatIsSent() async throws {
        try await withRelay { relay async throws in
            let good = try body(relay)
            let bad = "the signature does not verify under the author"
            let changes: [(String, JsonTree, String)] = [
                ("state", .null, bad), ("state", "", bad), ("state", "00", bad), ("seq", 2, bad),
                ("sentAtMs", 1, bad), ("state", "0", "state is not hex: Odd number of digits"),
                ("signature", "00", "signature is not 64 bytes"),
                ("signature", "zz", "signature is not hex: Invalid character 'z' at position 0"),
                ("authorProof", "zz", "authorProof is not hex: Invalid character 'z' at position 0"),
            ]
            for (name, value, text) in changes {
                let answer = try await relay.fixture.post(path(relay), good.replacing(name, value))
                #expect(answer.status == 400)
                #expect(answer.json == ["error": .string(text)])
            }
            let elsewhere = try await send(relay) { $0.context = relay.namespace }
            #expect(elsewhere.status == 400 && elsewhere.error == bad)
            let none = try await relay.fixture.post(path(relay), good.replacing("authorProof", ""))
            #expect(none.status == 403 && none.error == "the update carries no device certificate")
            let shapes: [(String, JsonTree?)] = [
                ("state", nil), ("seq", nil), ("sentAtMs", nil), ("signature", nil), ("authorProof", nil),
                ("seq", .string("1")), ("seq", -1), ("extra", 1),
            ]
            for (name, value) in shapes {
                #expect(try await relay.fixture.post(path(relay), good.replacing(name, value)).status == 422, "\(name)")
            }
        }
    }

    @Test func everyByteOfSignatureAndCredentialCounts() async throws {
        try await withRelay { relay async throws in
            let good = try body(relay)
            for (name, count) in [("signature", 64), ("authorProof", 237)] {
                let text = good[name]?.stringValue ?? ""
                for index in 0..<count {
                    let answer = try await relay.fixture.post(
                        path(relay), good.replacing(name, .string(flipped(text, at: index))))
                    #expect(answer.status == 400, "\(name) \(index): \(answer.text)")
                }
            }
            #expect(try await relay.fixture.post(path(relay), good).status == 204)
        }
    }

    @Test func membersWithLiveDevicesOnly() async throws {
        try await withRelay { relay async throws in
            let eve = try await send(relay, as: DevAccount())
            #expect(eve.status == 403 && eve.error == "the account is not a member of this context")
            try relay.node.setRevoked(true, device: relay.ada.deviceId, namespace: relay.namespace)
            #expect(try await send(relay).error == "the device is revoked here")
            try relay.node.setRevoked(false, device: relay.ada.deviceId, namespace: relay.namespace)
            try relay.node.addMember(relay.ada.accountId, role: .readOnly, group: relay.namespace)
            #expect(try await send(relay).status == 204)
        }
    }

    @Test func sizeRateAndKey() async throws {
        try await withRelay(.relay { $0.relay.presenceInterval = 1 }) { relay async throws in
            let large = try await send(relay) { $0.state = Data(count: 16_385) }
            #expect(large.status == 413 && large.error == "the presence slice is too large: 16385 bytes")
            relay.node.setCondition(.groupKeyPending, context: relay.context)
            #expect(try await send(relay).error == "this relay holds no current key for the context")
            relay.node.setCondition(nil, context: relay.context)
            #expect(try await send(relay) { $0.state = Data(count: 16_384) }.status == 204)
            let busy = try await send(relay) { $0.sequence = 2 }
            #expect(busy.status == 429 && busy.error == "too many presence updates; slow down")
            relay.node.clock.advance(by: 1)
            #expect(try await send(relay) { $0.sequence = 2 }.status == 204)
        }
    }

    /// The published bytes, so that this node does not merely agree with itself.
    @Test func thePublishedVector() async throws {
        let statement = try PresenceStatement(
            context: String(repeating: "11", count: 32),
            author: try Hex.id("a09aa5f47a6759802ff955f8dc2d2a14a5c99d23be97f864127ff9383455a4f0", "author"),
            sequence: 7, sentAt: 1_700_000_000_000, state: Data(#"{"typing":true}"#.utf8))
        let signature =
            "40b4f2dcba6dd7d9896905336adf0dc9a8ef0ab95512d12289d540d6e1a1d3e7"
            + "9338b2f9c370644f0e64e6534630a678121c1d2a65d30598d3020442f9d0ca07"
        #expect(statement.isSigned(try Hex.decodeUnsized(signature, label: "signature")))
    }
}
