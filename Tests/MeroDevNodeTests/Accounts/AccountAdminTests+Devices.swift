import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// The devices of an account.
extension AccountAdminTests {
    // MARK: - Devices

    @Test func aDevicesScope() async throws {
        try await withOwners { _, owners async throws in
            let (holder, second) = (owners[0], owners[1])
            let store = try await holder.namespace()
            let probeId = DevNode.applicationId(of: ProbeContract())
            let made = try await holder.post("/namespaces", ["applicationId": .string(probeId)])
            let probe = try #require(made.data?["namespaceId"]?.stringValue)
            let paired = try await pair(holder, second, [Owner.application])
            let device = try #require(paired.data?["deviceId"]?.stringValue)
            #expect(try await second.get("/groups/\(store)").status == 200)
            let path = "/account/devices/\(device)"
            let repaired = try await holder.post("\(path)/relink", ["applications": []])
            #expect(
                repaired.data?.names == ["accountId", "deviceId", "applications", "linkedIn", "skipped"])
            #expect(repaired.data?["applications"] == [.string(Owner.application)])
            func reasons(_ answer: Answer) -> [String: String] {
                let rows = answer.data?["skipped"]?.arrayValue ?? []
                return Dictionary(
                    rows.map { ($0["namespaceId"]?.stringValue ?? "", $0["reason"]?.stringValue ?? "") },
                    uniquingKeysWith: { $1 })
            }
            #expect(reasons(repaired) == [store: "alreadyBound", probe: "outOfScope"])
            let wider = try await holder.post("\(path)/relink", ["applications": [.string(probeId)]])
            #expect(wider.data?["linkedIn"] == [["namespaceId": .string(probe), "keyDelivered": true]])
            #expect(reasons(wider) == [store: "alreadyBound"])
            let own = try await holder.post("/account/devices/\(holder.node.deviceId)/relink")
            #expect(Set(reasons(own).values) == ["ownDevice"])

            let narrow = try await holder.put("\(path)/scope", ["scope": ["only": [.string(probeId)]]])
            #expect(
                narrow.data?.names
                    == ["accountId", "deviceId", "applications", "descoped", "linkedIn", "skipped"])
            #expect(narrow.data?["descoped"] == [["namespaceId": .string(store), "keyRotated": true]])
            let all = try await holder.put("\(path)/scope", ["scope": "all"])
            #expect(all.data?["applications"] == [])
            #expect(all.data?["descoped"] == [])
            #expect(all.data?["linkedIn"] == [["namespaceId": .string(store), "keyDelivered": true]])

            try await expectClosedBody(holder, "POST", "\(path)/relink", [:])
            try await expectClosedBody(holder, "PUT", "\(path)/scope", ["scope": "all"])
            let odd: [JsonTree] = [
                ["only": []], "some", ["only": [.string(Owner.unknown)]], ["only": ["x"]], ["except": []],
            ]
            for scope in odd { #expect(try await holder.put("\(path)/scope", ["scope": scope]).status == 400) }
            #expect(
                try await holder.put("/account/devices/\(holder.node.deviceId)/scope", ["scope": "all"]).status == 403)
            for suffix in ["relink", "scope", "label"] {
                let method = suffix == "relink" ? "POST" : "PUT"
                let body: JsonTree =
                    suffix == "relink" ? [:] : suffix == "scope" ? ["scope": "all"] : ["label": "x"]
                let missing = try await holder.send(method, "/account/devices/\(Owner.unknown)/\(suffix)", body)
                #expect(missing.status == 404, "\(suffix)")
                let odd = try await holder.send(method, "/account/devices/a%20b/\(suffix)", body)
                #expect(odd.status == 400, "\(suffix)")
                if suffix != "label" {
                    #expect(
                        try await second.send(method, "/account/devices/\(device)/\(suffix)", body).status == 403)
                }
            }
        }
    }

    @Test func aDevicesName() async throws {
        try await withOwners { _, owners async throws in
            let (holder, second) = (owners[0], owners[1])
            let paired = try await pair(holder, second)
            let device = try #require(paired.data?["deviceId"]?.stringValue)
            let path = "/account/devices/\(device)/label"
            try await expectClosedBody(holder, "PUT", path, ["label": " "], required: ["label"])
            for label in ["", " \n", "a\u{7}b", String(repeating: "x", count: 65)] {
                #expect(try await holder.put(path, ["label": .string(label)]).status == 400)
            }
            let named = try await holder.put(path, ["label": "  phone "])
            #expect(
                named.json == [
                    "data": [
                        "accountId": .string(holder.account), "deviceId": .string(device), "label": "phone",
                        "labelEpoch": 1,
                    ]
                ])
            #expect(try await holder.put(path, ["label": "tablet"]).status == 429)
            for owner in owners { owner.node.clock.advance(by: 11) }
            #expect(try await second.put(path, ["label": "tablet"]).data?["labelEpoch"] == 2)
            let own = "/account/devices/\(holder.node.deviceId)/label"
            #expect(try await second.put(own, ["label": "x"]).status == 403)
            #expect(try await holder.put(own, ["label": "tablet"]).status == 409)
            let devices = try await holder.get("/account/devices").json["devices"]?.arrayValue ?? []
            #expect(devices.first { $0["deviceId"] == .string(device) }?["label"] == "tablet")
        }
    }

    @Test func aDeviceIsRevoked() async throws {
        try await withOwners { _, owners async throws in
            let (holder, second) = (owners[0], owners[1])
            let id = try await holder.namespace()
            let other = try await holder.namespace()
            let context = try holder.node.createContext(KeyValueContract(), inGroup: id)
            let paired = try await pair(holder, second)
            #expect(try await second.execute(context, "len").output == 0)
            let device = try #require(paired.data?["deviceId"]?.stringValue)
            let path = "/namespaces/\(id)/account/revoke"
            try await expectClosedBody(
                holder, "POST", path, ["deviceId": .string(Owner.unknown)], required: ["deviceId"])
            let own = try await holder.post(path, ["deviceId": .string(holder.node.deviceId)])
            #expect(own.status == 403)
            #expect(try await holder.post(path, ["deviceId": .string(Owner.unknown)]).status == 404)
            for proof in ["", "zz", "00"] {
                #expect(
                    try await holder.post(path, ["deviceId": .string(device), "proof": .string(proof)]).status == 400)
            }
            #expect(
                try await second.post(path, ["deviceId": .string(holder.node.deviceId)]).status == 403,
                "it does not hold the root")
            let revoked = try await holder.post(path, ["deviceId": .string(device)])
            #expect(revoked.data?.names == ["accountId", "deviceId", "keyRotated", "revokedIn"])
            #expect(revoked.data?["keyRotated"] == true)
            let rows = revoked.data?["revokedIn"]?.arrayValue ?? []
            #expect(Set(rows.compactMap { $0["namespaceId"]?.stringValue }) == [id, other])
            let identity = try await second.get("/identity").data
            #expect(
                identity?["revokedFrom"] == ["accountId": .string(holder.account), "deviceId": .string(device)])
            #expect(identity?["deviceCertified"] == false)
            #expect(try await second.post("/namespaces/\(id)/invite").status == 403)
            let cut = try await second.execute(context, "len")
            #expect(cut.rpcData == "Caller is not a member of this context")
            #expect(try await holder.execute(context, "set", ["key": "k", "value": "v"]).output == .null)
            #expect(second.node.contextState(context) == [:], "nothing comes any more")
            let devices = try await holder.get("/account/devices").json["devices"]?.arrayValue ?? []
            let row = devices.first { $0["deviceId"] == .string(device) }
            #expect(row?["revoked"] == true)
            #expect(row?["namespaces"] == [])
            let relink = try await holder.post("/account/devices/\(device)/relink")
            #expect(relink.data?["skipped"]?.arrayValue?.first?["reason"] == "revoked")
        }
    }

    @Test func aRevocationThatWasSignedElsewhere() async throws {
        try await withOwner { owner async throws in
            let ada = try DevAccount()
            let id = try await owner.namespace()
            #expect(try await owner.add(ada.accountId, to: id).status == 200)
            try owner.node.enrol(credential: ada.credential)
            let path = "/namespaces/\(id)/account/revoke"
            let body: JsonTree = ["deviceId": .string(ada.deviceId)]
            #expect(try await owner.post(path, body).status == 403)
            func proof(_ root: AccountRoot) throws -> JsonTree {
                func bytes(_ text: String) -> Data { Data(Hex.decode(text) ?? []) }
                let statement = DeviceRevocation(
                    account: bytes(ada.accountId), device: bytes(ada.deviceId), keyEpoch: 0)
                let head = Data([2]) + bytes(root.publicKey) + Data(count: 4)
                return .string(Hex.encode(head + statement.signed(try root.sign(statement.payload))))
            }
            #expect(try await owner.post(path, body.replacing("proof", try proof(.generate()))).status == 400)
            let answer = try await owner.post(path, body.replacing("proof", try proof(ada.root)))
            #expect(answer.status == 200)
            #expect(answer.data?["revokedIn"] == [["namespaceId": .string(id), "keyRotated": true]])
            let devices = try await owner.get("/groups/\(id)/member-devices").json["members"]?.arrayValue ?? []
            #expect(devices.first { $0["account"] == .string(ada.accountId) }?["devices"] == [])
        }
    }

    @Test func somebodyElsesDeviceIsLinked() async throws {
        try await withOwner { owner async throws in
            let ada = try DevAccount()
            let id = try await owner.namespace()
            let path = "/namespaces/\(id)/account/link-device"
            func body(_ credential: String, _ applications: [String] = []) throws -> JsonTree {
                [
                    "credential": .string(credential),
                    "scope": .string(try ada.root.scope(device: ada.deviceId, applications: applications)),
                ]
            }
            let good = try body(ada.credential)
            try await expectClosedBody(owner, "POST", path, good, required: ["credential", "scope"])
            let stranger = try await owner.post(path, good)
            #expect(stranger.status == 403)
            #expect(stranger.error?.hasPrefix("device link refused") == true)
            #expect(try await owner.add(ada.accountId, to: id).status == 200)
            #expect(
                try await owner.post(path, try body(ada.credential, [Owner.unknown])).status == 403, "out of scope")
            let cases: [(String, String, String)] = [
                ("credential", "zz", "credential is not hex: "),
                ("credential", "00", "credential is not a device credential: "),
                ("scope", "abc", "scope is not hex: "), ("scope", "0000", "scope is not a device scope: "),
            ]
            for (name, value, start) in cases {
                let answer = try await owner.post(path, good.replacing(name, .string(value)))
                #expect(answer.status == 400)
                #expect(answer.error?.hasPrefix(start) == true, "\(answer.text)")
            }
            let other = try DevAccount(root: ada.root)
            #expect(try await owner.post(path, try body(other.credential)).status == 400)
            for isBound in [false, true] {
                #expect(
                    try await owner.post(path, good).json == [
                        "data": [
                            "accountId": .string(ada.accountId), "deviceId": .string(ada.deviceId),
                            "alreadyBound": .bool(isBound),
                        ]
                    ])
            }
            let group = try await owner.subgroup(of: id)
            #expect(try await owner.post("/namespaces/\(group)/account/link-device", good).status == 400)
        }
    }

    @Test func aPairingOutlivesTheProcess() async throws {
        try await withFolder { folder in
            let root = AccountRoot.generate()
            try await withOwner(.with { $0.dataDirectory = folder }) { owner in
                let begun = try await owner.post(
                    "/account/pair-init",
                    ["accountRootPublicKey": .string(root.publicKey), "accountNamespace": .string(Owner.unknown)])
                let before = try await owner.get("/identity").json
                #expect(before["data"]?["deviceId"] == begun.data?["deviceId"])
                try await owner.node.restart()
                #expect(try await Owner(owner.node).get("/identity").json == before)
                #expect(before["data"]?["accountId"] == .string(root.accountId))
            }
        }
    }
}
