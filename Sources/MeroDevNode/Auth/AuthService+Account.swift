import Foundation
import MeroKit

/// The login of an account that runs no node.
///
/// Spec: 10, section 9.7, and 50, section 8.
extension AuthService {
    /// What a session of an account may do, and nothing else.
    static let accountPermissions = [
        "context:intent", "context:list-own", "context:query", "context:subscribe", "namespace:list-own",
    ]

    func accountLogin(_ data: JsonTree, sessionKey: String, clientName: String) -> DevHttpResponse {
        do {
            return try openSession(Statement(data), sessionKey: sessionKey, clientName: clientName)
        } catch let refusal as AccountLoginRefusal {
            return Self.loginRefused("Authentication failed: \(refusal.text)")
        } catch let problem as JsonShapeProblem {
            return Self.loginRefused("Invalid request: Invalid account-proof data: \(problem)")
        } catch {
            return Self.loginRefused("Service unavailable: store is down")
        }
    }

    private struct Statement {
        let challenge: String
        let login: String
        let proof: String

        init(_ data: JsonTree) throws {
            let fields = try JsonFields(data, allowed: ["challenge", "login_statement", "account_proof"])
            challenge = try fields.string("challenge")
            login = try fields.string("login_statement")
            proof = try fields.string("account_proof")
        }
    }

    /// All checks in the node's order; only then the challenge is spent. Throws `AccountLoginRefusal`, and what the vault
    /// throws.
    private func openSession(_ sent: Statement, sessionKey: String, clientName: String) throws -> DevHttpResponse {
        let now = clock.seconds
        let challenge = try Self.bytes(sent.challenge, "challenge")
        guard challenge.count == 32 else { throw AccountLoginRefusal("challenge must be 32 bytes") }
        do {
            try challenges.check(challenge, now: now)
        } catch ChallengeMint.Problem.expired {
            throw AccountLoginRefusal("challenge has expired")
        } catch {
            throw AccountLoginRefusal("challenge was not issued by this node")
        }
        let statement: SignedLoginStatement
        let proof: AccountProof<DeviceCertificate>
        do {
            statement = try SignedLoginStatement(Data(Self.bytes(sent.login, "login statement")))
        } catch let problem as BorshError {
            throw AccountLoginRefusal("login statement is not a valid encoding: \(problem)")
        }
        do {
            proof = try AccountProof(Data(Self.bytes(sent.proof, "account proof")))
        } catch let problem as BorshError {
            throw AccountLoginRefusal("account proof is not a valid encoding: \(problem)")
        }
        guard proof.handoffs.count <= CallerProof.maxPresentedHandoffs else {
            throw AccountLoginRefusal(
                "account proof is not acceptable: it carries \(proof.handoffs.count) root-key handoffs; at most "
                    + "\(CallerProof.maxPresentedHandoffs) are accepted")
        }
        try check(statement, challenge: Data(challenge), sessionKey: sessionKey, now: now)
        do {
            try proof.verify()
        } catch {
            throw AccountLoginRefusal("account proof does not verify: \(error)")
        }
        guard proof.statement.signPublicKey == statement.deviceKey else {
            throw AccountLoginRefusal("the account proof certifies a different device than the one that signed")
        }
        return try spend(challenge: challenge, for: proof.statement, clientName: clientName, now: now)
    }

    private func check(
        _ statement: SignedLoginStatement, challenge: Data, sessionKey: String, now: Int64
    ) throws {
        guard statement.challenge == challenge else {
            throw AccountLoginRefusal("login statement does not cover the challenge it was sent with")
        }
        let audience = statement.audience.label
        guard settings.allowedAudiences.isEmpty || settings.allowedAudiences.contains(audience) else {
            throw AccountLoginRefusal("audience \(audience) is not accepted by this node")
        }
        guard statement.node == settings.nodeKey else {
            throw AccountLoginRefusal("login statement is addressed to another node")
        }
        guard let key = Hex.decode(sessionKey), key.count == 32 else {
            throw AccountLoginRefusal("session key is not a valid public key: \(sessionKey)")
        }
        guard Data(key) == statement.sessionKey else {
            throw AccountLoginRefusal("login statement authorizes a different session key than the one requested")
        }
        guard statement.expiresAt > UInt64(clamping: now) else {
            throw AccountLoginRefusal("login statement has expired")
        }
        guard statement.isSigned else { throw AccountLoginRefusal("login statement signature does not verify") }
    }

    /// A challenge opens one session; the first one of an account makes the account's key here.
    private func spend(
        challenge: [UInt8], for certificate: DeviceCertificate, clientName: String, now: Int64
    ) throws -> DevHttpResponse {
        let account = Hex.encode(certificate.account)
        let usedId = "challenge:" + Hex.encode(challenge)
        let pair = try vault.change { state -> DevTokens in
            guard state.used[usedId] == nil else { throw AccountLoginRefusal("challenge has already been used") }
            let records = state.keys.entries.values.filter {
                $0.authMethod == Self.accountProvider && $0.userId == account
            }
            // What was revoked stays so; one that took its place is another one.
            let known = records.first { $0.revokedAt == nil } ?? records.first
            guard known?.revokedAt == nil else {
                throw AccountLoginRefusal("this account's key has been revoked on this node")
            }
            state.used[usedId] = UsedToken(expiresAt: now + settings.challengeLifetime, family: nil)
            let key =
                known
                ?? Self.addRootKey(
                    userId: account, publicKey: account, method: Self.accountProvider,
                    permissions: Self.accountPermissions, now: now, to: &state)
            return mintPair(
                key: key, nodeURL: clientName, device: Hex.encode(certificate.device), generation: state.generation)
        }
        return AuthReply.tokens(pair)
    }

    private static func bytes(_ text: String, _ label: String) throws -> [UInt8] {
        guard let bytes = Hex.decode(text) else {
            throw AccountLoginRefusal("\(label) is not valid hex: \(text.prefix(80))")
        }
        return bytes
    }
}

/// Why an account is not let in, in the node's words.
struct AccountLoginRefusal: Error, Sendable, Equatable {
    var text: String
    init(_ text: String) { self.text = text }
}
