import Foundation

/// What shows the cloud that an account founded a namespace, for one request.
///
/// Spec: 50, section 18.3.
public struct AccountOwnershipProof: Sendable, Equatable {
    /// `account`.
    public let kind: String
    /// The device's certificate, in hex.
    public let credential: String
    /// The JSON text that was signed, in base64.
    public let signedPayload: String
    /// By the device, in base64.
    public let signature: String

    /// As it travels.
    var json: JSONValue {
        [
            "kind": .string(kind), "credential": .string(credential), "signed_payload": .string(signedPayload),
            "signature": .string(signature),
        ]
    }
}

/// Makes the claim by which an account has a namespace hosted.
///
/// Spec: 50, section 18.3.
public enum AccountHaClaim {
    /// What the claim is for.
    public static let audience = "mdma:enable-ha-namespace-as-account"
    /// How long a claim is valid when nothing else is said, in milliseconds.
    public static let defaultTTLMs: Int64 = 60_000
    /// How long a claim can be valid, in milliseconds.
    public static let maxTTLMs: Int64 = 300_000

    private static let maxRelayURLLength = 1024
    private static let domain = "account-ownership-claim"
    /// Of the claim of a cloud user who is logged in.
    private static let sessionAudience = "mdma:enable-ha-namespace"

    /// Signs with the device's keys.
    ///
    /// - Parameters:
    ///   - namespaceId: the namespace, 64 hex characters.
    ///   - accountId: the account, 64 hex characters.
    ///   - salt: that the namespace was founded with.
    ///   - credential: the device's certificate, in hex.
    ///   - keys: the device's keys.
    ///   - relayURL: the relay that is to host, 1…1024 characters; nil leaves the choice to the cloud.
    ///   - ttlMs: 1…300,000 milliseconds.
    ///   - nowMs: milliseconds since 1970; nil is now.
    ///   - nonce: 16 bytes in hex; nil is a new one.
    ///
    /// Throws `AccountError.invalidInput`.
    public static func sign(
        namespaceId: String, accountId: String, salt: String, credential: String, keys: DeviceKeys,
        relayURL: String? = nil, ttlMs: Int64 = defaultTTLMs, nowMs: Int64? = nil, nonce: String? = nil
    ) throws -> AccountOwnershipProof {
        let payload = try payload(
            namespaceId: namespaceId, accountId: accountId, salt: salt, subject: nil, relayURL: relayURL,
            ttlMs: ttlMs, nowMs: nowMs, nonce: nonce)
        return try proof(credential, payload, keys.sign(message(payload)))
    }

    /// Signs with a signer. Throws `AccountError.invalidInput`, and what the signer throws.
    public static func sign(
        namespaceId: String, accountId: String, salt: String, credential: String, signer: any DeviceSigner,
        relayURL: String? = nil, ttlMs: Int64 = defaultTTLMs, nowMs: Int64? = nil, nonce: String? = nil
    ) async throws -> AccountOwnershipProof {
        let payload = try payload(
            namespaceId: namespaceId, accountId: accountId, salt: salt, subject: nil, relayURL: relayURL,
            ttlMs: ttlMs, nowMs: nowMs, nonce: nonce)
        return try proof(credential, payload, await signer.checkedSignature(over: message(payload)))
    }

    /// The claim of a cloud user who is logged in, for a namespace that one of their accounts founded.
    ///
    /// For `CloudAccountClient.enableFoundedNamespaceHa`. Spec: 70, section 5.1.
    ///
    /// - Parameters:
    ///   - namespaceId: the namespace, 64 hex characters.
    ///   - accountId: the account, 64 hex characters.
    ///   - salt: that the namespace was founded with.
    ///   - credential: the device's certificate, in hex.
    ///   - keys: the device's keys.
    ///   - subject: the e-mail address of the login.
    ///   - ttlMs: 1…300,000 milliseconds.
    ///   - nowMs: milliseconds since 1970; nil is now.
    ///   - nonce: 16 bytes in hex; nil is a new one.
    public static func sign(
        namespaceId: String, accountId: String, salt: String, credential: String, keys: DeviceKeys, subject: String,
        ttlMs: Int64 = defaultTTLMs, nowMs: Int64? = nil, nonce: String? = nil
    ) throws -> AccountOwnershipProof {
        let payload = try payload(
            namespaceId: namespaceId, accountId: accountId, salt: salt, subject: subject, relayURL: nil,
            ttlMs: ttlMs, nowMs: nowMs, nonce: nonce)
        return try proof(credential, payload, keys.sign(message(payload)))
    }

    /// The same with a signer. Throws also what the signer throws.
    public static func sign(
        namespaceId: String, accountId: String, salt: String, credential: String, signer: any DeviceSigner,
        subject: String, ttlMs: Int64 = defaultTTLMs, nowMs: Int64? = nil, nonce: String? = nil
    ) async throws -> AccountOwnershipProof {
        let payload = try payload(
            namespaceId: namespaceId, accountId: accountId, salt: salt, subject: subject, relayURL: nil,
            ttlMs: ttlMs, nowMs: nowMs, nonce: nonce)
        return try proof(credential, payload, await signer.checkedSignature(over: message(payload)))
    }

    package static func message(_ payload: Data) -> Data { CloudProof.message(domain: domain, payload) }

    /// The JSON text, its members in the order in which the cloud's own clients write them: it is signed as bytes.
    ///
    /// With a `subject`, the e-mail address of a cloud user who is logged in, it is that user's claim.
    package static func payload(
        namespaceId: String, accountId: String, salt: String, subject: String?, relayURL: String?, ttlMs: Int64,
        nowMs: Int64?, nonce: String?
    ) throws -> Data {
        guard (1...maxTTLMs).contains(ttlMs) else {
            throw AccountError.invalidInput("ttlMs must be 1…\(maxTTLMs), got \(ttlMs)")
        }
        guard subject?.isEmpty != true else { throw AccountError.invalidInput("subject must not be empty") }
        if let relayURL, !(1...maxRelayURLLength).contains(relayURL.unicodeScalars.count) {
            throw AccountError.invalidInput("relayURL must have 1…\(maxRelayURLLength) characters")
        }
        let issuedAt = nowMs ?? Int64(Date().timeIntervalSince1970 * 1000)
        let (expiresAt, overflow) = issuedAt.addingReportingOverflow(ttlMs)
        guard issuedAt >= 0, !overflow else { throw AccountError.invalidInput("nowMs is out of range") }
        func id(_ text: String, _ label: String) throws -> ExactJSON { .string(Hex.encode(try Hex.id(text, label))) }
        let nonce = try nonce.map { try Hex.decode($0, label: "nonce", bytes: 16) } ?? randomBytes(16)
        var members: [(String, ExactJSON)] = [
            ("v", .number("1")), ("audience", .string(subject == nil ? audience : sessionAudience)),
            ("group_id", try id(namespaceId, "namespaceId")), ("account_id", try id(accountId, "accountId")),
            ("salt", try id(salt, "salt")),
        ]
        if let subject { members.append(("subject", .string(subject))) }
        members += [
            ("nonce", .string(Hex.encode(nonce))), ("issued_at_ms", .number(String(issuedAt))),
            ("expires_at_ms", .number(String(expiresAt))),
        ]
        if let relayURL { members.append(("relay_url", .string(relayURL))) }
        var text = Data("{".utf8)
        for (index, (name, value)) in members.enumerated() {
            var writer = JSONWriter()
            try writer.write(value)
            text += Data("\(index == 0 ? "" : ",")\"\(name)\":".utf8) + writer.bytes
        }
        return text + Data("}".utf8)
    }

    private static func proof(_ credential: String, _ payload: Data, _ signature: Data) throws -> AccountOwnershipProof
    {
        guard try !Hex.decodeUnsized(credential, label: "credential").isEmpty else {
            throw AccountError.invalidInput("credential must not be empty")
        }
        return AccountOwnershipProof(
            kind: "account", credential: credential, signedPayload: payload.base64EncodedString(),
            signature: signature.base64EncodedString())
    }
}
