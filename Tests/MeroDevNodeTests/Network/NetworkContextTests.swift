import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Contexts and blobs between two nodes: who holds what, and what crosses when.
@Suite struct NetworkContextTests {
    /// Ada's namespace that bob has joined, with a context that both hold.
    private func together(
        _ options: DevNodeOptions = DevNodeOptions(),
        _ body: (DevNetwork, _ ada: Owner, _ bob: Owner, _ namespace: String, _ context: String) async throws -> Void
    ) async throws {
        try await withOwners(2, options) { network, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace()
            let context = try ada.node.createContext(KeyValueContract(), inGroup: id)
            try await set("first", "ada", context, ada)
            #expect(try await bob.join(id, try await ada.invitation(to: id)).status == 200)
            try await body(network, ada, bob, id, context)
        }
    }

    private func set(_ key: String, _ value: String, _ context: String, _ owner: Owner) async throws {
        let answer = try await owner.execute(context, "set", ["key": .string(key), "value": .string(value)])
        #expect(answer.output == .null, "\(answer.text)")
    }

    private func get(_ key: String, _ context: String, _ owner: Owner) async throws -> JsonTree? {
        try await owner.execute(context, "get", ["key": .string(key)]).output
    }

    // MARK: - Leaving and joining

    @Test func whoLeavesAContextHearsNothingAndCatchesUpOnReturn() async throws {
        try await together { _, ada, bob, id, context async throws in
            #expect(try await get("first", context, bob) == "ada")
            let left = try await bob.post("/contexts/\(context)/leave")
            #expect(left.data?["contextId"] == .string(context), "\(left.text)")
            #expect(bob.node.contextState(context) == nil)
            #expect(try await get("first", context, bob) == nil)
            #expect(try await bob.get("/groups/\(id)").status == 200, "still a member")
            #expect(try await bob.get("/groups/\(id)/contexts").data?.arrayValue?.count == 1)
            try await set("second", "ada", context, ada)
            #expect(bob.node.contextState(context) == nil, "nobody tells who does not listen")
            #expect(try await bob.post("/contexts/sync/\(context)").status == 404)
            let joined = try await bob.post("/contexts/\(context)/join")
            #expect(joined.data?["contextId"] == .string(context), "\(joined.text)")
            #expect(bob.node.contextState(context) == ["first": "ada", "second": "ada"])
            try await set("third", "bob", context, bob)
            #expect(try await get("third", context, ada) == "bob")
            // Once more changes nothing.
            #expect(try await bob.post("/contexts/\(context)/join").data == joined.data)
        }
    }

    @Test func onlyMembersJoinContexts() async throws {
        try await together(.with { $0.followsContexts = false }) { network, ada, bob, id, context async throws in
            let group = try await ada.subgroup(of: id)
            let secret = try ada.node.createContext(KeyValueContract(), inGroup: group)
            #expect(try await bob.post("/contexts/\(secret)/join").status == 403)
            network.isolate(bob.node)
            let alone = try await bob.post("/contexts/\(context)/join")
            #expect(alone.status == 503, "\(alone.text)")
            network.heal()
            #expect(try await bob.post("/contexts/\(context)/join").status == 200)
            #expect(try await ada.add(bob.account, to: group).status == 200)
            #expect(try await bob.post("/contexts/\(secret)/join").status == 200)
            #expect(bob.node.contextState(secret) == [:])
        }
    }

    @Test func syncOfOneAndOfAllBringsWhatWasMissed() async throws {
        try await together { network, ada, bob, id, context async throws in
            let other = try ada.node.createContext(KeyValueContract(), inGroup: id)
            for all in [false, true] {
                network.isolate(bob.node)
                try await set("apart", all ? "2" : "1", context, ada)
                try await set("apart", all ? "2" : "1", other, ada)
                // With nobody to ask a sync is no error, and brings nothing.
                #expect(try await bob.post("/contexts/sync/\(context)").status == 200)
                #expect(try await get("apart", context, bob) == (all ? "1" : .null))
                network.heal()
                let answer = try await bob.post(all ? "/contexts/sync" : "/contexts/sync/\(context)")
                #expect(answer.json == ["data": .null], "\(answer.text)")
                #expect(try await get("apart", context, bob) == (all ? "2" : "1"))
                #expect(try await get("apart", other, bob) == (all ? "2" : "1"))
            }
        }
    }

    @Test func whoLeavesTheNamespaceIsNobodyInIt() async throws {
        try await together { _, ada, bob, id, context async throws in
            #expect(try await bob.post("/namespaces/\(id)/leave").status == 200)
            #expect(try await ada.roles(in: id) == [ada.account: "Admin"])
            try await set("after", "ada", context, ada)
            #expect(try await get("after", context, bob) == nil)
            #expect(try await bob.post("/contexts/\(context)/join").status == 403)
            #expect(try await bob.join(id, try await ada.invitation(to: id)).status == 200)
            #expect(try await get("after", context, bob) == "ada")
        }
    }

    @Test func aContextDeletedOnOneSideStaysOnTheOther() async throws {
        try await together { _, ada, bob, _, context async throws in
            #expect(try await bob.delete("/contexts/\(context)").data?["isDeleted"] == true)
            #expect(bob.node.contextState(context) == nil)
            #expect(try await get("first", context, ada) == "ada")
        }
    }

    // MARK: - Blobs

    private func upload(_ data: Data, _ context: String?, _ owner: Owner) async throws -> String {
        let query = context.map { "?context_id=\($0)" } ?? ""
        let answer = try await owner.fixture.send(
            "PUT", "/admin-api/blobs\(query)",
            headers: [
                ("Authorization", "Bearer \(owner.token)"), ("Content-Type", "application/octet-stream"),
            ], body: data)
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.data?["blob_id"]?.stringValue)
    }

    private func blob(_ id: String, _ context: String?, _ owner: Owner, _ method: String = "GET") async throws -> Answer
    {
        let query = context.map { "?context_id=\($0)" } ?? ""
        return try await owner.fixture.call(method, "/admin-api/blobs/\(id)\(query)", token: owner.token)
    }

    @Test func blobsCrossWhereTheirContextDoes() async throws {
        try await together { network, ada, bob, id, context async throws in
            let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let shared = try await upload(content, context, ada)
            let kept = try await upload(Data("for nobody".utf8), nil, ada)
            let other = try ada.node.createContext(KeyValueContract(), inGroup: id)
            #expect(try await blob(shared, nil, bob).status == 404, "without a context nobody is asked")
            #expect(try await blob(shared, other, bob).status == 404, "it is for another one")
            #expect(try await blob(kept, context, bob).status == 404)
            network.isolate(bob.node)
            #expect(try await blob(shared, context, bob).status == 404)
            network.heal()
            let head = try await blob(shared, context, bob, "HEAD")
            #expect(head.headers["x-blob-source"] == "peer" && head.headers["content-length"] == "300000")
            #expect(bob.node.blobs.ids.contains(shared) == false, "a HEAD transfers nothing")
            let got = try await blob(shared, context, bob)
            #expect(got.body == content && got.headers["x-blob-source"] == "local")
            #expect(bob.node.blobs.ids.contains(shared))
            // From now on it is bob's, too: without ada, and to give away.
            network.isolate(ada.node)
            #expect(try await blob(shared, nil, bob).body == content)
            network.heal()
            let deleted = try await ada.delete("/blobs/\(shared)", nil)
            #expect(deleted.status == 200, "\(deleted.text)")
            #expect(try await blob(shared, nil, ada).status == 404)
            #expect(try await blob(shared, context, ada).body == content)
        }
    }

    @Test func whoIsNoMemberGetsNoBlob() async throws {
        try await together { _, ada, bob, id, _ async throws in
            let group = try await ada.subgroup(of: id)
            let secret = try ada.node.createContext(KeyValueContract(), inGroup: group)
            let stored = try await upload(Data("secret".utf8), secret, ada)
            #expect(try await blob(stored, secret, bob).status == 404)
            #expect(try await ada.add(bob.account, to: group).status == 200)
            #expect(try await blob(stored, secret, bob).text == "secret")
        }
    }

    @Test func peersAreCounted() async throws {
        try await withOwners(3) { network, owners async throws in
            func counts() async throws -> [JsonTree?] {
                var counts: [JsonTree?] = []
                for owner in owners { counts.append(try await owner.get("/peers").json["count"]) }
                return counts
            }
            #expect(try await counts() == [2, 2, 2])
            network.partition([[owners[0].node, owners[1].node], [owners[2].node]])
            #expect(try await counts() == [1, 1, 0])
            network.heal()
            #expect(try await counts() == [2, 2, 2])
        }
    }
}
