import Foundation
import Testing

@testable import MeroKit

@Suite("Proofs for the cloud")
struct CloudProofTests {
    static func vectors(claims: Bool) -> [CryptoVector] {
        CryptoVector.load("cloud-proofs") { ($0.input["kind"]?.text == "ha-claim") == claims }
    }

    private func base64(_ text: String) throws -> Data { try #require(Data(base64Encoded: text)) }

    @Test("Challenges", arguments: vectors(claims: false))
    func challenges(vector: CryptoVector) throws {
        let proof = try #require(CloudProof(rawValue: vector.input.string("kind")))
        let message = proof.message(nonce: try vector.input.string("nonce"))
        if let expected = vector.expected["messageHex"]?.text { #expect(Hex.encode(message) == expected) }
        let root = try AccountRoot(secret: vector.input.bytes("secret"))
        let answer = try root.answer(proof, nonce: vector.input.string("nonce"))
        try expectSameSigned(
            Hex.encode(base64(answer)), Hex.encode(base64(vector.expected.string("signatureBase64"))),
            key: Hex.id(root.publicKey, "key"), message: message)
        if let credential = vector.input["credential"]?.text {
            #expect(try DeviceCertificates.parse(credential).signPublicKey == root.publicKey)
        }
    }

    @Test("Claims of founded namespaces", arguments: vectors(claims: true))
    func claims(vector: CryptoVector) async throws {
        let input = vector.input
        let subject = try input.optionalString("subject")
        let relayURL = try input.optionalString("relayUrl")
        let keys = try DeviceKeys.signing(input.bytes("secret"))
        let (namespace, account, salt, nonce) = try (
            input.string("namespaceId"), input.string("accountId"), input.string("salt"), input.string("nonce")
        )
        let (ttl, now): (Int64, Int64) = try (input.integer("ttlMs"), input.integer("issuedAtMs"))
        func payload() throws -> Data {
            try AccountHaClaim.payload(
                namespaceId: namespace, accountId: account, salt: salt, subject: subject, relayURL: relayURL,
                ttlMs: ttl, nowMs: now, nonce: nonce)
        }
        func sign() throws -> AccountOwnershipProof {
            try AccountHaClaim.sign(
                namespaceId: namespace, accountId: account, salt: salt, credential: "02", keys: keys,
                relayURL: relayURL, ttlMs: ttl, nowMs: now, nonce: nonce)
        }
        if let error = vector.error {
            #expect(error == "invalidInput")
            for attempt in [{ _ = try payload() }, { _ = try sign() }] {
                guard case .invalidInput? = #expect(throws: AccountError.self, performing: attempt) else {
                    Issue.record("another error")
                    continue
                }
            }
            return
        }
        let signed = try payload()
        #expect(Array(signed) == Array(try vector.expected.string("payload").utf8))
        if let expected = vector.expected["signedPayloadBase64"]?.text {
            #expect(signed.base64EncodedString() == expected)
        }
        let key = try keys.signPublicKeyBytes
        let message = AccountHaClaim.message(signed)
        if let expected = vector.expected["signatureBase64"]?.text {
            #expect(Ed25519.verify(publicKey: key, signature: try base64(expected), message: message))
        }
        guard subject == nil else { return }
        let external = try await AccountHaClaim.sign(
            namespaceId: namespace, accountId: account, salt: salt, credential: "02", signer: OpaqueSigner(keys),
            relayURL: relayURL, ttlMs: ttl, nowMs: now, nonce: nonce)
        for proof in [try sign(), external] {
            #expect(proof.kind == "account" && proof.credential == "02")
            #expect(proof.signedPayload == signed.base64EncodedString())
            #expect(Ed25519.verify(publicKey: key, signature: try base64(proof.signature), message: message))
        }
    }

    @Test("Claims of what is none are refused; without a time and a nonce they are new ones")
    func inputs() throws {
        let id = String(repeating: "1a", count: 32)
        func claim(
            _ namespace: String, _ account: String, _ salt: String, credential: String = "02", nowMs: Int64? = nil,
            nonce: String? = nil
        ) throws -> AccountOwnershipProof {
            try AccountHaClaim.sign(
                namespaceId: namespace, accountId: account, salt: salt, credential: credential, keys: .generate(),
                nowMs: nowMs, nonce: nonce)
        }
        #expect(try claim(id, id, id).signedPayload != claim(id, id, id).signedPayload)
        #expect(throws: AccountError.self) { try claim("", id, id) }
        #expect(throws: AccountError.self) { try claim(id, "x", id) }
        #expect(throws: AccountError.self) { try claim(id, id, id + "00") }
        #expect(throws: AccountError.self) { try claim(id, id, id, credential: "") }
        #expect(throws: AccountError.self) { try claim(id, id, id, credential: "xyz") }
        #expect(throws: AccountError.self) { try claim(id, id, id, nowMs: -1) }
        #expect(throws: AccountError.self) { try claim(id, id, id, nowMs: .max) }
        #expect(throws: AccountError.self) { try claim(id, id, id, nonce: "0102") }
    }

    @Test("Errors of the account layer describe themselves as published")
    func descriptions() {
        for (error, text) in [
            (.invalidInput("a"), "a"), (.credentialRejected("a"), "Credential rejected: a"),
            (.relayKeyUnavailable("a"), "Relay node key unavailable: a"), (.enrolmentDeclined("a"), "a"),
            (.intentRefused(reason: "a", retryable: true, status: 403), "Relay refused the intent (HTTP 403): a"),
            (.haRefused(code: "odd", status: 409, body: nil), "The cloud refused HA: odd"),
            (
                .haRefused(code: "unknown_relay", status: 422, body: nil),
                "The cloud does not run that relay"
            ), (.protocolViolation("a"), "a"), (.notSignedIn("a"), "a"),
        ] as [(AccountError, String)] {
            #expect(error.localizedDescription == text)
        }
        #expect(!AccountError.stateMismatch.localizedDescription.isEmpty)
        let unclaimable = AccountError.invitationNotClaimable(namespaceId: "n", reason: "not-hosted")
        #expect(unclaimable.localizedDescription.contains("not-hosted"))
    }
}
