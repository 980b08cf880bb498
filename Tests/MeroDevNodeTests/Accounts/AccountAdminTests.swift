import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct AccountAdminTests {
    @Test func listings() async throws {
        try await withOwner { owner async throws in
            let none = try await owner.get("/account/applications")
            #expect(none.json == ["applications": []])
            let id = try await owner.namespace()
            #expect(
                try await owner.get("/account/devices").json == [
                    "devices": [
                        [
                            "deviceId": .string(owner.node.deviceId), "signingKey": .string(owner.node.nodeKey),
                            "isSelf": true, "revoked": false, "applications": [], "namespaces": [.string(id)],
                        ]
                    ]
                ])
            #expect(
                try await owner.get("/account/applications").json == [
                    "applications": [
                        ["applicationId": .string(Owner.application), "namespaces": [.string(id)]]
                    ]
                ])
        }
    }

    @Test func theRootSigns() async throws {
        try await withOwner { owner async throws in
            let path = "/account/sign-with-root"
            let payload = "6368616c6c656e6765"
            for name in ["mdma.account-link", "mdma.account-login", "mdma.account-recovery"] {
                let answer = try await owner.post(path, ["domain": .string(name), "payload": .string(payload)])
                #expect(answer.data?.names == ["rootPublicKey", "signature", "accountId"])
                #expect(answer.data?["accountId"] == .string(owner.account))
                let signature = try #require(Data(base64Encoded: answer.data?["signature"]?.stringValue ?? ""))
                let key = Data(try #require(Hex.decode(answer.data?["rootPublicKey"]?.stringValue ?? "")))
                let message = Data("calimero.\(name).v1".utf8) + [0] + Data("challenge".utf8)
                #expect(Ed25519.verify(publicKey: key, signature: signature, message: message))
            }
            let good: JsonTree = ["domain": "mdma.account-link", "payload": ""]
            try await expectClosedBody(owner, "POST", path, good, required: ["domain", "payload"])
            #expect(
                try await owner.post(path, good.replacing("domain", "calimero.other")).error
                    == "Field 'domain' has invalid format: unknown signing domain; expected one of: mdma.account-link, "
                    + "mdma.account-login, mdma.account-recovery")
            #expect(try await owner.post(path, good.replacing("payload", "abc")).status == 400)
            #expect(try await owner.post(path, good.replacing("payload", "zz")).status == 400)
            let largest = String(repeating: "0", count: 8192)
            #expect(try await owner.post(path, good.replacing("payload", .string(largest))).status == 200)
            #expect(
                try await owner.post(path, good.replacing("payload", .string(largest + "00"))).error
                    == "Field 'payload' exceeds maximum length of 8192 characters (got 8194)")
        }
    }

    @Test func bytesAreSealedToAnAccount() async throws {
        try await withOwner { owner async throws in
            let ada = try DevAccount()
            let id = try await owner.namespace()
            #expect(try await owner.add(ada.accountId, to: id).status == 200)
            let path = "/groups/\(id)/accounts/\(ada.accountId)/seal"
            #expect(try await owner.post(path, ["plaintext": "00"]).status == 503, "its device is not known yet")
            try owner.node.enrol(credential: ada.credential)
            let answer = try await owner.post(path, ["plaintext": "68656c6c6f"])
            #expect(answer.data?.names == ["accountRootEpoch", "ephemeralPublicKey", "nonce", "ciphertext"])
            #expect(answer.data?["accountRootEpoch"] == 0)
            func bytes(_ name: String) -> Data { Data(Hex.decode(answer.data?[name]?.stringValue ?? "") ?? []) }
            #expect(bytes("ephemeralPublicKey").count == 32)
            #expect(bytes("nonce").count == 12)
            #expect(bytes("ciphertext").count == 5 + 16)
            let box = SealedBox(
                ephemeralPublicKey: bytes("ephemeralPublicKey"), nonce: bytes("nonce"), ciphertext: bytes("ciphertext"))
            #expect(box.open(with: ada.keys) == Data("hello".utf8))
            #expect(box.open(with: .generate()) == nil)
            let spoilt = SealedBox(
                ephemeralPublicKey: box.ephemeralPublicKey, nonce: box.nonce,
                ciphertext: Data(box.ciphertext.map { $0 ^ 1 }))
            #expect(spoilt.open(with: ada.keys) == nil)

            try await expectClosedBody(owner, "POST", path, ["plaintext": "00"], required: ["plaintext"])
            let cases: [(String, String)] = [
                ("", "Field 'plaintext' is required but was empty"),
                ("abc", "Field 'plaintext' has invalid format: hex string must have even length"),
                ("zz", "Field 'plaintext' contains invalid hex encoding: not valid hex"),
                (
                    String(repeating: "0", count: 131_074),
                    "Field 'plaintext' exceeds maximum length of 131072 characters (got 131074)"
                ),
            ]
            for (text, error) in cases {
                let refused = try await owner.post(path, ["plaintext": .string(text)])
                #expect(refused.status == 400)
                #expect(refused.error == error)
            }
            #expect(
                try await owner.post("/groups/\(id)/accounts/\(Owner.unknown)/seal", ["plaintext": "00"]).status == 404)
            #expect(try await owner.post("/groups/\(id)/accounts/x/seal", ["plaintext": "00"]).status == 400)
        }
    }

    // MARK: - Pairing

    func pair(_ holder: Owner, _ new: Owner, _ applications: [String] = []) async throws -> Answer {
        let root = try await holder.get("/identity").data?["accountRootPublicKey"]?.stringValue ?? ""
        let begun = try await new.post(
            "/account/pair-init",
            ["accountRootPublicKey": .string(root), "namespaces": [.string(Owner.unknown)]])
        try #require(begun.status == 200, "\(begun.text)")
        #expect(
            begun.data?.names == [
                "accountId", "deviceId", "kemPublicKey", "signPublicKey", "statement", "confirmationCode",
            ])
        #expect(begun.data?["statement"]?.stringValue?.count == 144)
        var body: JsonTree = ["applications": JsonTree(applications)]
        for name in ["deviceId", "kemPublicKey", "signPublicKey", "statement", "confirmationCode"] {
            body = body.replacing(name, begun.data?[name])
        }
        return try await holder.post("/account/pair-complete", body)
    }

    @Test func aSecondNodeBecomesADevice() async throws {
        try await withOwners { _, owners async throws in
            let (holder, second) = (owners[0], owners[1])
            let id = try await holder.namespace()
            let context = try holder.node.createContext(KeyValueContract(), inGroup: id)
            let root = try await holder.get("/identity").data?["accountRootPublicKey"] ?? .null
            #expect(
                try await second.post(
                    "/account/pair-init", ["accountRootPublicKey": root, "accountNamespace": .string(id)]
                )
                .status == 200)
            let between = try await second.get("/identity").data
            #expect(between?["accountId"] == .string(holder.account))
            #expect(between?["holdsAccountRoot"] == false)
            #expect(between?["deviceCertified"] == false)
            #expect(between?["accountNamespaceId"] == .string(id))
            #expect(try await second.post("/namespaces", ["applicationId": .string(Owner.application)]).status == 403)
            #expect(try await second.get("/namespaces").json == ["data": []], "nothing without a certificate")

            let paired = try await pair(holder, second)
            #expect(paired.status == 200, "\(paired.text)")
            #expect(
                paired.data?.names == ["accountId", "deviceId", "keyDelivered", "confirmationCode", "credential"])
            #expect(paired.data?["keyDelivered"] == true)
            let credential = try DeviceCertificates.verify(paired.data?["credential"]?.stringValue ?? "")
            #expect(credential.signPublicKey == second.node.nodeKey)
            let after = try await second.get("/identity").data
            #expect(after?["deviceCertified"] == true)
            #expect(after?["deviceId"] == paired.data?["deviceId"])
            #expect(try await second.get("/groups/\(id)").status == 200, "it has the account's namespaces")
            #expect(
                try await second.execute(context, "set", ["key": "k", "value": "second"]).output == .null)
            #expect(try await holder.execute(context, "get", ["key": "k"]).output == "second")
            let devices = try await holder.get("/account/devices").json["devices"]?.arrayValue ?? []
            #expect(devices.count == 2)
            let other = devices.first { $0["isSelf"] == false }
            #expect(other?["signingKey"] == .string(second.node.nodeKey))
            #expect(other?["namespaces"] == [.string(id)])
            #expect(
                try await second.post("/account/sign-with-root", ["domain": "mdma.account-link", "payload": ""]).status
                    == 403)
        }
    }

    @Test func whatPairingRefuses() async throws {
        try await withOwners { _, owners async throws in
            let (holder, second) = (owners[0], owners[1])
            let root = try await holder.get("/identity").data?["accountRootPublicKey"] ?? .null
            let start: JsonTree = ["accountRootPublicKey": root, "namespaces": [.string(Owner.unknown)]]
            try await expectClosedBody(
                second, "POST", "/account/pair-init", start, required: ["accountRootPublicKey"])
            let empty = try await second.post("/account/pair-init", ["accountRootPublicKey": root, "namespaces": []])
            #expect(empty.status == 400)
            #expect(empty.error == "Field 'namespaces' is required but was empty")
            let many = try await second.post(
                "/account/pair-init",
                ["accountRootPublicKey": "x", "namespaces": ["y"], "accountNamespace": "z"])
            #expect(
                many.error == "Validation errors: Field 'accountRootPublicKey' must be exactly 64 characters (got 1); "
                    + "Field 'namespaces[]' must be exactly 64 characters (got 1); "
                    + "Field 'accountNamespace' must be exactly 64 characters (got 1)")
            let begun = try await second.post("/account/pair-init", start)
            var good: JsonTree = [:]
            for name in ["deviceId", "kemPublicKey", "signPublicKey", "statement", "confirmationCode"] {
                good = good.replacing(name, begun.data?[name])
            }
            func complete(_ name: String, _ value: JsonTree) async throws -> Answer {
                try await holder.post("/account/pair-complete", good.replacing(name, value))
            }
            try await expectClosedBody(
                holder, "POST", "/account/pair-complete", good.replacing("statement", "00"),
                required: ["deviceId", "kemPublicKey", "signPublicKey", "statement", "confirmationCode"])
            let code = try await complete("confirmationCode", "0000-0000-0000-0000")
            #expect(code.status == 400)
            #expect(code.error == "the confirmation code does not match")
            for name in ["deviceId", "kemPublicKey"] {
                let odd = try await complete(name, .string(Owner.unknown))
                #expect(odd.status == 400)
                #expect(odd.error == "the pairing statement is invalid")
            }
            #expect(
                try await complete("statement", "00").error
                    == "Field 'statement' must be exactly 144 characters (got 2)")
            #expect(
                try await second.post("/account/pair-complete", good).status == 403, "it does not hold the root")
            holder.node.clock.advance(by: 301)
            let stale = try await holder.post("/account/pair-complete", good)
            #expect(stale.status == 400)
            #expect(stale.error?.contains("stale") == true)
            holder.node.clock.advance(by: -300)
            let spelled = good["confirmationCode"]?.stringValue?.lowercased().replacingOccurrences(of: "-", with: " ")
            #expect(try await complete("confirmationCode", .string(spelled ?? "")).status == 200)
        }
    }
}
