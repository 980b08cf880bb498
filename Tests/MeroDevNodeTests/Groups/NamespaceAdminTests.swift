import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct NamespaceAdminTests {
    @Test func aNamespaceIsFounded() async throws {
        try await withOwner { owner async throws in
            let answer = try await owner.post(
                "/namespaces", ["applicationId": .string(Owner.application), "name": "home"])
            #expect(answer.status == 200)
            #expect(answer.json.names == ["data"])
            let data = try #require(answer.data)
            #expect(data.names == ["namespaceId", "founding"])
            #expect(data["founding"]?.names == ["founderAccountId", "salt"])
            #expect(data["founding"]?["founderAccountId"] == .string(owner.account))
            let salt = try #require(data["founding"]?["salt"]?.stringValue)
            let id = try #require(data["namespaceId"]?.stringValue)
            #expect(id == (try GovernanceOps.foundedNamespaceId(founder: owner.account, salt: salt)))
            let row = try await owner.get("/namespaces/\(id)")
            #expect(
                row.data?.names == [
                    "namespaceId", "appKey", "targetApplicationId", "createdAt", "name", "memberCount", "contextCount",
                    "subgroupCount", "appVersion", "founding",
                ])
            #expect(row.data?["name"] == "home")
            #expect(row.data?["targetApplicationId"] == .string(Owner.application))
            #expect(row.data?["appVersion"] == "1.0.0")
            let members = try await owner.get("/groups/\(id)/members")
            #expect(members.json == ["members": [["identity": .string(owner.account), "role": "Admin"]]])
        }
    }

    @Test func whatNamespacesRefuse() async throws {
        try await withOwner { owner async throws in
            let good: JsonTree = ["applicationId": .string(Owner.application)]
            try await expectClosedBody(owner, "POST", "/namespaces", good, required: ["applicationId"])
            let short = try await owner.post("/namespaces", ["applicationId": "abc"])
            #expect(short.status == 400)
            #expect(short.error == "Field 'applicationId' must be exactly 64 characters (got 3)")
            let text = String(repeating: "z", count: 64)
            #expect(
                try await owner.post("/namespaces", ["applicationId": .string(text)]).error
                    == "Field 'applicationId' contains invalid hex encoding: not valid hex")
            let unknown = try await owner.post("/namespaces", ["applicationId": .string(Owner.unknown)])
            #expect(unknown.status == 404)
            #expect(unknown.error == "Application '\(Owner.unknown)' not found")
            for key in ["", "12", text] {
                let answer = try await owner.post("/namespaces", good.replacing("appKey", .string(key)))
                #expect(answer.status == 400)
                #expect(answer.error == "Invalid appKey: expected hex-encoded 32 bytes")
            }
            #expect(try await owner.post("/namespaces", good.replacing("appKey", .string(Owner.unknown))).status == 404)
            #expect(try await owner.post("/namespaces", good.replacing("upgradePolicy", "Automatic")).status == 400)
            let long = try await owner.post(
                "/namespaces", ["applicationId": "x", "name": .string(String(repeating: "n", count: 65))])
            #expect(
                long.error == "Validation errors: Field 'applicationId' must be exactly 64 characters (got 1); "
                    + "Field 'name' exceeds maximum length of 64 characters (got 65)")
            #expect(
                try await owner.post("/namespaces", good.replacing("name", "")).error
                    == "Field 'name' is required but was empty")
        }
    }

    @Test(arguments: ["appKey", "bytecodeId"]) func aReleaseIsPinned(name: String) async throws {
        try await withOwner { owner async throws in
            owner.node.publish(KeyValueContract(), package: "kv-store", version: "1.10.0")
            owner.node.publish(KeyValueContract(), package: "kv-store", version: "1.9.0")
            let latest = try await owner.namespace()
            #expect(try await owner.get("/namespaces/\(latest)").data?["appVersion"] == "1.10.0")
            let key = ReleaseCatalog.bytecodeId(package: "kv-store", version: "1.9.0")
            let answer = try await owner.post(
                "/namespaces", ["applicationId": .string(Owner.application), name: .string(key.uppercased())])
            let id = try #require(answer.data?["namespaceId"]?.stringValue)
            let row = try await owner.get("/namespaces/\(id)")
            #expect(row.data?["appVersion"] == "1.9.0")
            #expect(row.data?["appKey"] == .string(key))
        }
    }

    @Test func listingsArePagedAndFiltered() async throws {
        try await withOwner { owner async throws in
            var ids: [String] = []
            for index in 0..<5 {
                ids.append(try await owner.namespace(named: "n\(index)"))
                owner.node.clock.advance(by: 1)
            }
            func list(_ path: String) async throws -> [String] {
                let answer = try await owner.get(path)
                #expect(answer.status == 200)
                return (answer.data?.arrayValue ?? []).compactMap { $0["namespaceId"]?.stringValue }
            }
            #expect(try await list("/namespaces") == ids)
            #expect(try await list("/namespaces?offset=1&limit=2") == Array(ids[1...2]))
            #expect(try await list("/namespaces?offset=9") == [])
            #expect(try await list("/namespaces?limit=0") == [])
            #expect(try await list("/namespaces/for-application/\(Owner.application)") == ids)
            #expect(try await list("/namespaces/for-application/\(Owner.application)?offset=4&limit=7") == [ids[4]])
            #expect(try await list("/namespaces/for-application/\(Owner.unknown)") == [])
            #expect(try await owner.get("/namespaces?offset=-1").status == 400)
            #expect(try await owner.get("/namespaces/\(Owner.unknown)").status == 404)
            #expect(try await owner.get("/namespaces/for-application/xyz").status == 400)
        }
    }

    @Test func aNamespaceIsDeletedWithAllThatIsInIt() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let context = try owner.node.createContext(KeyValueContract(), inGroup: group)
            let bodiless = try await owner.delete("/namespaces/\(id)", nil)
            #expect(bodiless.status == 400)
            #expect(bodiless.error == "Expected request with `Content-Type: application/json`")
            #expect(try await owner.delete("/namespaces/\(group)").error == GroupAdmin.notARoot.text)
            #expect(try await owner.delete("/namespaces/\(Owner.unknown)").status == 404)
            let answer = try await owner.delete("/namespaces/\(id)")
            #expect(answer.json == ["data": ["isDeleted": true]])
            for path in ["/namespaces/\(id)", "/groups/\(id)", "/groups/\(group)"] {
                #expect(try await owner.get(path).status == 404)
            }
            #expect(owner.node.contextState(context) == nil)
        }
    }

    @Test func onlyAnAdminDeletes() async throws {
        try await withOwner { owner async throws in
            let other = try DevAccount()
            let id = try owner.node.createNamespace(founder: other.accountId, isRelay: false)
            let answer = try await owner.delete("/namespaces/\(id)")
            #expect(answer.status == 403)
            #expect(answer.error?.contains("is not an admin of group \(id)") == true)
        }
    }

    @Test func subgroupsAreCreatedUnderTheRoot() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            func create(_ body: JsonTree) async throws -> JsonTree? {
                let answer = try await owner.post("/namespaces/\(id)/groups", body)
                #expect(answer.status == 200)
                #expect(answer.data?.names == ["groupId"])
                let group = answer.data?["groupId"]?.stringValue ?? ""
                return try await owner.get("/groups/\(group)").data
            }
            #expect(try await create([:])?["subgroupVisibility"] == "open")
            let closed = try await create(["visibility": "restricted", "groupName": "room"])
            #expect(closed?["subgroupVisibility"] == "restricted")
            #expect(closed?["metadata"]?["name"] == "room")
            #expect(closed?["metadata"]?["updatedBy"] == .string(owner.node.nodeKey))
            #expect(closed?["namespaceId"] == .string(id))
            let nameless = try await create(["groupName": .string(String(repeating: "x", count: 65))])
            #expect(nameless?["metadata"] == nil)
            #expect(try await owner.get("/namespaces/\(id)/groups").data?.arrayValue?.count == 3)
            #expect(try await owner.get("/namespaces/\(id)").data?["subgroupCount"] == 3)
        }
    }

    @Test func theFrameworkJudgesSubgroupBodies() async throws {
        try await withOwner { owner async throws in
            let path = "/namespaces/\(try await owner.namespace())/groups"
            for body: JsonTree in [
                ["name": "x"], ["groupId": .string(Owner.unknown)], ["visibility": "secret"], ["groupName": 5],
            ] {
                let answer = try await owner.post(path, body)
                #expect(answer.status == 422)
                #expect(answer.json == .null, "plain text, not JSON")
                #expect(answer.headers["content-type"]?.hasPrefix("text/plain") == true)
            }
            #expect(
                try await owner.fixture.call("POST", "/admin-api\(path)", token: owner.token, json: "{").status == 400)
            #expect(try await owner.post(path, nil).status == 415)
            #expect(try await owner.post("/namespaces/\(Owner.unknown)/groups").status == 404)
            #expect(try await owner.post("/namespaces/zz/groups").status == 400)
        }
    }

    @Test func whoMayNotCreateSubgroups() async throws {
        try await withOwner { owner async throws in
            let other = try DevAccount()
            let id = try owner.node.createNamespace(founder: other.accountId, isRelay: false)
            let refused = try await owner.post("/namespaces/\(id)/groups")
            #expect(refused.status == 403)
            #expect(refused.error?.contains("CAN_CREATE_SUBGROUP is not set") == true)
            try owner.node.setCapabilities(32, of: owner.account, group: id)
            #expect(try await owner.post("/namespaces/\(id)/groups").status == 200)
        }
    }

    @Test func theOwnerStaysAndOthersLeave() async throws {
        try await withOwner { owner async throws in
            let own = try await owner.namespace()
            #expect(try await owner.post("/namespaces/\(own)/leave").status == 403)
            let other = try DevAccount()
            let id = try owner.node.createNamespace(founder: other.accountId, isRelay: false)
            let group = try owner.node.createGroup(parent: id)
            #expect(try await owner.post("/groups/\(id)/leave").status == 400)
            #expect(try await owner.post("/namespaces/\(group)/leave").status == 400)
            let owned = try await owner.post("/namespaces/\(id)/leave")
            #expect(owned.status == 409, "it still owns a subgroup")
            #expect(try await owner.delete("/groups/\(group)").status == 200)
            let left = try await owner.post("/namespaces/\(id)/leave", ["anything": 1])
            #expect(
                left.json == ["data": ["namespaceId": .string(id), "memberPublicKey": .string(owner.node.nodeKey)]])
            #expect(try await owner.get("/groups/\(id)").status == 403)
            #expect(try await owner.post("/namespaces/\(id)/leave").status == 403)
        }
    }

    @Test(arguments: ["zz", "abcd", "%2F%2E%2E", "a%20b", "%C3%A9", "caf%C3%A9%3F"]) func oddIds(id: String)
        async throws
    {
        let wanted =
            id == "abcd"
            ? "Invalid group id: must be exactly 32 bytes" : "Invalid group id format: expected hex-encoded 32 bytes"
        try await withOwner { owner async throws in
            let cases: [(String, String)] = [
                ("GET", "/namespaces/\(id)"), ("DELETE", "/namespaces/\(id)"), ("POST", "/namespaces/\(id)/invite"),
                ("POST", "/namespaces/\(id)/leave"), ("GET", "/groups/\(id)"), ("DELETE", "/groups/\(id)"),
                ("POST", "/groups/\(id)/sync"), ("GET", "/groups/\(id)/members"), ("POST", "/groups/\(id)/leave"),
                ("POST", "/groups/\(id)/join-via-inheritance"), ("GET", "/groups/\(id)/upgrade/status"),
                ("POST", "/groups/\(id)/migration/abort"), ("POST", "/groups/\(id)/owner-delete"),
                ("GET", "/groups/\(id)/settings/tee-admission-policy"), ("POST", "/groups/\(id)/upgrade/retry"),
            ]
            for (method, path) in cases {
                let answer = try await owner.send(method, path, method == "GET" ? nil : [:])
                #expect(answer.status == 400, "\(method) \(path)")
                #expect(answer.json == ["error": .string(wanted)], "\(method) \(path)")
            }
        }
    }
}
