import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct GroupTreeTests {
    private let ada = String(repeating: "a", count: 64)

    private func createGroup(_ owner: Owner, _ more: JsonTree = [:]) async throws -> Answer {
        var body: JsonTree = ["applicationId": .string(Owner.application)]
        for member in more.members { body = body.replacing(member.name, member.value) }
        return try await owner.post("/groups", body)
    }

    @Test func groupsAreCreated() async throws {
        try await withOwner { owner async throws in
            let root = try await createGroup(owner, ["name": "top"])
            #expect(root.data?.names == ["groupId"])
            let id = try #require(root.data?["groupId"]?.stringValue)
            #expect(try await owner.get("/namespaces/\(id)").data?["name"] == "top")
            let child = try await createGroup(owner, ["parentGroupId": .string(id), "name": "below"])
            let group = try #require(child.data?["groupId"]?.stringValue)
            let info = try await owner.get("/groups/\(group)")
            #expect(
                info.data?.names == [
                    "groupId", "appKey", "targetApplicationId", "memberCount", "contextCount", "defaultCapabilities",
                    "subgroupVisibility", "metadata", "groupStateHash", "namespaceId", "ownerOpCounter",
                ])
            #expect(info.data?["namespaceId"] == .string(id))
            #expect(info.data?["ownerOpCounter"] == 0)
            #expect(
                try await owner.get("/groups/\(id)/subgroups").json == [
                    "subgroups": [["groupId": .string(group), "name": "below"]]
                ])
        }
    }

    @Test func whatGroupsRefuse() async throws {
        try await withOwner { owner async throws in
            let good: JsonTree = ["applicationId": .string(Owner.application)]
            try await expectClosedBody(owner, "POST", "/groups", good, required: ["applicationId"])
            for name in ["groupId", "upgradePolicy", "visibility"] {
                let answer = try await createGroup(owner, .object([JsonMember(name: name, value: "x")]))
                #expect(answer.status == 400)
                #expect(answer.error?.contains(name) == true)
            }
            #expect(try await createGroup(owner, ["appKey": ""]).status == 400)
            #expect(try await createGroup(owner, ["parentGroupId": .string(Owner.unknown)]).status == 404)
            #expect(try await createGroup(owner, ["parentGroupId": "x"]).status == 400)
            #expect(try await owner.post("/groups", ["applicationId": .string(Owner.unknown)]).status == 404)
            let foreign = try owner.node.createNamespace(founder: ada, isRelay: false)
            #expect(try await createGroup(owner, ["parentGroupId": .string(foreign)]).status == 403)
        }
    }

    @Test func groupsAreDeletedWithWhatIsBelow() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let inner = try owner.node.createGroup(parent: group)
            let context = try owner.node.createContext(KeyValueContract(), inGroup: inner)
            #expect(try await owner.delete("/groups/\(group)", nil).status == 400)
            #expect(try await owner.delete("/groups/\(group)", ["requester": "x"]).status == 400)
            let root = try await owner.delete("/groups/\(id)")
            #expect(root.status == 400)
            #expect(try await owner.delete("/groups/\(group)").json == ["data": ["isDeleted": true]])
            for gone in [group, inner] { #expect(try await owner.get("/groups/\(gone)").status == 404) }
            #expect(owner.node.contextState(context) == nil)
            #expect(try await owner.delete("/groups/\(group)").status == 404)
        }
    }

    @Test func deletingNeedsTheRight() async throws {
        try await withOwner { owner async throws in
            let id = try owner.node.createNamespace(founder: ada, isRelay: false)
            let group = try owner.node.createGroup(parent: id)
            let cleo = try DevAccount()
            try owner.node.addMember(cleo.accountId, role: .admin, group: group)
            try owner.node.addMember(owner.account, role: .member, group: group)
            #expect(try await owner.delete("/groups/\(group)").status == 403)
            try owner.node.setCapabilities(64, of: owner.account, group: id)
            #expect(try await owner.delete("/groups/\(group)").status == 200)
        }
    }

    @Test func groupsMove() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let left = try await owner.subgroup(of: id)
            let right = try await owner.subgroup(of: id)
            func move(_ child: String, to parent: String) async throws -> Answer {
                try await owner.post("/groups/\(child)/reparent", ["newParentId": .string(parent)])
            }
            try await expectClosedBody(
                owner, "POST", "/groups/\(left)/reparent", ["newParentId": .string(right)], required: ["newParentId"])
            #expect(try await move(left, to: right).json == ["reparented": true])
            #expect(try await move(left, to: right).json == ["reparented": false])
            #expect(try await owner.get("/groups/\(right)/subgroups").json["subgroups"]?.arrayValue?.count == 1)
            #expect(try await move(right, to: left).status == 409)
            #expect(try await move(left, to: left).status == 400)
            #expect(try await move(left, to: Owner.unknown).status == 404)
            #expect(try await move(left, to: "abc").status == 400)
            #expect(try await move(id, to: left).status == 400)
            #expect(try await move(left, to: try await owner.namespace()).status == 400)
        }
    }

    @Test func anInheritedMembershipBecomesADirectOne() async throws {
        try await withOwner { owner async throws in
            let id = try owner.node.createNamespace(founder: ada, isRelay: false)
            let open = try owner.node.createGroup(parent: id, isOpen: true)
            let closed = try owner.node.createGroup(parent: id)
            for group in [open, closed] {
                try owner.node.addMember(ada, role: .admin, group: group)
                try owner.node.removeMember(owner.account, group: group)
            }
            let path = "/groups/\(open)/join-via-inheritance"
            try await expectClosedBody(owner, "POST", path, [:])
            for isNew in [true, false] {
                #expect(
                    try await owner.post(path).json == [
                        "data": [
                            "groupId": .string(open), "memberPublicKey": .string(owner.node.nodeKey),
                            "wasInherited": .bool(isNew),
                        ]
                    ])
            }
            #expect(try await owner.post("/groups/\(closed)/join-via-inheritance").status == 403)
            #expect(try await owner.post("/groups/\(Owner.unknown)/join-via-inheritance").status == 404)
            try owner.node.removeMember(owner.account, group: open)
            try owner.node.setCapabilities(0, of: owner.account, group: id)
            #expect(try await owner.post(path).status == 403, "CAN_JOIN_OPEN_SUBGROUPS is not set")
        }
    }

    @Test func leavingWhatOneOnlyInherits() async throws {
        try await withOwner { owner async throws in
            let id = try owner.node.createNamespace(founder: ada, isRelay: false)
            let open = try owner.node.createGroup(parent: id, isOpen: true)
            try owner.node.addMember(ada, role: .admin, group: open)
            try owner.node.removeMember(owner.account, group: open)
            #expect(try await owner.post("/groups/\(open)/leave").status == 409)
            #expect(try await owner.post("/groups/\(open)/join-via-inheritance").status == 200)
            try owner.node.changeGroup(open) { $0.owner = ada }
            #expect(
                try await owner.post("/groups/\(open)/leave").json == [
                    "data": ["groupId": .string(open), "memberPublicKey": .string(owner.node.nodeKey)]
                ])
        }
    }

    @Test func visibility() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let path = "/groups/\(group)/settings/subgroup-visibility"
            let good: JsonTree = ["subgroupVisibility": "open"]
            try await expectClosedBody(owner, "PUT", path, good, required: ["subgroupVisibility"])
            #expect(try await owner.put(path, good).json == [:])
            #expect(try await owner.get("/groups/\(group)").data?["subgroupVisibility"] == "open")
            let odd = try await owner.put(path, ["subgroupVisibility": "Open"])
            #expect(odd.status == 400)
            #expect(
                odd.error == "Field 'subgroup_visibility' has invalid format: must be 'open' or 'restricted'")
        }
    }

    @Test func contextsAreDetached() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let context = try owner.node.createContext(KeyValueContract(), inGroup: group)
            #expect(try await owner.post("/groups/\(id)/contexts/\(context)/remove").status == 404)
            try await expectClosedBody(owner, "POST", "/groups/\(group)/contexts/\(context)/remove", [:])
            #expect(try await owner.post("/groups/\(group)/contexts/\(context)/remove").json == [:])
            #expect(try await owner.get("/groups/\(group)/contexts").json == ["data": []])
            #expect(try await owner.post("/groups/\(group)/contexts/\(context)/remove").status == 404)
        }
    }

    @Test func syncCounts() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            _ = try owner.node.createContext(KeyValueContract(), inGroup: id)
            try await expectClosedBody(owner, "POST", "/groups/\(id)/sync", [:])
            let answer = try await owner.post("/groups/\(id)/sync")
            #expect(
                answer.json == [
                    "data": [
                        "groupId": .string(id),
                        "appKey": .string(ReleaseCatalog.bytecodeId(package: "kv-store", version: "1.0.0")),
                        "targetApplicationId": .string(Owner.application), "memberCount": 1, "contextCount": 1,
                    ]
                ])
            #expect(try await owner.post("/groups/\(Owner.unknown)/sync").status == 404)
        }
    }

    @Test func aGroupIsNotShownToWhoIsOutside() async throws {
        try await withOwner { owner async throws in
            let id = try owner.node.createNamespace(founder: ada, isRelay: false)
            let closed = try owner.node.createGroup(parent: id)
            try owner.node.addMember(ada, role: .admin, group: closed)
            try owner.node.removeMember(owner.account, group: closed)
            for path in ["", "/members", "/contexts", "/metadata", "/upgrade/status", "/member-devices"] {
                #expect(try await owner.get("/groups/\(closed)\(path)").status == 403, "\(path)")
                #expect(try await owner.get("/groups/\(Owner.unknown)\(path)").status == 404, "\(path)")
            }
            #expect(try await owner.add(ada, to: closed).status == 403)
        }
    }
}
