import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct NonceTests {
    private static let spent = "this warrant's nonce has already been spent by this author device"

    @Test func aNonceIsSpentOnce() async throws {
        try await withRelay { relay async throws in
            let warrant = try relay.warrant(nonce: 7)
            #expect(try await relay.post(relay.body(warrant: warrant)).status == 200)
            let again = try await relay.post(relay.body(warrant: warrant))
            #expect(again.status == 403)
            #expect(again.json == ["error": .string(Self.spent)])
            // Another warrant does not make it a new one.
            #expect(try await relay.write("set", ["key": "k", "value": "other"], nonce: 7).error == Self.spent)
            #expect(relay.node.contextState(relay.context) == ["k": "v"])
            #expect(relay.node.delegatedWrites.count == 1)
        }
    }

    @Test func theWindowIsSixtyFourWide() async throws {
        try await withRelay { relay async throws in
            func status(_ nonce: UInt64) async throws -> Int { try await relay.write(nonce: nonce).status }
            #expect(try await status(0) == 200)
            #expect(try await status(100) == 200)
            #expect(try await status(36) == 200)
            #expect(try await status(35) == 403)
            #expect(try await status(99) == 200)
            #expect(try await status(99) == 403)
            #expect(try await status(36) == 403)
            #expect(try await status(.max) == 200)
            #expect(try await status(.max) == 403)
            #expect(try await status(.max - 64) == 200)
            #expect(try await status(.max - 65) == 403)
            #expect(relay.mark() == .max)
        }
    }

    @Test func ledgersAreApart() async throws {
        try await withRelay { relay async throws in
            let second = try relay.node.createContext(KeyValueContract(), inGroup: relay.namespace)
            #expect(try await relay.write(nonce: 5).status == 200)
            let elsewhere = try relay.warrant(nonce: 5) { input in
                input.context = second
                input.executorKey = relay.node.executor(inContext: second) ?? ""
            }
            let answer = try await relay.fixture.post(
                "/admin-api/contexts/\(second)/intents", relay.body(warrant: elsewhere))
            #expect(answer.status == 200)
            #expect(relay.governanceMark() == nil)
        }
    }

    @Test func atOnceOnlyOneApplies() async throws {
        try await withRelay(contract: ProbeContract()) { relay async throws in
            let body = relay.body("increment", [:], warrant: try relay.warrant("increment", [:]))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await relay.post(body).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 403 }.count == 7)
            #expect(relay.node.contextState(relay.context) == ["count": 1])
        }
    }

    @Test func aLostAnswerHasSpentTheNonce() async throws {
        try await withRelay { relay async throws in
            let body = relay.body(warrant: try relay.warrant())
            relay.node.inject(.cutAfterHandler, on: DevRouteMatch("POST", relay.path))
            await #expect(throws: (any Error).self) { try await relay.post(body) }
            #expect(relay.node.handlerRuns("POST", relay.path) == 1)
            #expect(relay.node.contextState(relay.context) == ["k": "v"])
            #expect(try await relay.post(body).error == Self.spent)

            relay.node.inject(.cutBeforeHandler, on: DevRouteMatch("POST", relay.path))
            let next = relay.body(warrant: try relay.warrant(nonce: 2))
            await #expect(throws: (any Error).self) { try await relay.post(next) }
            #expect(relay.mark() == 1)
            relay.node.inject(.status(429, retryAfter: "1"), on: DevRouteMatch("POST", relay.path))
            let busy = try await relay.post(next)
            #expect(busy.status == 429 && busy.headers["retry-after"] == "1")
            #expect(try await relay.post(next).status == 200)
        }
    }

    @Test func ledgersOutliveTheProcess() async throws {
        try await withFolder { folder async throws in
            try await withRelay(.relay { $0.dataDirectory = folder }) { relay async throws in
                for nonce in [UInt64(9_007_199_254_740_993), 9_007_199_254_740_990] {
                    #expect(try await relay.write(nonce: nonce).status == 200)
                }
                let account = relay.node.accountId
                let key = relay.node.nodeKey
                try await relay.node.restart()
                #expect(relay.node.accountId == account && relay.node.nodeKey == key)
                #expect(relay.mark() == 9_007_199_254_740_993)
                #expect(try await relay.write(nonce: 9_007_199_254_740_990).error == Self.spent)
                #expect(try await relay.write(nonce: 9_007_199_254_740_993).error == Self.spent)
                #expect(try await relay.write(nonce: 9_007_199_254_740_991).status == 200)
                #expect(relay.node.members(group: relay.namespace)?[relay.ada.accountId] == .member)
            }
        }
    }

    // MARK: - What older nodes told

    @Test func thisReleaseTellsNobody() async throws {
        try await withRelay { relay async throws in
            let session = try await relay.session()
            let path = "/admin-api/contexts/\(relay.context)/warrant-nonce"
            let body: JsonTree = ["authorProof": .string(relay.ada.credential)]
            #expect(try await relay.fixture.post(path, body, token: session).status == 404)
            let owner = relay.node.mintTokens().accessToken
            #expect(
                try await relay.fixture.call("GET", path + "/" + relay.ada.keys.signPublicKey, token: owner).status
                    == 404)
        }
    }

    @Test func anOlderNodeTellsTheDevice() async throws {
        try await withRelay(.relay { $0.relay = .older }) { relay async throws in
            let session = try await relay.session()
            let path = "/admin-api/contexts/\(relay.context)/warrant-nonce"
            func ask(_ proof: String? = nil, token: String? = nil) async throws -> Answer {
                try await relay.fixture.post(
                    path, ["authorProof": .string(proof ?? relay.ada.credential)], token: token ?? session)
            }
            let key = JsonTree.string(relay.ada.keys.signPublicKey)
            #expect(
                try await ask().data == [
                    "contextId": .string(relay.context), "authorDeviceKey": key, "seen": false, "windowWidth": 64,
                    "nextNonce": 0,
                ])
            #expect(try await relay.write(nonce: 9_007_199_254_740_993).status == 200)
            let seen = try await ask().data
            #expect(seen?["highWaterNonce"]?.integer(UInt64.self) == 9_007_199_254_740_993)
            #expect(seen?["nextNonce"]?.integer(UInt64.self) == 9_007_199_254_740_994)
            try relay.node.spend(.max, ofDeviceKey: relay.ada.keys.signPublicKey, context: relay.context)
            let last = try await ask().data
            #expect(last?["nextNonce"] == nil && last?["seen"] == true)
            #expect(last?["highWaterNonce"]?.integer(UInt64.self) == .max)
            for proof in [try DevAccount().credential, flipped(relay.ada.credential, at: 200), "zz"] {
                let refused = try await ask(proof)
                #expect(refused.status == 403)
                #expect(refused.error == "authorProof is not a valid credential for the authenticated account")
            }
            let owner = relay.node.mintTokens().accessToken
            #expect(try await ask(token: owner).error == "this endpoint requires an account-authenticated session")
            let found = try await relay.fixture.call(
                "GET", path + "/" + relay.ada.keys.signPublicKey, token: owner)
            #expect(found.data?["authorDeviceKey"] == key)
            #expect(
                try await relay.fixture.call("GET", path + "/" + relay.ada.keys.signPublicKey, token: session).status
                    == 403)
        }
    }
}
