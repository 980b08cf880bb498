import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct OwnerOpTests {
    let ada = String(repeating: "a", count: 64)

    func counter(_ owner: Owner, _ group: String) async throws -> UInt64 {
        try await owner.get("/groups/\(group)").data?["ownerOpCounter"]?.integer() ?? .max
    }

    func root(_ owner: Owner) -> AccountRoot { owner.node.core.identity.root }

    @Test func theHolderOfTheRootNeedsNoProof() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let good: JsonTree = ["newOwner": .string(ada)]
            try await expectClosedBody(
                owner, "POST", "/groups/\(id)/transfer-ownership", good, required: ["newOwner"])
            #expect(try await owner.post("/groups/\(id)/transfer-ownership", good).status == 409, "no member")
            #expect(try await owner.add(ada, to: id).status == 200)
            #expect(try await owner.post("/groups/\(id)/transfer-ownership", good).status == 409, "no admin")
            #expect(try await counter(owner, id) == 0)
            let admin = try await owner.post("/namespaces/\(id)/admin", ["newAdmin": .string(ada)])
            #expect(admin.json == [:])
            #expect(try await owner.roles(in: id)[ada] == "Admin")
            #expect(try await counter(owner, id) == 1)
            #expect(try await owner.post("/groups/\(id)/transfer-ownership", good).json == [:])
            #expect(try await counter(owner, id) == 2)
            let after = try await owner.post("/groups/\(id)/transfer-ownership", good)
            #expect(after.status == 403)
            #expect(after.error?.contains("only the owner") == true)
            let row = try await owner.get("/namespaces/\(id)")
            #expect(row.data?["founding"]?["founderAccountId"] == .string(owner.account), "founding is history")
        }
    }

    @Test func aProofWorksOnce() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            #expect(try await owner.add(ada, to: id).status == 200)
            let op = OwnerOp.adminChanged(newAdmin: ada)
            func change(_ proof: String) async throws -> Answer {
                try await owner.post(
                    "/namespaces/\(id)/admin", ["newAdmin": .string(ada), "rootProof": .string(proof)])
            }
            let proof = try root(owner).authorize(op, namespaceId: id, groupId: id, counter: 0)
            #expect(try await change(proof).json == [:])
            let again = try await change(proof)
            #expect(again.status == 409)
            #expect(again.error == "stale owner-op counter: expected 1, got 0")
            let early = try root(owner).authorize(op, namespaceId: id, groupId: id, counter: .max)
            #expect(
                try await change(early).error
                    == "stale owner-op counter: expected 1, got 18446744073709551615")
            #expect(
                try await change(root(owner).authorize(op, namespaceId: id, groupId: id, counter: 1)).status == 200)
            #expect(try await counter(owner, id) == 2)
        }
    }

    @Test func proofsThatDoNotHold() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            #expect(try await owner.add(ada, "Admin", to: id).status == 200)
            let op = OwnerOp.transferOwnership(newOwner: ada)
            func refusal(_ proof: String) async throws -> Answer {
                try await owner.post(
                    "/groups/\(id)/transfer-ownership", ["newOwner": .string(ada), "rootProof": .string(proof)])
            }
            let root = root(owner)
            let good = try root.authorize(op, namespaceId: id, groupId: id, counter: 0)
            #expect(
                try await refusal("").error
                    == "Field 'rootProof' contains invalid hex encoding: empty; omit the field entirely if you have no "
                    + "proof")
            #expect(try await refusal("xy").error == "Field 'rootProof' contains invalid hex encoding: not valid hex")
            for odd in ["00", good + "00", String(good.dropLast(2))] { #expect(try await refusal(odd).status == 400) }
            var spoilt = good
            spoilt.removeLast(2)
            spoilt += good.hasSuffix("00") ? "01" : "00"
            #expect(try await refusal(spoilt).error?.contains("does not verify") == true)
            let mismatches: [(OwnerOp, String, String)] = [
                (.groupDelete, id, id), (.transferOwnership(newOwner: Owner.unknown), id, id),
                (op, Owner.unknown, id), (op, id, Owner.unknown),
            ]
            for (other, group, namespace) in mismatches {
                let proof = try root.authorize(other, namespaceId: namespace, groupId: group, counter: 0)
                let answer = try await refusal(proof)
                #expect(answer.status == 400)
                #expect(answer.error == "root proof does not match the op presented with it")
            }
            let foreign = try AccountRoot.generate().authorize(op, namespaceId: id, groupId: id, counter: 0)
            #expect(try await refusal(foreign).status == 403)
            #expect(try await counter(owner, id) == 0)
            #expect(try await refusal(good).status == 200)
        }
    }

    @Test func rootsThatWereHandedOn() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            #expect(try await owner.add(ada, to: id).status == 200)
            let first = root(owner)
            let (second, other) = (AccountRoot.generate(), AccountRoot.generate())
            let op = OwnerOp.adminChanged(newAdmin: ada)
            func change(_ root: AccountRoot, _ handoffs: [String], _ counter: UInt64) async throws -> Answer {
                let proof = try root.authorize(
                    op, namespaceId: id, groupId: id, counter: counter, genesisPublicKey: first.publicKey,
                    handoffs: handoffs)
                return try await owner.post(
                    "/namespaces/\(id)/admin", ["newAdmin": .string(ada), "rootProof": .string(proof)])
            }
            #expect(try await change(first, [], 0).status == 200)
            let handoff = try first.handOff(to: second.publicKey)
            #expect(try await change(second, [handoff], 1).status == 200)
            let below = try await change(first, [], 2)
            #expect(below.status == 400)
            #expect(below.error?.contains("below the recorded") == true)
            let fork = try await change(other, [try first.handOff(to: other.publicKey)], 2)
            #expect(fork.status == 400)
            #expect(fork.error?.contains("forked") == true)
            let broken = try await change(other, [try other.handOff(to: other.publicKey)], 2)
            #expect(broken.status == 400)
            #expect(try await change(second, [handoff], 2).status == 200)
        }
    }

    @Test func onlyTheOwnerAndOnlyAtTheRoot() async throws {
        try await withOwner { owner async throws in
            let foreign = try owner.node.createNamespace(
                founder: ada, members: [owner.account: .admin], isRelay: false)
            let cases: [(String, String, JsonTree)] = [
                ("POST", "/groups/\(foreign)/transfer-ownership", ["newOwner": .string(ada)]),
                ("POST", "/groups/\(foreign)/owner-delete", [:]),
                ("POST", "/namespaces/\(foreign)/admin", ["newAdmin": .string(ada)]),
                ("PUT", "/groups/\(foreign)/settings/tee-authoring-policy", ["allowedMrtd": []]),
            ]
            for (method, path, body) in cases {
                let answer = try await owner.send(method, path, body)
                #expect(answer.status == 403, "\(path)")
                let missing = path.replacingOccurrences(of: foreign, with: Owner.unknown)
                #expect(try await owner.send(method, missing, body).status == 404, "\(path)")
            }
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            #expect(try await owner.post("/namespaces/\(group)/admin", ["newAdmin": .string(ada)]).status == 400)
            #expect(try await owner.post("/namespaces/\(id)/admin", ["newAdmin": .string(ada)]).status == 409)
            #expect(
                try await owner.post("/namespaces/\(id)/admin", ["newAdmin": "ab"]).error
                    == "Field 'newAdmin' must be exactly 64 characters (got 2)")
        }
    }

    @Test func theOwnerDeletesWhatIsEmpty() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let context = try owner.node.createContext(KeyValueContract(), inGroup: group)
            let full = try await owner.post("/groups/\(group)/owner-delete")
            #expect(full.status == 409)
            #expect(full.error?.contains("still has registered contexts") == true)
            #expect(try await owner.post("/groups/\(group)/contexts/\(context)/remove").status == 200)
            #expect(try await owner.post("/groups/\(group)/owner-delete", ["x": 1]).status == 400)
            let proof = try root(owner).authorize(.groupDelete, namespaceId: id, groupId: group, counter: 0)
            #expect(try await owner.post("/groups/\(group)/owner-delete", ["rootProof": .string(proof)]).json == [:])
            #expect(try await owner.get("/groups/\(group)").status == 404)
        }
    }

    // MARK: - TEE policies

    static let measurement: JsonTree = [
        "allowedMrtd": ["m"], "allowedRtmr0": [], "allowedRtmr1": ["1"], "allowedRtmr2": ["2"], "allowedRtmr3": ["3"],
        "allowedTcbStatuses": ["UpToDate"], "acceptMock": true,
    ]
    static let release: JsonTree = [
        "allowedMrtd": [], "allowedRtmr0": [], "allowedRtmr1": [], "allowedRtmr2": [], "allowedRtmr3": [],
        "allowedTcbStatuses": ["UpToDate"], "acceptMock": false,
        "signedRelease": ["allowedProfiles": ["locked-read-only"], "minReleaseVersion": "2.3.72"], "mode": "relay",
    ]

    @Test func admissionPolicies() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let path = "/groups/\(id)/settings/tee-admission-policy"
            #expect(
                try await owner.get(path).json == [
                    "enabled": false, "allowedMrtd": [], "allowedRtmr0": [], "allowedRtmr1": [], "allowedRtmr2": [],
                    "allowedRtmr3": [], "allowedTcbStatuses": [], "acceptMock": false, "mode": "replica",
                ])
            try await expectClosedBody(
                owner, "PUT", path, Self.measurement,
                required: ["allowedMrtd", "allowedRtmr3", "allowedTcbStatuses", "acceptMock"])
            #expect(try await owner.put(path, Self.measurement).json == [:])
            let measured = try await owner.get(path).json
            #expect(measured["enabled"] == true)
            #expect(measured["allowedRtmr2"] == ["2"])
            #expect(measured["mode"] == "replica")
            #expect(measured["signedRelease"] == nil)
            try owner.node.changeGroup(id) { $0.members[ada] = GroupMember(role: .readOnlyTee, capabilities: 0) }
            #expect(try await owner.put(path, Self.release).json == [:])
            let signed = try await owner.get(path).json
            #expect(
                signed["signedRelease"]
                    == ["allowedProfiles": ["locked-read-only"], "minReleaseVersion": "2.3.72"])
            #expect(signed["mode"] == "relay")
            #expect(try await owner.roles(in: id)[ada] == "RelayTee", "who is in already is converted")
            #expect(try await owner.put("/groups/\(id)/members/\(ada)/role", ["role": "Member"]).status == 403)
            #expect(try await counter(owner, id) == 2)
        }
    }

    @Test func proofsForPolicies() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let path = "/groups/\(id)/settings/tee-admission-policy"
            let releaseOp = OwnerOp.teeReleaseAdmissionPolicy(
                .init(
                    allowedProfiles: ["locked-read-only"], minReleaseVersion: "2.3.72",
                    allowedTcbStatuses: ["UpToDate"], acceptMock: false, mode: .relay))
            let measureOp = OwnerOp.teeAdmissionPolicy(
                .init(
                    allowedMrtd: ["m"], allowedRtmr0: [], allowedRtmr1: ["1"], allowedRtmr2: ["2"],
                    allowedRtmr3: ["3"], allowedTcbStatuses: ["UpToDate"], acceptMock: true, mode: .replica))
            func proof(_ op: OwnerOp, _ counter: UInt64) throws -> JsonTree {
                .string(try root(owner).authorize(op, namespaceId: id, groupId: id, counter: counter))
            }
            #expect(
                try await owner.put(path, Self.release.replacing("rootProof", try proof(measureOp, 0))).status == 400)
            #expect(
                try await owner.put(path, Self.release.replacing("rootProof", try proof(releaseOp, 0))).status == 200)
            #expect(
                try await owner.put(path, Self.measurement.replacing("rootProof", try proof(measureOp, 1))).status
                    == 200)
            let authoring = "/groups/\(id)/settings/tee-authoring-policy"
            #expect(
                try await owner.put(
                    authoring,
                    [
                        "allowedMrtd": ["m"],
                        "rootProof": try proof(.teeAuthoringPolicy(allowedMrtd: ["m"]), 2),
                    ]
                ).status == 200)
            #expect(owner.node.core.groups.read { $0[id]?.teeAuthoring } == ["m"])
            #expect(
                try await owner.delete(authoring, ["rootProof": try proof(.teeAuthoringPolicy(allowedMrtd: []), 3)])
                    .status == 200)
            #expect(owner.node.core.groups.read { $0[id]?.teeAuthoring } == [])
        }
    }

    @Test func policiesThatAreRefused() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let path = "/groups/\(id)/settings/tee-admission-policy"
            for (name, field) in [
                ("allowedMrtd", "allowed_mrtd"), ("allowedRtmr1", "allowed_rtmr1"), ("allowedRtmr2", "allowed_rtmr2"),
                ("allowedRtmr3", "allowed_rtmr3"),
            ] {
                let empty = try await owner.put(path, Self.measurement.replacing(name, []))
                #expect(empty.status == 400)
                #expect(empty.error == "Field '\(field)' is required but was empty")
                let both = try await owner.put(path, Self.release.replacing(name, ["x"]))
                #expect(both.status == 400)
                #expect(both.error?.contains("'\(field)'") == true)
            }
            for profiles: JsonTree in [[], [" "]] {
                let answer = try await owner.put(
                    path, Self.release.replacing("signedRelease", ["allowedProfiles": profiles]))
                #expect(answer.status == 400)
                #expect(answer.error?.contains("signed_release.allowed_profiles") == true)
            }
            let version = try await owner.put(
                path,
                Self.release.replacing("signedRelease", ["allowedProfiles": ["p"], "minReleaseVersion": "two"]))
            #expect(version.status == 400)
            #expect(try await owner.put(path, Self.release.replacing("mode", "both")).status == 400)
            let cases: [(String, String, JsonTree?)] = [
                ("PUT", "tee-admission-policy", Self.release), ("PUT", "tee-authoring-policy", ["allowedMrtd": []]),
                ("DELETE", "tee-authoring-policy", nil),
            ]
            for (method, name, body) in cases {
                let answer = try await owner.send(method, "/groups/\(group)/settings/\(name)", body)
                #expect(answer.status == 400, "\(method) \(name)")
                #expect(answer.error?.contains("not on a subgroup") == true)
            }
            #expect(try await counter(owner, id) == 0)
        }
    }

    @Test func authoringIsDisabledWithoutABody() async throws {
        try await withOwner { owner async throws in
            let path = "/groups/\(try await owner.namespace())/settings/tee-authoring-policy"
            try await expectClosedBody(owner, "PUT", path, ["allowedMrtd": ["m"]], required: ["allowedMrtd"])
            #expect(try await owner.put(path, ["allowedMrtd": ["m"]]).json == [:])
            #expect(try await owner.delete(path, nil).json == [:])
            #expect(try await owner.delete(path, ["allowedMrtd": []]).status == 400)
        }
    }
}
