import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct SseSubscriptionTests {
    private let unknown = String(repeating: "0", count: 64)

    @Test func grantsAreWhatWasSubscribed() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let hidden = try node.createContext(KeyValueContract())
            node.setCondition(.notMember, context: hidden)
            let group = try node.createGroup()
            let token = node.mintTokens().accessToken
            let tap = try await SseTap.open(node, token: token)
            let answer = try await fixture.subscription(
                tap.sessionId, contexts: [unknown, hidden, context], groups: [unknown, group], token: token)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(
                answer.json == [
                    "result": ["status": "subscribed", "contexts": [.string(context)], "groups": [.string(group)]]
                ])
            let bare = try await fixture.post(
                "/sse/subscription", ["id": .string(tap.sessionId), "method": "subscribe", "params": [:]],
                token: token)
            #expect(bare.json == ["result": ["status": "subscribed", "contexts": [], "groups": []]])
            for expected in [[context], []] {
                let gone = try await fixture.subscription(
                    tap.sessionId, "unsubscribe", contexts: [context, unknown], groups: [group], token: token)
                #expect(
                    gone.json == [
                        "result": [
                            "status": "unsubscribed", "unsubscribed": JsonTree(expected),
                            "requested": [.string(context), .string(unknown)],
                        ]
                    ])
            }
            #expect(node.emit(.syncStatus(.idle), context: context) == 0)
            #expect(node.emit(.memberRemoved(account: unknown), group: group) == 0)
        }
    }

    @Test func everyRefusal() async throws {
        try await withNode { fixture async throws in
            let token = fixture.node.mintTokens().accessToken
            let tap = try await SseTap.open(fixture.node, token: token)
            let id = JsonTree.string(tap.sessionId)
            func send(_ tree: JsonTree) async throws -> Answer {
                try await fixture.post("/sse/subscription", tree, token: token)
            }
            func order(_ id: JsonTree, _ method: JsonTree = "subscribe", _ params: JsonTree = [:]) -> JsonTree {
                ["id": id, "method": method, "params": params]
            }
            for text in ["", "s1", "-1", "18446744073709551616", "1.0"] {
                let answer = try await send(order(.string(text)))
                #expect(answer.status == 400, "\(text)")
                #expect(answer.json == ["error": "Invalid Session Id"])
            }
            let another = String((UInt64(tap.sessionId) ?? 0) ^ 1)
            let missing = try await send(order(.string(another)))
            #expect(missing.status == 404)
            #expect(missing.json == ["error": "Session not found. Please reconnect to SSE endpoint first."])
            let stranger = try await fixture.post(
                "/sse/subscription", order(id), token: fixture.node.mintTokens().accessToken)
            #expect(stranger.status == 403)
            #expect(stranger.json == ["error": "Forbidden: not the session owner"])
            #expect(stranger.authError == nil)
            for tree in [
                order(id, "listen"), order(id, 1), order(id, "subscribe", .null), order(id, "subscribe", []),
                order(id, "subscribe", ["contexts": []]), order(id, "subscribe", ["contextIds": ["x"]]),
                order(id, "subscribe", ["groupIds": [.string("g" + unknown.dropFirst())]]),
                order(id, "subscribe", ["contextIds": [1]]), order(id, "subscribe", ["contextIds": "x"]),
                ["id": id, "method": "subscribe"], ["id": id, "params": [:]],
                ["id": id, "method": "subscribe", "params": [:], "more": 1],
            ] as [JsonTree] {
                let answer = try await send(tree)
                #expect(answer.status == 400, "\(tree.text)")
                #expect(answer.rpcType == "ParseError", "\(tree.text)")
                #expect(answer.rpcData?.stringValue?.isEmpty == false)
            }
            for tree in [order(1), order(.null), ["method": "subscribe"], [order(id)], "x"] as [JsonTree] {
                #expect(try await send(tree).status == 422, "\(tree.text)")
            }
            #expect(try await fixture.call("POST", "/sse/subscription", token: token, json: "{").status == 400)
            let untyped = try await fixture.send(
                "POST", "/sse/subscription", headers: [("Authorization", "Bearer \(token)")],
                body: order(id).data)
            #expect(untyped.status == 415)
            #expect(try await fixture.subscription(tap.sessionId, token: "nonsense").status == 401)
        }
    }

    @Test func aClientKeyStaysInItsContext() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let bound = try node.createContext(KeyValueContract())
            let other = try node.createContext(KeyValueContract())
            let group = try node.createGroup()
            let root = try await fixture.login().pair.accessToken
            func key(_ context: String) async throws -> String {
                try await fixture.post(
                    "/admin/client-key",
                    [
                        "context_id": .string(context), "context_identity": "i",
                        "permissions": ["context:subscribe"],
                    ], token: root
                ).pair.accessToken
            }
            let token = try await key(bound)
            let tap = try await SseTap.open(node, token: token)
            let answer = try await fixture.subscription(
                tap.sessionId, contexts: [other, bound], groups: [group], token: token)
            #expect(answer.json["result"]?["contexts"] == [.string(bound)])
            #expect(answer.json["result"]?["groups"] == [])
            // A second key with the same binding is the same principal; the owner and another binding are not.
            #expect(try await fixture.subscription(tap.sessionId, token: try await key(bound)).status == 200)
            #expect(try await fixture.subscription(tap.sessionId, token: try await key(other)).status == 403)
            #expect(try await fixture.subscription(tap.sessionId, token: root).status == 403)
        }
    }

    @Test func allOwnerLoginsShareASession() async throws {
        try await withNode { fixture async throws in
            let first = try await fixture.login().pair.accessToken
            let second = try await fixture.login().pair.accessToken
            let tap = try await SseTap.open(fixture.node, token: first)
            #expect(try await fixture.subscription(tap.sessionId, token: second).status == 200)
        }
    }

    @Test func losingMembershipPrunesWithoutAFrame() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let group = try node.createGroup()
            let governed = try node.createContext(KeyValueContract())
            let free = try node.createContext(KeyValueContract())
            try node.assign(context: governed, toGroup: group)
            let token = node.mintTokens().accessToken
            let tap = try await fixture.listen(contexts: [governed, free], groups: [group], token: token)
            try node.removeMember(node.accountId, group: group)
            _ = try await fixture.execute(governed, "set", ["key": "a", "value": "1"], token: token)
            node.emit(.syncStatus(.idle), context: free)
            #expect(await tap.has(frames: 3))
            #expect(tap.types == ["MemberRemoved", "SyncStatus"])
            let session = try await fixture.call("GET", "/sse/session/\(tap.sessionId)", token: token)
            #expect(session.json["result"]?["subscriptions"] == [.string(free)])
            let again = try await fixture.subscription(
                tap.sessionId, contexts: [governed], groups: [group], token: token)
            #expect(again.json["result"] == ["status": "subscribed", "contexts": [], "groups": []])
        }
    }
}
