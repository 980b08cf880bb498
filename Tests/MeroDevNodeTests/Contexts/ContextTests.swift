import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct ContextTests {
    private static let zeros = String(repeating: "0", count: 64)

    private func ids(_ answer: Answer) -> [String] {
        (answer.data?["contexts"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    @Test func pages() async throws {
        try await withNode { fixture async throws in
            let namespace = try fixture.node.createNamespace()
            let all = try (0..<105).map { _ in try fixture.node.createContext(KeyValueContract(), inGroup: namespace) }
            func page(_ query: String) async throws -> [String] {
                let answer = try await fixture.admin("GET", "/contexts" + query)
                #expect(answer.status == 200)
                return ids(answer)
            }
            #expect(try await page("") == Array(all.prefix(100)))
            #expect(try await page("?limit=1000") == all)
            #expect(try await page("?limit=5000") == all)
            #expect(try await page("?limit=18446744073709551615") == all)
            #expect(try await page("?offset=100") == Array(all.suffix(5)))
            #expect(try await page("?offset=3&limit=2") == Array(all[3..<5]))
            #expect(try await page("?offset=105") == [])
            #expect(try await page("?offset=18446744073709551615") == [])
            #expect(try await page("?limit=0") == [])
            for query in ["?limit=-1", "?limit=ten", "?offset=1.5", "?offset=", "?limit"] {
                try await fixture.admin("GET", "/contexts" + query).expectText(400)
            }
            let application = DevNode.applicationId(of: KeyValueContract())
            #expect(ids(try await fixture.admin("GET", "/contexts/for-application/\(application)")) == all)
            #expect(ids(try await fixture.admin("GET", "/contexts/for-application/\(SomeId.first)")) == [])
        }
    }

    @Test func whatIsToldOfAContext() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let namespace = try node.createNamespace()
            let context = try node.createContext(KeyValueContract(), inGroup: namespace)
            let loose = try node.createContext(ProbeContract())
            let listed = try await fixture.admin("GET", "/contexts")
            let rows = try #require(listed.data?["contexts"]?.arrayValue)
            #expect(rows.count == 2)
            // Nothing has happened there: no heads, and a hash that is not the one of a context without state.
            #expect(
                rows[0].names == ["id", "applicationId", "contextStateHash", "applicationVersion", "groupId"])
            #expect(rows[0]["groupId"] == .string(namespace))
            #expect(rows[1].names == ["id", "applicationId", "contextStateHash"])
            let fresh = rows[0]["contextStateHash"]?.stringValue ?? ""
            #expect(Hex.decode(fresh)?.count == 32 && fresh != Self.zeros)
            let one = try await fixture.admin("GET", "/contexts/\(context)")
            #expect(one.data == rows[0].replacing("groupId", nil))
            #expect(try await fixture.admin("GET", "/contexts/\(context.uppercased())").json == one.json)
            _ = try await fixture.execute(
                context, "set", ["key": "k", "value": "v"], token: fixture.token("admin"))
            let later = try #require(try await fixture.admin("GET", "/contexts/\(context)").data)
            let hash = try #require(later["contextStateHash"]?.stringValue)
            #expect(hash != fresh)
            let heads = try #require(later["dagHeads"]?.arrayValue)
            let bytes = heads.map { ($0.arrayValue ?? []).compactMap { $0.integer(UInt8.self) } }
            #expect(bytes == [try #require(Hex.decode(hash))])
            node.setCondition(.uninitialized, context: context)
            let waiting = try await fixture.admin("GET", "/contexts/\(context)")
            #expect(waiting.data?["contextStateHash"] == .string(Self.zeros))
            #expect(waiting.data?["dagHeads"] == nil)
            #expect(
                try await fixture.admin("GET", "/contexts/\(context)/group").json == ["data": .string(namespace)])
            #expect(try await fixture.admin("GET", "/contexts/\(loose)/group").json == ["data": .null])
            for path in ["", "/group", "/identities", "/identities-owned"] {
                try await fixture.admin("GET", "/contexts/\(SomeId.first)\(path)").expectError(404, "Context not found")
            }
        }
    }

    @Test func storage() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            func size(_ id: String) async throws -> Int? {
                let answer = try await fixture.admin("GET", "/contexts/\(id)/storage")
                #expect(answer.data?.names == ["sizeInBytes"])
                return answer.data?["sizeInBytes"]?.integer(Int.self)
            }
            #expect(try await size(SomeId.first) == 0)
            #expect(try await size(context) == 0)
            _ = try await fixture.execute(
                context, "set", ["key": "k", "value": .string(String(repeating: "v", count: 100))],
                token: fixture.token("admin"))
            #expect(try #require(try await size(context)) >= 101)
        }
    }

    @Test func executorsOfAnApplication() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            try fixture.node.createContext(ProbeContract())
            let application = DevNode.applicationId(of: KeyValueContract())
            let answer = try await fixture.admin("GET", "/contexts/with-executors/for-application/\(application)")
            let rows = try #require(answer.json["contexts"]?.arrayValue)
            #expect(answer.json.names == ["contexts"])
            #expect(rows.count == 1)
            #expect(rows.first?.names == ["id", "application_id", "contextStateHash", "executors"])
            #expect(rows.first?["id"] == .string(context))
            #expect(rows.first?["application_id"] == .string(application))
            #expect(rows.first?["executors"]?.strings == [fixture.node.executor(inContext: context) ?? ""])
        }
    }

    @Test func identities() async throws {
        try await withNode(.with { $0.delegatedAccess = true }) { fixture async throws in
            let node = fixture.node
            let ada = try DevAccount()
            let namespace = try node.createNamespace(members: [ada.accountId: .member])
            let context = try node.createContext(KeyValueContract(), inGroup: namespace)
            try node.enrol(credential: ada.credential)
            let mine = node.executor(inContext: context) ?? ""
            let members = try await fixture.admin("GET", "/contexts/\(context)/identities")
            #expect(members.data?.names == ["identities", "identitiesOf"])
            #expect(members.data?["identities"]?.strings == [mine, ada.keys.signPublicKey])
            #expect(members.data?["identitiesOf"] == "members")
            let owned = try await fixture.admin("GET", "/contexts/\(context)/identities-owned")
            #expect(owned.json == ["data": ["identities": [.string(mine)], "identitiesOf": "node"]])
            let token = try await fixture.accountToken(ada)
            let hers = try await fixture.admin("GET", "/contexts/\(context)/identities-owned", token: token)
            #expect(
                hers.json == ["data": ["identities": [.string(ada.keys.signPublicKey)], "identitiesOf": "caller"]])
            let made = try await fixture.admin("POST", "/identity/context", "{}")
            #expect(made.data?.names == ["publicKey"])
            #expect(Hex.decode(made.data?["publicKey"]?.stringValue ?? "")?.count == 32)
            #expect(try await fixture.admin("POST", "/identity/context").json != made.json)
        }
    }

    @Test func anAccountSeesItsGroupsContextsOnly() async throws {
        try await withNode(.with { $0.delegatedAccess = true }) { fixture async throws in
            let node = fixture.node
            let ada = try DevAccount()
            let hers = try node.createNamespace(members: [ada.accountId: .member])
            let other = try node.createNamespace()
            let context = try node.createContext(KeyValueContract(), inGroup: hers)
            let hidden = try node.createContext(KeyValueContract(), inGroup: other)
            let token = try await fixture.accountToken(ada)
            let application = DevNode.applicationId(of: KeyValueContract())
            #expect(ids(try await fixture.admin("GET", "/contexts", token: token)) == [context])
            for path in ["for-application", "with-executors/for-application"] {
                let refused = try await fixture.admin("GET", "/contexts/\(path)/\(application)", token: token)
                #expect(refused.authError == "permission_denied")
            }
            for path in ["", "/group", "/identities", "/identities-owned", "/storage"] {
                #expect(try await fixture.admin("GET", "/contexts/\(context)\(path)", token: token).status == 200)
                try await fixture.admin("GET", "/contexts/\(hidden)\(path)", token: token).expectError(403)
            }
            // A session holds no scope that changes anything here.
            for (method, path) in [("POST", "/contexts/\(context)/leave"), ("DELETE", "/contexts/\(context)")] {
                #expect(
                    try await fixture.admin(method, path, "{}", token: token).authError == "permission_denied")
            }
        }
    }

    // MARK: - Coming and going

    @Test func deletion() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let namespace = try node.createNamespace()
            let context = try node.createContext(KeyValueContract(), inGroup: namespace)
            try await fixture.admin("DELETE", "/contexts/\(SomeId.first)").expectError(404, "Context not found")
            try await fixture.admin("DELETE", "/contexts/\(context)", #"{"surplus":1}"#).expectText(422)
            let answer = try await fixture.admin("DELETE", "/contexts/\(context)")
            #expect(answer.json == ["data": ["isDeleted": true]])
            try await fixture.admin("DELETE", "/contexts/\(context)", "{}").expectError(404, "Context not found")
            #expect(node.contexts.isEmpty)
            #expect(node.contexts(ofGroup: namespace) == [])
            let gone = try await fixture.execute(context, "len", token: fixture.token("admin"))
            #expect(gone.rpcType == "ContextNotFound")
        }
    }

    @Test func leavingAndJoining() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let namespace = try node.createNamespace()
            let first = try node.createContext(KeyValueContract(), inGroup: namespace)
            let second = try node.createContext(KeyValueContract(), inGroup: namespace)
            let token = fixture.token("admin")
            _ = try await fixture.execute(first, "set", ["key": "k", "value": "v"], token: token)
            let key = JsonTree.string(node.executor(inContext: first) ?? "")
            let membership: JsonTree = ["data": ["contextId": .string(first), "memberPublicKey": key]]
            // To join where one is already changes nothing.
            #expect(try await fixture.admin("POST", "/contexts/\(first)/join", "{}").json == membership)
            let left = try await fixture.admin("POST", "/contexts/\(first)/leave", #"{"why":["ever"]}"#)
            #expect(left.json == membership)
            #expect(ids(try await fixture.admin("GET", "/contexts")) == [second])
            try await fixture.admin("GET", "/contexts/\(first)").expectError(404, "Context not found")
            try await fixture.admin("POST", "/contexts/\(first)/leave", "{}").expectError(404, "Context not found")
            #expect(try await fixture.execute(first, "len", token: token).rpcType == "ContextNotFound")
            // The group still has it.
            #expect(node.contexts(ofGroup: namespace) == [first, second])
            #expect(try await fixture.admin("POST", "/contexts/\(first)/join", "{}").json == membership)
            #expect(ids(try await fixture.admin("GET", "/contexts")) == [first, second])
            #expect(try await fixture.execute(first, "get", ["key": "k"], token: token).output == "v")
        }
    }

    @Test func whoMayNotJoin() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let ada = try DevAccount()
            let namespace = try node.createNamespace(founder: ada.accountId)
            let context = try node.createContext(KeyValueContract(), inGroup: namespace)
            func join(_ id: String) async throws -> Answer {
                try await fixture.admin("POST", "/contexts/\(id)/join", "{}")
            }
            try await join(SomeId.first).expectError(404, "Context not found")
            for condition in [DevContextCondition.groupKeyPending, .uninitialized] {
                node.setCondition(condition, context: context)
                try await join(context).expectError(503)
            }
            node.setCondition(nil, context: context)
            #expect(try await join(context).status == 200)
            try node.removeMember(node.accountId, group: namespace)
            try await join(context).expectError(403)
        }
    }

    @Test func syncing() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            for path in ["/contexts/sync", "/contexts/sync/\(context)"] {
                #expect(try await fixture.admin("POST", path, "{}").json == ["data": .null])
            }
            try await fixture.admin("POST", "/contexts/sync/\(SomeId.first)", "{}").expectError(404)
            // A key that is bound to a context stays there.
            let bound = fixture.token("context[\(context)]", "context:execute")
            #expect(try await fixture.admin("POST", "/contexts/sync/\(context)", "{}", token: bound).status == 200)
            try await fixture.admin("POST", "/contexts/sync", "{}", token: bound).expectError(
                403, "This key may not sync every context")
            for (method, path) in [
                ("GET", "/contexts/\(SomeId.first)"), ("POST", "/contexts/\(SomeId.first)/join"),
                ("POST", "/contexts/sync/\(SomeId.first)"),
            ] {
                let wide = fixture.token("context[\(context)]", "context:execute", "context:list")
                try await fixture.admin(method, path, method == "POST" ? "{}" : nil, token: wide).expectError(
                    403, "This key is not permitted to act on this context")
            }
        }
    }

    @Test func resyncing() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            let path = "/contexts/\(context)/resync"
            try await fixture.admin("POST", path, "{}").expectError(409)
            try await fixture.admin("POST", path, #"{"force":false}"#).expectError(409)
            let started: JsonTree = ["contextId": .string(context), "resyncStarted": true]
            #expect(try await fixture.admin("POST", path, #"{"force":true}"#).json == started)
            fixture.node.setCondition(.uninitialized, context: context)
            #expect(try await fixture.admin("POST", path, "{}").json == started)
            try await fixture.admin("POST", "/contexts/\(SomeId.first)/resync", "{}").expectError(
                404, "Context not found")
        }
    }

    // MARK: - Another application

    @Test func theApplicationMayBeSwitched() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let namespace = try node.createNamespace()
            let one = try node.applications.install(KeyValueContract(), package: "com.example.one")
            let two = try node.applications.install(ProbeContract(), package: "com.example.two", version: "3.0.0")
            let context = try await fixture.makeContext(one, in: namespace)
            let token = fixture.token("admin")
            _ = try await fixture.execute(context, "set", ["key": "k", "value": "v"], token: token)
            let key = node.executor(inContext: context) ?? ""
            func change(_ application: String, _ executor: String, _ id: String? = nil) async throws -> Answer {
                try await fixture.admin(
                    "POST", "/contexts/\(id ?? context)/application",
                    #"{"applicationId":"\#(application)","executorPublicKey":"\#(executor)"}"#)
            }
            try await change(SomeId.first, key).expectError(404, "Application not found")
            try await change(two, key, SomeId.first).expectError(404, "Context not found")
            try await change(two, SomeId.first).expectError(403)
            #expect(try await change(two, key).json == ["data": .null])
            let after = try await fixture.admin("GET", "/contexts/\(context)")
            #expect(after.data?["applicationId"] == .string(two))
            #expect(after.data?["applicationVersion"] == "3.0.0")
            #expect(try await fixture.execute(context, "increment", token: token).output == 1)
            // Only the code has changed.
            #expect(node.contextState(context)?["k"] == "v")
            let made = try await fixture.admin("POST", "/identity/context", "{}")
            #expect(try await change(one, made.data?["publicKey"]?.stringValue ?? "").status == 200)
            #expect(try await fixture.execute(context, "get", ["key": "k"], token: token).output == "v")
        }
    }

    @Test func aKeyOfAnApplicationLosesAContextThatSwitches() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let one = try node.applications.install(KeyValueContract(), package: "com.example.one")
            let two = try node.applications.install(KeyValueContract(), package: "com.example.two")
            let context = try await fixture.makeContext(one, in: try node.createNamespace())
            let bound = fixture.token("application-binding[\(one)]", "context:execute")
            #expect(try await fixture.execute(context, "len", token: bound).output == 0)
            let key = node.executor(inContext: context) ?? ""
            _ = try await fixture.admin(
                "POST", "/contexts/\(context)/application",
                #"{"applicationId":"\#(two)","executorPublicKey":"\#(key)"}"#)
            #expect(try await fixture.execute(context, "len", token: bound).status == 403)
        }
    }
}
