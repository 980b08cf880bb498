import Foundation
import MeroKit

/// A node's word that a namespace is its user's.
///
/// Spec: 30, section 9, and 70, section 3.4.
struct NodeOwnershipProof {
    private static let domain = Data("calimero.ownership-claim.v1".utf8) + [0]
    /// Which word follows no public source tells.
    private static let audience = "mdma:"
    private static let longestLifeMs: Int64 = 300_000

    private let signer: String
    private let payload: Data
    private let signature: String
    private let founding: JsonTree?
    private let credential: String?
    private let content: JsonTree

    /// Under what name its nonce is kept.
    var spentName: String { "node:\(signer):\(content["nonce"]?.stringValue ?? "")" }
    var expiresAtMs: Int64 { content["expires_at_ms"]?.integer() ?? 0 }

    /// Throws `CloudProblem`: 422 for names that are not there, in either spelling.
    init(_ body: CloudBody) throws {
        let texts = try body.strings(
            of: "ownership_proof",
            [["signer_public_key", "signerPublicKey"], ["signed_payload", "signedPayload"], ["signature"]])
        (signer, signature) = (texts[0], texts[2])
        guard let payload = Data(base64Encoded: texts[1]), let content = try? JsonParser.parse(payload) else {
            throw CloudProblem.proof("the payload cannot be read")
        }
        self.payload = payload
        self.content = content
        let proof = try body.value("ownership_proof")
        founding = proof["founding"].flatMap { $0 == .null ? nil : $0 }
        credential = proof["credential"]?.stringValue
    }

    /// Throws `CloudProblem`. What the payload says counts as the bytes that were signed, never as JSON written anew.
    func verify(namespace: String, subject: String, nowMs: Int64) throws {
        guard let key = Hex.decode(signer), key.count == 32, let bytes = Data(base64Encoded: signature),
            Ed25519.verify(publicKey: Data(key), signature: bytes, message: Self.domain + payload)
        else { throw CloudProblem.proof("the signature does not verify") }
        func text(_ name: String) -> String? { content[name]?.stringValue }
        guard content["v"]?.integer(Int.self) == 1 else { throw CloudProblem.proof("unknown version") }
        guard text("audience")?.hasPrefix(Self.audience) == true else { throw CloudProblem.proof("wrong audience") }
        guard text("group_id") == namespace else { throw CloudProblem.proof("it is about another namespace") }
        guard text("context_id") == "" else { throw CloudProblem.proof("it is about a context") }
        guard text("issuer_identity") == signer else { throw CloudProblem.proof("another key issued it") }
        guard text("subject") == subject else { throw CloudProblem.proof("it is for another user") }
        guard let nonce = text("nonce"), (32...128).contains(nonce.utf8.count), Hex.decode(nonce) != nil else {
            throw CloudProblem.proof("malformed nonce")
        }
        guard let issuedAt: Int64 = content["issued_at_ms"]?.integer(),
            let expiresAt: Int64 = content["expires_at_ms"]?.integer()
        else { throw CloudProblem.proof("malformed times") }
        try TimeWindow.check(issuedAt, expiresAt, longest: Self.longestLifeMs, nowMs: nowMs)
        try verifyFounding(namespace)
    }

    /// Nodes of this release say how the namespace was founded, so that the signer's right can be seen. Others are believed.
    private func verifyFounding(_ namespace: String) throws {
        guard let founding else { return }
        guard let founder = founding["founderAccountId"]?.stringValue, let salt = founding["salt"]?.stringValue,
            (try? GovernanceOps.foundedNamespaceId(founder: founder, salt: salt)) == namespace
        else { throw CloudProblem.proof("the namespace was not founded so") }
        guard let credential, let bytes = Hex.decode(credential),
            let proof = try? AccountProof<DeviceCertificate>(Data(bytes)), (try? proof.verify()) != nil,
            Hex.encode(proof.statement.signPublicKey) == signer
        else { throw CloudProblem.proof("the signer's credential does not verify") }
    }
}

/// When a signed statement counts.
enum TimeWindow {
    /// Clocks of phones and nodes differ from the cloud's by less.
    private static let skewMs: Int64 = 60_000

    /// Throws `CloudProblem`.
    static func check(_ issuedAt: Int64, _ expiresAt: Int64, longest: Int64, nowMs: Int64) throws {
        let (life, overflow) = expiresAt.subtractingReportingOverflow(issuedAt)
        guard !overflow, issuedAt >= 0, life > 0, life <= longest else { throw CloudProblem.proof("it lives too long") }
        guard issuedAt <= nowMs + skewMs else { throw CloudProblem.proof("it is of the future") }
        guard expiresAt > nowMs else { throw CloudProblem.proof("it has expired") }
    }
}

/// The founder's claim of a namespace: an account and a salt of which the namespace's id is the hash.
///
/// Spec: 70, section 5.1.
struct FounderClaim {
    enum Audience {
        case account
        case session(email: String)

        var text: String {
            switch self {
            case .account: return "mdma:enable-ha-namespace-as-account"
            case .session: return "mdma:enable-ha-namespace"
            }
        }

        /// In the order in which they are written.
        var members: [[String]] {
            let start = ["v", "audience", "group_id", "account_id", "salt"]
            let end = ["nonce", "issued_at_ms", "expires_at_ms"]
            switch self {
            case .account: return [start + end, start + end + ["relay_url"]]
            case .session: return [start + ["subject"] + end]
            }
        }
    }

    private static let domain = Data("calimero.mdma.account-ownership-claim.v1".utf8) + [0]
    private static let longestLifeMs: Int64 = 300_000
    private static let longestURL = 1024

    let account: String
    let relayURL: String?
    private let nonce: String
    private let expiresAtMs: Int64

    /// Throws `CloudProblem`.
    init(_ body: CloudBody, audience: Audience, namespace: String, account: String?, core: CloudCore) throws {
        let texts = try body.strings(
            of: "ownership_proof", [["kind"], ["credential"], ["signed_payload"], ["signature"]])
        guard texts[0] == "account" else {
            throw CloudProblem.invalid(
                ["body", "ownership_proof", "kind"], type: "literal_error", "Input should be 'account'",
                input: .string(texts[0]))
        }
        guard let payload = Data(base64Encoded: texts[2]), let content = try? JsonParser.parse(payload),
            case .object(let members) = content
        else { throw CloudProblem.proof("the payload cannot be read") }
        // One spelling only: members in order, nothing between them, nothing escaped that need not be.
        guard audience.members.contains(members.map(\.name)), content.data == payload else {
            throw CloudProblem.proof("the payload is not written as it has to be")
        }
        func text(_ name: String) -> String { content[name]?.stringValue ?? "" }
        guard content["v"]?.integer(Int.self) == 1 else { throw CloudProblem.proof("unknown version") }
        guard text("audience") == audience.text else { throw CloudProblem.proof("wrong audience") }
        guard text("group_id") == namespace else { throw CloudProblem.proof("it is about another namespace") }
        let claimed = text("account_id")
        guard CloudBody.isId(claimed), account == nil || claimed == account else {
            throw CloudProblem.proof("it is another account's")
        }
        if case .session(let email) = audience, text("subject") != email {
            throw CloudProblem.proof("it is for another user")
        }
        guard CloudBody.isId(text("nonce"), bytes: 16) else { throw CloudProblem.proof("malformed nonce") }
        guard let issuedAt: Int64 = content["issued_at_ms"]?.integer(),
            let expiresAt: Int64 = content["expires_at_ms"]?.integer()
        else { throw CloudProblem.proof("malformed times") }
        if let url = content["relay_url"] {
            guard let url = url.stringValue, (1...Self.longestURL).contains(url.unicodeScalars.count) else {
                throw CloudProblem.proof("malformed relay_url")
            }
        }
        let certificate = try Self.device(texts[1])
        guard Hex.encode(certificate.account) == claimed else {
            throw CloudProblem.proof("the credential is that of another account")
        }
        guard let signature = Data(base64Encoded: texts[3]),
            Ed25519.verify(
                publicKey: certificate.signPublicKey, signature: signature, message: Self.domain + payload)
        else { throw CloudProblem.proof("the signature does not verify") }
        try TimeWindow.check(issuedAt, expiresAt, longest: Self.longestLifeMs, nowMs: core.nowMs)
        guard CloudBody.isId(text("salt")),
            (try? GovernanceOps.foundedNamespaceId(founder: claimed, salt: text("salt"))) == namespace
        else { throw CloudProblem.proof("the account did not found the namespace") }
        self.account = claimed
        relayURL = content["relay_url"]?.stringValue
        nonce = text("nonce")
        expiresAtMs = expiresAt
    }

    private static func device(_ credential: String) throws -> DeviceCertificate {
        guard let bytes = Hex.decode(credential), let proof = try? AccountProof<DeviceCertificate>(Data(bytes)),
            proof.handoffs.count <= CallerProof.maxPresentedHandoffs, (try? proof.verify()) != nil
        else { throw CloudProblem.proof("the credential does not verify") }
        return proof.statement
    }

    /// Once only, and only when the claim is granted. Throws `CloudProblem`.
    func spend(in state: inout CloudState, nowMs: Int64) throws {
        let name = "account:\(account):\(nonce)"
        guard !state.isSpent(name) else { throw CloudProblem.proof("the nonce has been used") }
        state.spend(name, until: expiresAtMs, nowMs: nowMs)
    }
}
