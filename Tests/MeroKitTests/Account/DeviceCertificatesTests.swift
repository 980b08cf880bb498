import Foundation
import Testing

@testable import MeroKit

@Suite("Device certificates")
struct DeviceCertificatesTests {
    static func vectors(_ prefix: String, _ family: String = "device-certificates") -> [CryptoVector] {
        CryptoVector.load(family) { $0.id.hasPrefix(prefix) }
    }

    @Test("Device ids", arguments: vectors("device-id", "accounts"))
    func deviceIds(vector: CryptoVector) throws {
        let account = try vector.input.string("account")
        let nonce = try vector.input.bytes("nonce")
        let device = try vector.expected.string("device")
        #expect(try DeviceCertificates.mintDeviceId(account: account, nonce: nonce) == device)
        #expect(throws: AccountError.self) {
            try DeviceCertificates.mintDeviceId(account: account, nonce: nonce.dropLast())
        }
        #expect(throws: AccountError.self) {
            try DeviceCertificates.mintDeviceId(account: "no account", nonce: nonce)
        }
    }

    @Test("Certificates that hold", arguments: vectors("cert-"))
    func certify(vector: CryptoVector) throws {
        guard vector.input["rootSecret"] != nil else {
            let payload = try DeviceCertificates.payload(
                account: vector.input.string("account"), device: vector.input.string("device"),
                signPublicKey: vector.input.string("signPublicKey"),
                kemPublicKey: vector.input.string("kemPublicKey"), keyEpoch: vector.input.integer("keyEpoch"),
                deviceEpoch: vector.input.integer("deviceEpoch"))
            #expect(Hex.encode(payload) == (try vector.expected.string("payload")))
            return
        }
        let root = try AccountRoot(secret: vector.input.bytes("rootSecret"))
        let device = try DeviceCertificates.mintDeviceId(
            account: root.accountId, nonce: vector.input.bytes("deviceNonce"))
        let sign = Hex.encode(try Ed25519.publicKey(seed: vector.input.bytes("signSecret")))
        let kem =
            try vector.input["kemPublicKey"]?.text
            ?? Hex.encode(X25519.publicKey(secret: vector.input.bytes("kemSecret")))
        let epoch: UInt32 = try vector.input.integer("deviceEpoch")
        for (name, value) in [
            ("account", root.accountId), ("device", device), ("signPublicKey", sign), ("kemPublicKey", kem),
        ] {
            if let expected = vector.expected[name]?.text { #expect(value == expected) }
        }
        let payload = try DeviceCertificates.payload(
            account: root.accountId, device: device, signPublicKey: sign, kemPublicKey: kem, keyEpoch: 0,
            deviceEpoch: epoch)
        if let expected = vector.expected["payload"]?.text { #expect(Hex.encode(payload) == expected) }
        let credential = try DeviceCertificates.certify(
            rootSeed: root.secret, device: device, signPublicKey: sign, kemPublicKey: kem, deviceEpoch: epoch)
        let expected = try vector.expected.string("credential")
        try expectSameSigned(credential, expected, key: Hex.id(root.publicKey, "key"), message: payload)
        let parsed = try DeviceCertificates.verify(" \(expected.uppercased())\n")
        #expect(
            parsed
                == DeviceCredential(
                    rootPublicKey: root.publicKey, account: root.accountId, device: device, signPublicKey: sign,
                    kemPublicKey: kem, keyEpoch: 0, deviceEpoch: epoch, signature: String(expected.suffix(128))))
        #expect(try DeviceCertificates.parse(expected) == parsed)
        try AccountProof<DeviceCertificate>(Hex.decodeUnsized(expected, label: "credential")).verify()
    }

    @Test("Certificates that do not hold, each for its first reason", arguments: vectors("neg-"))
    func refusals(vector: CryptoVector) throws {
        let credential = try vector.input.string("credential")
        let error = #expect(throws: AccountError.self) { try DeviceCertificates.verify(credential) }
        let text = error?.localizedDescription ?? ""
        let expected = vector.error
        switch error {
        case .invalidInput:
            #expect(expected == "length")
            #expect(text.contains("474 hex characters"))
        case .credentialRejected:
            let phrases = [
                "genesisVersion": "genesis version \(credential.prefix(2) == "01" ? 1 : 3)", "chain": "root chain",
                "account": "re-pointed at another account", "device": "not minted for account",
                "signature": "did not sign",
            ]
            #expect(text.hasPrefix("Credential rejected: "))
            #expect(text.contains(phrases[expected ?? ""] ?? "no such error"))
        default: Issue.record("another error: \(text)")
        }
        // Shape only: what is only wrong inside still parses.
        if ["account", "device", "signature"].contains(expected) {
            _ = try DeviceCertificates.parse(credential)
        } else {
            #expect(throws: AccountError.self) { try DeviceCertificates.parse(credential) }
        }
        // A relay does not ask how the device's id was minted.
        let relay: AccountProof<DeviceCertificate>.Problem?
        do {
            try AccountProof<DeviceCertificate>(Hex.decodeUnsized(credential, label: "credential")).verify()
            relay = nil
            #expect(expected == "device")
        } catch let problem as AccountProof<DeviceCertificate>.Problem {
            relay = problem
        } catch {
            #expect(error is BorshError)
            #expect(["length", "chain"].contains(expected))
            return
        }
        switch relay {
        case .genesisVersion: #expect(expected == "genesisVersion")
        case .account: #expect(expected == "account")
        case .signature: #expect(expected == "signature")
        case .chain: Issue.record("no chain here")
        case nil: break
        }
    }

    @Test("A root that was handed on: the SDK does not follow, a relay does", arguments: vectors("relay-"))
    func chains(vector: CryptoVector) throws {
        let credential = try vector.input.string("credential")
        let error = #expect(throws: AccountError.self) { try DeviceCertificates.verify(credential) }
        #expect(error?.localizedDescription.contains("root chain") == true)
        let bytes = try Hex.decodeUnsized(credential, label: "credential")
        let proof = try AccountProof<DeviceCertificate>(bytes)
        try proof.verify()
        #expect(proof.handoffs.count == 1)
        for (name, value) in [("account", proof.statement.account), ("device", proof.statement.device)] {
            if let expected = vector.expected[name]?.text { #expect(Hex.encode(value) == expected) }
        }
        // Neither is a shortened or a lengthened one.
        for wrong in [String(credential.dropLast(2)), credential + "00"] {
            let error = #expect(throws: AccountError.self) { try DeviceCertificates.verify(wrong) }
            #expect(error?.localizedDescription.contains("474 hex characters") == true)
        }
        // Any change of the chain breaks it, if the certificate rests on it.
        guard proof.statement.keyEpoch == 1 else { return }
        for offset in stride(from: 37, to: 37 + 132, by: 11) {
            var changed = bytes
            changed[offset] ^= 1
            let problem = #expect(throws: AccountProof<DeviceCertificate>.Problem.self) {
                try AccountProof<DeviceCertificate>(changed).verify()
            }
            #expect(problem == .chain)
        }
    }

    @Test("Every changed bit of a certificate is found")
    func changedBits() throws {
        let root = AccountRoot.generate()
        let keys = DeviceKeys.generate()
        let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
        let credential = try root.certify(
            device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
        _ = try DeviceCertificates.verify(credential)
        let bytes = try Hex.decodeUnsized(credential, label: "credential")
        for bit in 0..<(8 * bytes.count) {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: AccountError.self, "bit \(bit) of \(credential)") {
                try DeviceCertificates.verify(Hex.encode(changed))
            }
        }
    }

    @Test("What is no hex, or empty, has the wrong length", arguments: ["", "zz", String(repeating: "x", count: 474)])
    func noHex(text: String) {
        let error = #expect(throws: AccountError.self) { try DeviceCertificates.parse(text) }
        #expect(error?.localizedDescription.contains("474 hex characters") == true)
    }

    @Test("Scopes", arguments: CryptoVector.load("device-scopes"))
    func scopes(vector: CryptoVector) throws {
        let root = try AccountRoot(secret: vector.input.bytes("rootSecret"))
        let device = try vector.input.string("device")
        let applications = try vector.input.strings("applications")
        let epoch: UInt32 = try vector.input.integer("scopeEpoch")
        let scope = DeviceScopeStatement(
            account: try Hex.id(root.accountId, "account"), device: try Hex.id(device, "device"),
            applications: try applications.map { try Hex.id($0, "application") }, scopeEpoch: epoch, keyEpoch: 0)
        if let expected = vector.expected["payload"]?.text { #expect(Hex.encode(scope.payload) == expected) }
        let proof = try root.scope(device: device, applications: applications, scopeEpoch: epoch)
        if let expected = vector.expected["proof"]?.text {
            try expectSameSigned(proof, expected, key: Hex.id(root.publicKey, "key"), message: scope.payload)
        }
        let read = try AccountProof<DeviceScopeStatement>(Hex.decodeUnsized(proof, label: "proof"))
        try read.verify()
        #expect(read.statement == scope)
    }

    @Test("A revocation holds for its account and device")
    func revocations() throws {
        let root = AccountRoot.generate()
        let revocation = DeviceRevocation(
            account: try Hex.id(root.accountId, "account"), device: randomBytes(32), keyEpoch: 0)
        let signature = try root.sign(revocation.payload)
        let statement = revocation.signed(signature)
        #expect(statement.count == 132)
        let proof = try root.genesisProofHead + statement
        try AccountProof<DeviceRevocation>(proof).verify()
        var changed = proof
        changed[37 + 40] ^= 1
        #expect(throws: AccountProof<DeviceRevocation>.Problem.signature) {
            try AccountProof<DeviceRevocation>(changed).verify()
        }
    }

    @Test("A claimed number of handoffs costs nothing")
    func hugeChains() throws {
        let head = Data([2]) + Data(count: 32)
        #expect(throws: BorshError.truncated("handoffs")) {
            try AccountProof<DeviceCertificate>(head + Data(repeating: 0xff, count: 4) + Data(count: 400))
        }
        let many = head + LittleEndian.u32(1025) + Data(count: 1025 * 132 + 200)
        #expect(throws: BorshError.invalid("handoffs")) { try AccountProof<DeviceCertificate>(many) }
    }
}
