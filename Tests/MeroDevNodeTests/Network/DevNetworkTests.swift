import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct DevNetworkTests {
    /// Two people in one namespace with one context.
    private func together(
        _ options: DevNodeOptions = DevNodeOptions(),
        _ body: (DevNetwork, _ ada: Owner, _ bob: Owner, _ namespace: String, _ context: String) async throws -> Void
    ) async throws {
        try await withOwners(2, options) { network, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace()
            let context = try ada.node.createContext(KeyValueContract(), inGroup: id)
            #expect(try await ada.execute(context, "set", ["key": "first", "value": "ada"]).output == .null)
            let joined = try await bob.join(id, try await ada.invitation(to: id))
            try #require(joined.status == 200, "\(joined.text)")
            try await body(network, ada, bob, id, context)
        }
    }

    private func root(_ owner: Owner, _ context: String) -> [UInt8]? {
        owner.node.core.contexts[context]?.read { $0.root }
    }

    @Test func writesAndEventsCross() async throws {
        try await together { _, ada, bob, _, context async throws in
            #expect(try await bob.execute(context, "get", ["key": "first"]).output == "ada")
            let taps = [
                try await ada.fixture.listen(contexts: [context], token: ada.token),
                try await bob.fixture.listen(contexts: [context], token: bob.token),
            ]
            #expect(try await bob.execute(context, "set", ["key": "k", "value": "bob"]).output == .null)
            #expect(try await ada.execute(context, "get", ["key": "k"]).output == "bob")
            #expect(try await ada.execute(context, "set", ["key": "k", "value": "ada"]).output == .null)
            #expect(try await bob.execute(context, "get", ["key": "k"]).output == "ada")
            #expect(try await ada.execute(context, "remove", ["key": "first"]).output == "ada")
            #expect(try await bob.execute(context, "get", ["key": "first"]).output == .null)
            #expect(root(ada, context) == root(bob, context))
            for tap in taps {
                #expect(await tap.has(frames: 4))
                #expect(tap.types == ["StateMutation", "StateMutation", "StateMutation"])
                let kinds = tap.events.map { $0.result["data"]?["events"]?.arrayValue?.first?["kind"] }
                #expect(kinds == ["Inserted", "Updated", "Removed"])
                #expect(tap.events.last?.result["data"]?["newRoot"] == .string(Hex.encode(root(ada, context) ?? [])))
            }
            #expect(taps[0].events.map(\.result) == taps[1].events.map(\.result))
        }
    }

    @Test func contextsThatComeLater() async throws {
        try await together { _, ada, bob, id, _ async throws in
            let later = try ada.node.createContext(ProbeContract(), inGroup: id)
            #expect(try await bob.execute(later, "increment").output == 1)
            #expect(try await ada.execute(later, "increment").output == 2)
            let mine = try bob.node.createContext(KeyValueContract(), inGroup: id)
            #expect(try await ada.execute(mine, "set", ["key": "k", "value": "v"]).output == .null)
            #expect(bob.node.contextState(mine) == ["k": "v"])
        }
    }

    @Test func contextsThatHaveToBeJoined() async throws {
        try await together(.with { $0.followsContexts = false }) { _, ada, bob, id, context in
            #expect(try await bob.get("/groups/\(id)/contexts").data == [["contextId": .string(context)]])
            #expect(try await bob.execute(context, "get", ["key": "first"]).rpcType == "ContextNotFound")
            #expect(try bob.node.followContext(context))
            #expect(try await bob.execute(context, "get", ["key": "first"]).output == "ada")
            let path = "/groups/\(id)/members/\(bob.account)/auto-follow"
            let follows: JsonTree = ["autoFollowContexts": true, "autoFollowSubgroups": true]
            #expect(try await bob.put(path, follows).status == 200)
            let later = try ada.node.createContext(KeyValueContract(), inGroup: id)
            #expect(try await bob.execute(later, "len").output == 0)
            #expect(throws: DevNodeError.self) { try bob.node.followContext(Owner.unknown) }
        }
    }

    @Test func whoIsInWhatIsHeardByBoth() async throws {
        try await together { _, ada, bob, id, _ async throws in
            let cleo = String(repeating: "c", count: 64)
            let taps = [
                try await ada.fixture.listen(groups: [id], token: ada.token),
                try await bob.fixture.listen(groups: [id], token: bob.token),
            ]
            #expect(try await ada.add(cleo, "ReadOnly", to: id).status == 200)
            #expect(try await ada.put("/groups/\(id)/members/\(bob.account)/role", ["role": "Admin"]).status == 200)
            #expect(try await bob.roles(in: id)[bob.account] == "Admin")
            let remove: JsonTree = ["members": [.string(cleo)]]
            #expect(try await bob.post("/groups/\(id)/members/remove", remove).status == 200, "bob is an admin now")
            #expect(try await ada.roles(in: id)[cleo] == nil)
            for tap in taps {
                #expect(await tap.has(frames: 3))
                #expect(tap.types == ["MemberAdded", "MemberRemoved"])
                #expect(
                    tap.events.first?.result["data"] == ["memberAccount": .string(cleo), "role": "ReadOnly"])
                #expect(tap.events.last?.result["data"] == ["memberAccount": .string(cleo)])
                #expect(tap.events.last?.result["groupId"] == .string(id))
            }
        }
    }

    @Test func theJoinIsHeard() async throws {
        try await withOwners { _, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace()
            let tap = try await ada.fixture.listen(groups: [id], token: ada.token)
            #expect(try await bob.join(id, try await ada.invitation(to: id)).status == 200)
            #expect(await tap.has(frames: 2))
            #expect(
                tap.events.first?.result == [
                    "groupId": .string(id), "type": "MemberJoined",
                    "data": ["memberAccount": .string(bob.account), "role": "Member"],
                ])
        }
    }

    @Test func whoIsRemovedHearsThatAndNothingMore() async throws {
        try await together { _, ada, bob, id, context async throws in
            let tap = try await bob.fixture.listen(contexts: [context], groups: [id], token: bob.token)
            let remove: JsonTree = ["members": [.string(bob.account)]]
            #expect(try await ada.post("/groups/\(id)/members/remove", remove).status == 200)
            #expect(try await ada.execute(context, "set", ["key": "secret", "value": "x"]).output == .null)
            #expect(await tap.has(frames: 2))
            #expect(tap.types == ["MemberRemoved"])
            #expect(bob.node.contextState(context)?["secret"] == nil)
            let refused = try await bob.execute(context, "get", ["key": "first"])
            #expect(refused.rpcData == "Caller is not a member of this context")
            #expect(try await bob.get("/groups/\(id)").status == 403)
            #expect(try await ada.add(bob.account, to: id).status == 200)
            #expect(try await bob.execute(context, "get", ["key": "first"]).output == "ada")
            #expect(try await ada.execute(context, "set", ["key": "k", "value": "again"]).output == .null)
            #expect(try await bob.execute(context, "get", ["key": "k"]).output == "again")
        }
    }

    @Test func readersDoNotWrite() async throws {
        try await together { _, ada, bob, id, context async throws in
            let path = "/groups/\(id)/members/\(bob.account)/role"
            #expect(try await ada.put(path, ["role": "ReadOnly"]).status == 200)
            let refused = try await bob.execute(context, "set", ["key": "k", "value": "v"])
            #expect(refused.rpcType == "ReadOnlyWriteRefused")
            #expect(try await bob.execute(context, "get", ["key": "first"]).output == "ada")
            #expect(try await ada.put(path, ["role": "Member"]).status == 200)
            #expect(try await bob.execute(context, "set", ["key": "k", "value": "v"]).output == .null)
        }
    }

    @Test func restrictedGroupsStayAmongTheirMembers() async throws {
        try await together { _, ada, bob, id, _ async throws in
            let group = try await ada.subgroup(of: id)
            let context = try ada.node.createContext(KeyValueContract(), inGroup: group)
            #expect(bob.node.contextState(context) == nil)
            #expect(try await bob.get("/groups/\(group)").status == 403)
            let path = "/groups/\(group)/settings/subgroup-visibility"
            #expect(try await ada.put(path, ["subgroupVisibility": "open"]).status == 200)
            #expect(try await bob.get("/groups/\(group)").status == 200)
            #expect(try await bob.execute(context, "len").output == 0)
        }
    }

    // MARK: - Apart

    @Test func whatHappenedApartComesTogether() async throws {
        try await together { network, ada, bob, id, context async throws in
            let tap = try await bob.fixture.listen(contexts: [context], groups: [id], token: bob.token)
            network.isolate(bob.node)
            #expect(try await ada.execute(context, "set", ["key": "a", "value": "ada"]).output == .null)
            #expect(try await bob.execute(context, "set", ["key": "b", "value": "bob"]).output == .null)
            #expect(try await ada.execute(context, "set", ["key": "both", "value": "1"]).output == .null)
            #expect(try await ada.execute(context, "set", ["key": "both", "value": "2"]).output == .null)
            #expect(try await bob.execute(context, "set", ["key": "both", "value": "other"]).output == .null)
            let cleo = String(repeating: "c", count: 64)
            #expect(try await ada.add(cleo, to: id).status == 200)
            #expect(try await bob.execute(context, "get", ["key": "a"]).output == .null)
            #expect(try await bob.roles(in: id)[cleo] == nil)
            network.heal()
            #expect(root(ada, context) == root(bob, context))
            #expect(ada.node.contextState(context) == bob.node.contextState(context))
            #expect(ada.node.contextState(context)?["both"] == "2", "the later one of two")
            #expect(ada.node.contextState(context)?["b"] == "bob")
            #expect(try await bob.roles(in: id)[cleo] == "Member")
            #expect(await eventually { tap.types.contains("MemberAdded") })
            #expect(
                try await ada.get("/groups/\(id)").data?["groupStateHash"]
                    == (try await bob.get("/groups/\(id)").data?["groupStateHash"]))
        }
    }

    @Test func bothSidesChangeAGroup() async throws {
        try await together { network, ada, bob, id, _ async throws in
            #expect(try await ada.put("/groups/\(id)/members/\(bob.account)/role", ["role": "Admin"]).status == 200)
            network.partition([[ada.node], [bob.node]])
            let (cleo, dan) = (String(repeating: "c", count: 64), String(repeating: "d", count: 64))
            #expect(try await ada.add(cleo, to: id).status == 200)
            #expect(try await bob.add(dan, to: id).status == 200)
            #expect(try await bob.put("/groups/\(id)/metadata", ["name": "bob's"]).status == 200)
            network.heal()
            for owner in [ada, bob] {
                let roles = try await owner.roles(in: id)
                #expect(Set(roles.keys) == [ada.account, bob.account, cleo, dan])
                #expect(try await owner.get("/namespaces/\(id)").data?["name"] == "bob's")
            }
        }
    }

    @Test func aGroupDeletedFarAwayIsGone() async throws {
        try await together { network, ada, bob, id, _ async throws in
            let group = try await ada.subgroup(of: id, visibility: "open")
            let context = try ada.node.createContext(KeyValueContract(), inGroup: group)
            #expect(bob.node.contextState(context) == [:])
            network.isolate(bob.node)
            #expect(try await ada.delete("/groups/\(group)").status == 200)
            #expect(try await bob.get("/groups/\(group)").status == 200)
            network.heal()
            #expect(try await bob.get("/groups/\(group)").status == 404)
            #expect(bob.node.contextState(context) == nil)
        }
    }

    @Test func aNodeThatWasStoppedCatchesUp() async throws {
        try await withFolder { folder in
            try await withOwners(1) { network, owners async throws in
                let ada = owners[0]
                let node = try await DevNode.start(
                    .with {
                        $0.network = network
                        $0.dataDirectory = folder
                    })
                let id = try await ada.namespace()
                let context = try ada.node.createContext(KeyValueContract(), inGroup: id)
                #expect(try await Owner(node).join(id, try await ada.invitation(to: id)).status == 200)
                try await node.refuseConnections(true)
                #expect(try await ada.execute(context, "set", ["key": "k", "value": "1"]).output == .null)
                try await node.restart()
                #expect(try await Owner(node).execute(context, "get", ["key": "k"]).output == "1")
                await node.stop()
                #expect(try await ada.execute(context, "set", ["key": "k", "value": "2"]).output == .null)
                let again = try await DevNode.start(
                    .with {
                        $0.network = network
                        $0.dataDirectory = folder
                    })
                #expect(again.nodeKey == node.nodeKey)
                #expect(try await Owner(again).execute(context, "get", ["key": "k"]).output == "2")
                #expect(try await Owner(again).execute(context, "set", ["key": "k", "value": "3"]).output == .null)
                #expect(try await ada.execute(context, "get", ["key": "k"]).output == "3")
                await again.stop()
            }
        }
    }

    @Test func threeNodesAndNobodyIsLeftOut() async throws {
        try await withOwners(3) { network, owners async throws in
            let id = try await owners[0].namespace()
            let context = try owners[0].node.createContext(ProbeContract(), inGroup: id)
            for owner in owners.dropFirst() {
                #expect(try await owner.join(id, try await owners[0].invitation(to: id)).status == 200)
            }
            network.isolate(owners[2].node)
            #expect(try await owners[1].execute(context, "increment").output == 1)
            network.partition([[owners[1].node]])
            // The third gets it from the first, although the one who wrote it is away.
            #expect(try await owners[2].execute(context, "count").output == 1)
            network.heal()
            #expect(try await owners[2].execute(context, "increment").output == 2)
            for owner in owners { #expect(try await owner.execute(context, "count").output == 2) }
        }
    }

    @Test func manyWritersAtOnce() async throws {
        try await together { _, ada, bob, _, context async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    let owner = number.isMultiple(of: 2) ? ada : bob
                    group.addTask {
                        let answer = try await owner.execute(
                            context, "set", ["key": .string("k\(number % 7)"), "value": .string("\(number)")])
                        #expect(answer.output == .null, "\(answer.text)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(ada.node.contextState(context) == bob.node.contextState(context))
            #expect(root(ada, context) == root(bob, context))
            #expect(ada.node.contextState(context)?.count == 8)
        }
    }

    // MARK: - Presence

    @Test func presenceCrossesAndFades() async throws {
        try await together { network, ada, bob, _, context async throws in
            let tap = try await bob.fixture.listen(contexts: [context], token: bob.token)
            let answer = try await ada.fixture.post(
                "/jsonrpc",
                [
                    "jsonrpc": "2.0", "id": 1, "method": "set_ephemeral",
                    "params": ["contextId": .string(context), "state": [1, 2]],
                ], token: ada.token)
            #expect(answer.json["result"] == [:])
            #expect(await tap.has(frames: 2))
            let event = try #require(tap.events.first?.result)
            #expect(event["type"] == "Ephemeral")
            #expect(event["data"]?["author"] == .string(ada.node.executor(inContext: context) ?? ""))
            #expect(event["data"]?["state"] == [1, 2])
            network.isolate(ada.node)
            bob.node.clock.advance(by: 7)
            #expect(await tap.has(frames: 3))
            #expect(tap.events.last?.result["data"]?["removed"] == true)
            network.heal()
            #expect(await tap.has(frames: 4))
            #expect(tap.events.last?.result["data"]?["state"] == [1, 2])
        }
    }

    @Test func anAccountsWriteThroughARelayReachesTheOthers() async throws {
        try await together { _, ada, bob, id, context async throws in
            try ada.node.admit(bob.node, to: id)
            let cleo = try DevAccount()
            try ada.node.setAuthorship(true, group: id)
            try ada.node.addMember(cleo.accountId, group: id)
            let tap = try await bob.fixture.listen(contexts: [context], token: bob.token)
            let described = try await ada.get("/contexts/\(context)/intents").data
            let warrant = try Warrants.signWarrant(
                Warrants.WarrantInput(
                    context: context, authorAccount: cleo.accountId,
                    executor: described?["executorAccount"]?.stringValue ?? "",
                    executorKey: described?["executorKey"]?.stringValue ?? "",
                    releaseBytecodeId: described?["releaseBytecodeId"]?.stringValue ?? "",
                    releaseVersion: described?["releaseVersion"]?.stringValue ?? "", method: "set",
                    argsJson: ["key": "cleo", "value": "here"], nonce: 1,
                    notAfter: UInt64(Date().timeIntervalSince1970) + 60), keys: cleo.keys)
            let answer = try await ada.post(
                "/contexts/\(context)/intents",
                [
                    "method": "set", "argsJson": ["key": "cleo", "value": "here"], "warrant": .string(warrant),
                    "authorProof": .string(cleo.credential),
                ])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await bob.execute(context, "get", ["key": "cleo"]).output == "here")
            #expect(await tap.has(frames: 2))
        }
    }

    @Test func faultsStrikeTheseRoutesToo() async throws {
        try await together { _, ada, bob, id, _ async throws in
            bob.node.inject(.status(503, body: Data("{\"error\":\"busy\"}".utf8)), on: "GET /admin-api/groups/*")
            #expect(try await bob.get("/groups/\(id)").status == 503)
            #expect(try await bob.get("/groups/\(id)").status == 200)
            #expect(try await ada.get("/groups/\(id)").status == 200)
        }
    }
}
