import Foundation
import MeroKit
import Testing

// The published calls of the account layer, as they stand. This file imports nothing `@testable`: what compiles here
// compiles in an app.

@Suite struct AccountTests {
    private let id = String(repeating: "1a", count: 32)

    @Test func keysAndStores() throws {
        let store: AnyValueStore<DeviceKeys> = .memory()
        let keys: DeviceKeys = DeviceKeys.loadOrCreate(in: store)
        let copy = try DeviceKeys(signSecret: keys.signSecret, kemSecret: keys.kemSecret)
        #expect(copy == keys)
        let texts: [String] = [keys.deviceSecret, keys.signPublicKey, keys.kemPublicKey]
        for text in texts { #expect(Hex.is32(text)) }
        let signature: Data = try keys.sign(Data())
        let key: Data = try Ed25519.publicKey(seed: keys.signSecret)
        let verifies: Bool = Ed25519.verify(publicKey: key, signature: signature, message: Data())
        #expect(verifies)
        let signer: any DeviceSigner = keys
        #expect(signer.signPublicKey == keys.signPublicKey)
        #expect(AnyValueStore(MemoryValueStore(keys)).load() == keys)
        #expect(MemoryValueStore<DeviceKeys>().load() == nil)
        #expect(try Hex.decode(Hex.encode(key), label: "key", bytes: 32) == key)
        #expect(try Hex.decodeUnsized("", label: "key") == Data())
        #expect(try X25519.publicKey(secret: keys.kemSecret).count == 32)
    }

    @Test func primitives() {
        var writer = BorshWriter()
        writer.u32(5)
        writer.u64(1_700_000_000)
        writer.string("set")
        writer.optionBytes(nil)
        let data: Data = writer.data
        #expect(Hex.encode(data) == "0500000000f153650000000003000000736574" + "00")
        let text: String = CanonicalJSON.string(["value": "v", "key": "k"])
        #expect(text == #"{"key":"k","value":"v"}"#)
        #expect(CanonicalJSON.data(["key": "k"]) == Data(#"{"key":"k"}"#.utf8))
    }

    @Test func certificates() throws {
        let root = AccountRoot.generate()
        let keys = DeviceKeys.generate()
        let account: String = try DeviceCertificates.account(forRootPublicKey: root.publicKey)
        let device: String = try DeviceCertificates.mintDeviceId(account: account, nonce: randomBytes(16))
        let credential: String = try DeviceCertificates.certify(
            rootSeed: root.secret, device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
        let parsed: DeviceCredential = try DeviceCertificates.parse(credential)
        #expect(try DeviceCertificates.verify(credential) == parsed)
        let payload: Data = try DeviceCertificates.payload(
            account: account, device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey,
            keyEpoch: 0, deviceEpoch: 0)
        #expect(payload.count == 32)
        let url: URL = try DeviceEnrolment.url(
            devicePublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey,
            callbackURL: "https://app.example/enrol", state: DeviceEnrolment.makeState())
        #expect(url.host == DeviceEnrolment.defaultWalletURL.host)
        let callback = try DeviceEnrolment.readCallback(
            fragment: "credential=\(credential)&account=\(account)&device=\(device)&state=s")
        let enrolled: EnrolledDevice = try DeviceEnrolment.completeEnrolment(
            #require(callback), keys: keys, expectState: "s")
        #expect(enrolled.certificate == parsed)
    }

    @Test func statementsAndWarrants() async throws {
        let keys = DeviceKeys.generate()
        let key = try Ed25519.publicKey(seed: keys.signSecret)
        let statement: String = try LoginStatement.sign(
            node: id, audience: .codeSigningId("com.example"), challenge: id, sessionKey: id, issuedAt: 1,
            expiresAt: 2, keys: keys)
        let preimage: Data = try LoginStatement.preimage(
            node: id, audience: .cli, challenge: id, sessionKey: id, deviceKey: key, issuedAt: 1, expiresAt: 2)
        #expect(preimage.count == 32 && statement.hasPrefix(id))
        var write = Warrants.WarrantInput(
            context: id, authorAccount: id, executor: id, executorKey: id, releaseBytecodeId: id,
            releaseVersion: "1.0.0", method: "set", argsJson: ["key": "k"], nonce: 1, notAfter: 2)
        write.accountHeads = [id]
        let warrant: String = try Warrants.signWarrant(write, keys: keys)
        #expect(warrant.hasPrefix(id))
        let wire: String = try Warrants.warrantWire(
            write, devicePublicKey: key, signature: keys.sign(Warrants.warrantPreimage(write, devicePublicKey: key)))
        #expect(wire.count == warrant.count)
        #expect(Warrants.intentHash(method: "set", argsJson: [:]).count == 32)
        let op: Warrants.GovernanceOp = try GovernanceOps.namespaceCreated(founder: id, credential: "02", salt: id)
        #expect(op.kind == .root && Warrants.governanceOpHash(op).count == 32)
        let scope: String = try GovernanceOps.foundedNamespaceId(founder: id, salt: id)
        let governance = Warrants.GovernanceInput(
            scope: scope, op: op, authorAccount: id, executor: id, executorKey: id, nonce: 1, notAfter: 2)
        #expect(try Warrants.signGovernanceWarrant(governance, keys: keys).hasPrefix(scope))
        let creation = Warrants.CreationInput(
            group: id, authorAccount: id, executor: id, executorKey: id, applicationId: id, nonce: 1, notAfter: 2)
        #expect(try await Warrants.signCreationWarrant(creation, signer: keys).hasPrefix(id))
        #expect((Warrants.maxCitedHeads, Warrants.maxReleaseVersionBytes, Warrants.maxLabelBytes) == (64, 256, 256))
        #expect(try GovernanceOps.createdSubgroupId(admin: id, parentId: id, restricted: true, salt: id).count == 64)
        let proof = ProofCredential(credential: "02", keys: keys)
        let headers: [String: String] = try await proof.headers(method: "GET", path: "/", body: nil)
        #expect(headers.count == 1)
    }

    @Test func everyAccountError() {
        func name(_ error: AccountError) -> String {
            switch error {
            case .invalidInput: return "invalidInput"
            case .credentialRejected: return "credentialRejected"
            case .enrolmentDeclined: return "enrolmentDeclined"
            case .stateMismatch: return "stateMismatch"
            case .relayKeyUnavailable: return "relayKeyUnavailable"
            case .intentRefused(let reason, let retryable, let status): return "\(reason) \(retryable) \(status)"
            case .protocolViolation: return "protocolViolation"
            case .notSignedIn: return "notSignedIn"
            case .haRefused(let code, let status, let body): return "\(code) \(status) \(body ?? "")"
            case .invitationNotClaimable(let namespaceId, let reason): return "\(namespaceId) \(reason)"
            }
        }
        #expect(name(.intentRefused(reason: "r", retryable: false, status: 403)) == "r false 403")
        #expect(name(.stateMismatch) == "stateMismatch")
    }
}
