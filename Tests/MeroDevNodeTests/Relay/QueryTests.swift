import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct QueryTests {
    @Test func aReadAnswersAndSpendsNothing() async throws {
        try await withRelay { relay async throws in
            let token = try await relay.session()
            #expect(try await relay.query(token: token).json == ["data": ["returns": .null]])
            #expect(try await relay.write().status == 200)
            #expect(try await relay.query(token: token).json == ["data": ["returns": "v"]])
            #expect(relay.mark() == 1)
            #expect(relay.node.delegatedWrites.count == 1)
        }
    }

    @Test func aWriteNeedsAWarrant() async throws {
        try await withRelay { relay async throws in
            let token = try await relay.session()
            for method in ["set", "clear", "nope"] {
                let answer = try await relay.query(method, token: token)
                #expect(answer.status == 409)
                #expect(
                    answer.json == [
                        "error": .string(
                            "method '\(method)' is not declared read-only; a session authorizes reads only, so this "
                                + "call needs a warrant")
                    ])
            }
            relay.expectUntouched()
        }
    }

    @Test func aMethodMayFail() async throws {
        try await withRelay { relay async throws in
            let token = try await relay.session()
            let failed = try await relay.query("get_result", token: token)
            #expect(failed.status == 400)
            #expect(
                failed.json == [
                    "error": "function call error: key not found: k", "type": "FunctionCallError",
                    "data": "key not found: k",
                ])
            let panicked = try await relay.query("get_unchecked", token: token)
            #expect(panicked.json["data"] == "panicked: key not found: k")
        }
    }

    @Test func onlyAccountsAsk() async throws {
        try await withRelay { relay async throws in
            let owner = relay.node.mintTokens().accessToken
            let answer = try await relay.query(token: owner)
            #expect(answer.status == 401 && answer.authError == nil)
            #expect(answer.json == ["error": "this endpoint requires an account-authenticated session"])
            let narrow = relay.node.mintTokens(permissions: ["context:query"]).accessToken
            #expect(try await relay.query(token: narrow).status == 401)
            let none = relay.node.mintTokens(permissions: ["context:list"]).accessToken
            #expect(try await relay.query(token: none).authError == "permission_denied")
            let path = "/admin-api/contexts/\(relay.context)/query"
            #expect(try await relay.fixture.post(path, ["method": "get", "argsJson": [:]]).status == 401)
        }
    }

    @Test func membersOfTheGroupOnly() async throws {
        try await withRelay { relay async throws in
            let stranger = try await relay.session(as: DevAccount())
            let refusal = "account is not a member of the group owning this context"
            #expect(try await relay.query(token: stranger).error == refusal)
            let token = try await relay.session()
            let alone = try relay.node.createContext(KeyValueContract())
            let body: JsonTree = ["method": "len", "argsJson": [:]]
            func ask(_ id: String) async throws -> Answer {
                try await relay.fixture.post("/admin-api/contexts/\(id)/query", body, token: token)
            }
            #expect(try await ask(alone).error == refusal)
            #expect(try await ask(String(repeating: "7", count: 64)).status == 404)
            #expect(try await ask("zz").status == 500)
            #expect(try await ask(relay.context).status == 200)
            try relay.node.addMember(relay.ada.accountId, role: .readOnly, group: relay.namespace)
            #expect(try await ask(relay.context).status == 200)
            try relay.node.setRevoked(true, device: relay.ada.deviceId, namespace: relay.namespace)
            let revoked = try await ask(relay.context)
            #expect(revoked.status == 403)
            #expect(revoked.error == "this device is no longer authorized in the namespace owning this context")
        }
    }

    @Test func theBodyIsClosed() async throws {
        try await withRelay { relay async throws in
            let token = try await relay.session()
            let path = "/admin-api/contexts/\(relay.context)/query"
            for body: JsonTree in [
                ["method": "len"], ["argsJson": [:]], ["method": "len", "argsJson": [:], "warrant": ""], [],
                ["method": 1, "argsJson": [:]],
            ] {
                #expect(try await relay.fixture.post(path, body, token: token).status == 422)
            }
            #expect(try await relay.fixture.call("POST", path, token: token, json: "{").status == 400)
            relay.node.setCondition(.groupKeyPending, context: relay.context)
            #expect(try await relay.query("len", token: token).status == 503)
        }
    }

    @Test func anAccountSeesItsOwn() async throws {
        try await withRelay { relay async throws in
            let node = relay.node
            let foreign = try node.createNamespace()
            let hidden = try node.createContext(KeyValueContract(), inGroup: foreign)
            let open = try node.createGroup(parent: relay.namespace, isOpen: true)
            let closed = try node.createGroup(parent: relay.namespace)
            let token = try await relay.session()
            func get(_ path: String) async throws -> Answer {
                try await relay.fixture.call("GET", "/admin-api" + path, token: token)
            }
            #expect(
                try await get("/namespaces").data?.arrayValue?.map { $0["namespaceId"] } == [.string(relay.namespace)])
            #expect(
                try await get("/contexts").data?["contexts"]?.arrayValue?.map { $0["id"] } == [.string(relay.context)])
            #expect(try await get("/contexts/\(relay.context)").data?["id"] == .string(relay.context))
            #expect(try await get("/contexts/\(hidden)").status == 403)
            #expect(try await get("/namespaces/\(foreign)").status == 404)
            #expect(try await get("/groups/\(foreign)").status == 403)
            #expect(try await get("/groups/\(foreign)/members").status == 403)
            #expect(try await get("/groups/\(closed)").status == 403)
            let info = try await get("/groups/\(open)").data
            #expect(info?["subgroupVisibility"] == "open" && info?["namespaceId"] == .string(relay.namespace))
            #expect(
                try await get("/namespaces/\(relay.namespace)/groups").data?.arrayValue == [["groupId": .string(open)]])
            #expect(
                try await get("/groups/\(relay.namespace)/subgroups").json == [
                    "subgroups": [["groupId": .string(open)]]
                ])
            #expect(try await get("/groups/\(relay.namespace)/members").json["members"]?.arrayValue?.count == 2)
            #expect(
                try await get("/groups/\(relay.namespace)/contexts").data == [["contextId": .string(relay.context)]])
            #expect(
                try await get("/groups/\(relay.namespace)/members/\(relay.ada.accountId)/capabilities").data == [
                    "capabilities": 4
                ])
            #expect(try await get("/groups/\(relay.namespace)/metadata").json == ["data": .null])
            try node.setRevoked(true, device: relay.ada.deviceId, namespace: relay.namespace)
            #expect(try await get("/namespaces").data?.arrayValue == [])
            #expect(try await get("/contexts").data?["contexts"]?.arrayValue == [])

            let owner = node.mintTokens().accessToken
            let all = try await relay.fixture.call("GET", "/admin-api/namespaces?limit=1", token: owner)
            #expect(all.data?.arrayValue?.count == 1)
            let both = try await relay.fixture.call("GET", "/admin-api/contexts", token: owner)
            let seen = (both.data?["contexts"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
            #expect(Set(seen).isSuperset(of: [hidden, relay.context]))
            // The scopes of an account give nothing to a key that is none.
            let narrow = node.mintTokens(permissions: ["namespace:list-own", "context:list-own"]).accessToken
            #expect(try await relay.fixture.call("GET", "/admin-api/namespaces", token: narrow).status == 403)
        }
    }
}
