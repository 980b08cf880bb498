import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct MemberTests {
    private let ada = String(repeating: "a", count: 64)
    private let bob = String(repeating: "b", count: 64)

    @Test func membersComeAndGo() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let added = try await owner.add(ada.uppercased(), to: id)
            #expect(added.status == 200)
            #expect(added.json == [:])
            #expect(try await owner.add(bob, "ReadOnly", to: id).status == 200)
            #expect(try await owner.roles(in: id) == [owner.account: "Admin", ada: "Member", bob: "ReadOnly"])
            #expect(try await owner.add(ada, to: id).status == 409)
            let removed = try await owner.post(
                "/groups/\(id)/members/remove", ["members": [.string(ada), .string(bob)]])
            #expect(removed.json == [:])
            #expect(try await owner.roles(in: id).count == 1)
            #expect(
                try await owner.post("/groups/\(id)/members/remove", ["members": [.string(ada)]]).status == 404)
        }
    }

    @Test func aDevicesKeyStandsForItsAccount() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let cleo = try DevAccount()
            try owner.node.enrol(credential: cleo.credential)
            #expect(try await owner.add(cleo.keys.signPublicKey, to: id).status == 200)
            #expect(try await owner.roles(in: id)[cleo.accountId] == "Member")
        }
    }

    @Test func aListIsTakenAsAWhole() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let answer = try await owner.post(
                "/groups/\(id)/members",
                [
                    "members": [
                        ["identity": .string(ada), "role": "Member"],
                        ["identity": .string(owner.account), "role": "Member"],
                    ]
                ])
            #expect(answer.status == 409)
            #expect(try await owner.roles(in: id) == [owner.account: "Admin"])
        }
    }

    @Test func whatAddingRefuses() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let path = "/groups/\(id)/members"
            try await expectClosedBody(owner, "POST", path, ["members": []], required: ["members"])
            try await expectClosedBody(owner, "POST", path + "/remove", ["members": []], required: ["members"])
            for path in [path, path + "/remove"] {
                let empty = try await owner.post(path, ["members": []])
                #expect(empty.status == 400)
                #expect(empty.error == "Field 'members' is required but was empty")
            }
            for role in ["ReadOnlyTee", "RelayTee"] {
                let answer = try await owner.add(ada, role, to: id)
                #expect(answer.status == 400)
                #expect(
                    answer.error == "TEE roles (ReadOnlyTee, RelayTee) can only be assigned via TEE attestation")
            }
            let lower = try await owner.add(ada, "member", to: id)
            #expect(lower.status == 400)
            #expect(lower.error?.contains("unknown variant `member`") == true)
            let short = try await owner.add("abc", to: id)
            #expect(short.error == "Field 'members[].identity' must be exactly 64 characters (got 3)")
            let extra = try await owner.post(
                path, ["members": [["identity": .string(ada), "role": "Member", "name": "x"]]])
            #expect(extra.status == 400)
            #expect(try await owner.add(ada, to: Owner.unknown).status == 404)
        }
    }

    @Test func whoMayManageMembers() async throws {
        try await withOwner { owner async throws in
            let founder = try DevAccount().accountId
            let id = try owner.node.createNamespace(founder: founder, isRelay: false)
            #expect(try await owner.add(ada, to: id).status == 403)
            try owner.node.setCapabilities(8, of: owner.account, group: id)
            #expect(try await owner.add(ada, to: id).status == 200)
            #expect(try await owner.add(bob, "Admin", to: id).status == 403, "a manager makes no admins")
            let remove: JsonTree = ["members": [.string(founder)]]
            #expect(try await owner.post("/groups/\(id)/members/remove", remove).status == 403)
            let role = "/groups/\(id)/members/\(ada)/role"
            #expect(try await owner.put(role, ["role": "ReadOnly"]).status == 200)
            #expect(try await owner.put(role, ["role": "Admin"]).status == 403)
            let caps = "/groups/\(id)/members/\(ada)/capabilities"
            #expect(try await owner.put(caps, ["capabilities": 1]).status == 403)
            #expect(
                try await owner.put("/groups/\(id)/settings/default-capabilities", ["defaultCapabilities": 1]).status
                    == 403)
        }
    }

    @Test func rolesChange() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            #expect(try await owner.add(ada, to: id).status == 200)
            let path = "/groups/\(id)/members/\(ada)/role"
            try await expectClosedBody(owner, "PUT", path, ["role": "Member"], required: ["role"])
            for role in ["Admin", "ReadOnly", "Member"] {
                let answer = try await owner.put(path, ["role": .string(role)])
                #expect(answer.json == [:])
                #expect(try await owner.roles(in: id)[ada] == role)
            }
            #expect(try await owner.put(path, ["role": "RelayTee"]).error == GroupState.teeRoles.text)
            let last = try await owner.put("/groups/\(id)/members/\(owner.account)/role", ["role": "Member"])
            #expect(last.status == 409)
            #expect(try await owner.put("/groups/\(id)/members/\(bob)/role", ["role": "Member"]).status == 404)
            let odd = try await owner.put("/groups/\(id)/members/a%2Fb/role", ["role": "Member"])
            #expect(odd.json == ["error": "Invalid account format: expected 64 hex characters (32 bytes)"])
        }
    }

    @Test func inheritedMembersAreNoDirectOnes() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            #expect(try await owner.add(ada, to: id).status == 200)
            let group = try await owner.subgroup(of: id, visibility: "open")
            #expect(try await owner.roles(in: group) == [owner.account: "Admin", ada: "Member"])
            let member = "/groups/\(group)/members/\(ada)"
            #expect(try await owner.put("\(member)/role", ["role": "Admin"]).status == 409)
            #expect(try await owner.put("\(member)/capabilities", ["capabilities": 1]).status == 409)
            #expect(
                try await owner.post("/groups/\(group)/members/remove", ["members": [.string(ada)]]).status == 409)
            #expect(try await owner.get("\(member)/capabilities").data == ["capabilities": 4])
        }
    }

    @Test func membersAreListedInPages() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let zeros = String(repeating: "0", count: 60)
            let accounts: [String] = (0..<120).map { zeros + String(format: "%04x", $0) }
            let rows: [JsonTree] = accounts.map { ["identity": .string($0), "role": "Member"] }
            #expect(try await owner.post("/groups/\(id)/members", ["members": .array(rows)]).status == 200)
            func list(_ query: String) async throws -> [String] {
                let answer = try await owner.get("/groups/\(id)/members\(query)")
                #expect(answer.status == 200)
                return (answer.json["members"]?.arrayValue ?? []).compactMap { $0["identity"]?.stringValue }
            }
            #expect(try await list("").count == 100)
            #expect(try await list("?limit=5000").count == 121)
            #expect(try await list("?offset=2&limit=3") == Array(accounts[2...4]))
            #expect(try await list("?offset=121").isEmpty)
            #expect(try await owner.get("/groups/\(id)/members?limit=x").status == 400)
            let contexts = try (0..<3).map { _ in try owner.node.createContext(KeyValueContract(), inGroup: id) }
            let page = try await owner.get("/groups/\(id)/contexts?offset=1&limit=1")
            #expect(page.json == ["data": [["contextId": .string(contexts[1])]]])
            let devices = try await owner.get("/groups/\(id)/member-devices?offset=0&limit=200")
            #expect(devices.json["members"]?.arrayValue?.count == 121)
        }
    }

    @Test func capabilitiesAreReplaced() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            #expect(try await owner.add(ada, to: id).status == 200)
            let path = "/groups/\(id)/members/\(ada)/capabilities"
            try await expectClosedBody(owner, "PUT", path, ["capabilities": 0], required: ["capabilities"])
            for mask: UInt32 in [515, 512, 0, 1023, .max] {
                #expect(try await owner.put(path, ["capabilities": JsonTree(mask)]).json == [:])
                #expect(try await owner.get(path).json == ["data": ["capabilities": JsonTree(mask)]])
            }
            for value: JsonTree in [4_294_967_296, -1, .number("1.0"), "1"] {
                #expect(try await owner.put(path, ["capabilities": value]).status == 400)
            }
            #expect(try await owner.get("/groups/\(id)/members/\(bob)/capabilities").status == 404)
        }
    }

    @Test func defaultsAreForLaterMembers() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            #expect(try await owner.add(ada, to: id).status == 200)
            let path = "/groups/\(id)/settings/default-capabilities"
            let good: JsonTree = ["defaultCapabilities": 231]
            try await expectClosedBody(owner, "PUT", path, good, required: ["defaultCapabilities"])
            #expect(try await owner.put(path, good).json == [:])
            #expect(try await owner.get("/groups/\(id)").data?["defaultCapabilities"] == 231)
            #expect(try await owner.add(bob, to: id).status == 200)
            #expect(owner.node.capabilities(of: ada, group: id) == 4)
            #expect(owner.node.capabilities(of: bob, group: id) == 231)
        }
    }

    @Test func autoFollowNeedsBothFlags() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let path = "/groups/\(id)/members/\(owner.account)/auto-follow"
            let good: JsonTree = ["autoFollowContexts": true, "autoFollowSubgroups": false]
            try await expectClosedBody(
                owner, "PUT", path, good, required: ["autoFollowContexts", "autoFollowSubgroups"])
            #expect(try await owner.put(path, good).json == [:])
            #expect(try await owner.put("/groups/\(id)/members/\(bob)/auto-follow", good).status == 404)
        }
    }

    // MARK: - Metadata

    @Test func metadataReplaceTheRecord() async throws {
        try await withOwner { owner async throws in
            owner.node.clock.freeze(at: Date(timeIntervalSince1970: 1_790_000_000))
            let id = try await owner.namespace()
            let context = try owner.node.createContext(KeyValueContract(), inGroup: id)
            for path in [
                "/groups/\(id)", "/groups/\(id)/members/\(owner.account)", "/groups/\(id)/contexts/\(context)",
            ] {
                let path = path + "/metadata"
                #expect(try await owner.get(path).json == ["data": .null])
                try await expectClosedBody(owner, "PUT", path, ["name": "n"])
                #expect(try await owner.put(path, ["name": "one", "data": ["é": "1", "k": ""]]).json == [:])
                #expect(
                    try await owner.get(path).json == [
                        "data": [
                            "name": "one", "data": ["é": "1", "k": ""], "updatedAt": 1_790_000_000_000,
                            "updatedBy": .string(owner.node.nodeKey),
                        ]
                    ])
                #expect(try await owner.put(path, [:]).status == 200)
                let kept = try await owner.get(path).data
                #expect(kept?["name"] == "one")
                #expect(kept?["data"] == [:])
            }
            #expect(try await owner.get("/groups/\(id)/contexts").data?.arrayValue?.first?["name"] == "one")
            #expect(try await owner.get("/groups/\(id)/members").json["members"]?.arrayValue?.first?["name"] == "one")
            #expect(
                try await owner.put("/groups/\(id)/contexts/\(Owner.unknown)/metadata", ["name": "x"]).status == 404)
            #expect(try await owner.put("/groups/\(id)/contexts/q/metadata", ["name": "x"]).status == 400)
            #expect(try await owner.put("/groups/\(id)/members/\(bob)/metadata", ["name": "x"]).status == 404)
        }
    }

    @Test func metadataHaveLimits() async throws {
        try await withOwner { owner async throws in
            let path = "/groups/\(try await owner.namespace())/metadata"
            func text(_ count: Int) -> JsonTree { .string(String(repeating: "x", count: count)) }
            func entries(_ count: Int) -> JsonTree {
                .object((0..<count).map { JsonMember(name: "k\($0)", value: "v") })
            }
            for good: JsonTree in [
                ["name": text(64)], ["data": entries(64)], ["data": ["k": text(4096)]], ["data": .null, "name": .null],
            ] {
                #expect(try await owner.put(path, good).status == 200)
            }
            for bad: JsonTree in [
                ["name": ""], ["name": text(65)], ["data": entries(65)], ["data": ["k": text(4097)]],
                ["data": ["": "v"]],
                ["data": .object([JsonMember(name: String(repeating: "x", count: 65), value: "")])],
            ] {
                let answer = try await owner.put(path, bad)
                #expect(answer.status == 400)
                #expect(answer.error?.hasPrefix("Field 'metadata' has invalid format: ") == true)
            }
            #expect(try await owner.put(path, ["data": ["k": 1]]).error?.hasPrefix("Invalid JSON data: ") == true)
        }
    }

    @Test func oneWritesOnesOwnMetadata() async throws {
        try await withOwner { owner async throws in
            let id = try owner.node.createNamespace(
                founder: ada, members: [bob: .member], memberCapabilities: 0, isRelay: false)
            let own = try await owner.put("/groups/\(id)/members/\(owner.account)/metadata", ["name": "me"])
            #expect(own.status == 200)
            for path in ["/groups/\(id)/members/\(bob)/metadata", "/groups/\(id)/metadata"] {
                let refused = try await owner.put(path, ["name": "x"])
                #expect(refused.status == 403)
                #expect(refused.error?.contains("CAN_MANAGE_METADATA is not set") == true)
            }
        }
    }
}
