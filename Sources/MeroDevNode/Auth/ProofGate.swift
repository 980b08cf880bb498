import Foundation
import MeroKit

/// Judges `X-Calimero-Proof`: one signed request, no session.
///
/// A proof may repeat the identical request until it expires, so none is remembered. Spec: 50, section 9.3.
struct ProofGate: Sendable {
    static let header = CallerProof.header.lowercased()
    static let refusal = "invalid_proof"
    /// Bytes of a body that a proof can cover.
    static let bodyLimit = 1 << 20

    let clock: DevClock
    let nodeKey: Data
    /// Whose account's proofs are taken in any case.
    let identity: NodeIdentity
    /// Whether other accounts' proofs are taken as well.
    let servesEveryone: Bool

    enum Verdict: Sendable {
        case caller(Caller)
        case refused(DevHttpResponse)
    }

    func judge(_ text: String, _ request: DevHttpRequest) -> Verdict {
        let malformed = Verdict.refused(.refused(401, authError: Self.refusal))
        guard let bytes = Hex.decode(text), let proof = try? CallerProof(Data(bytes)),
            proof.credential.handoffs.count <= CallerProof.maxPresentedHandoffs
        else { return malformed }
        let account = Hex.encode(proof.certificate.account)
        guard servesEveryone || account == identity.accountId else {
            return .refused(.refused(403, authError: Self.refusal))
        }
        guard request.bodyLength <= UInt64(Self.bodyLimit) else { return .refused(.bodyTooLarge) }
        guard let body = request.wholeBody else { return .refused(.refused(500)) }
        let now = clock.seconds
        do {
            try proof.verify(
                method: request.method, path: request.path, body: body, node: nodeKey, now: UInt64(clamping: now))
        } catch {
            return malformed
        }
        return .caller(Self.caller(account: account, device: Hex.encode(proof.certificate.device), now: now))
    }

    /// As if the account had a session for this one request.
    private static func caller(account: String, device: String, now: Int64) -> Caller {
        let permissions = AuthService.accountPermissions
        let claims = TokenClaims(
            subject: account, keyId: "", expiresAt: now, issuedAt: now, tokenId: "", kind: .access,
            permissions: permissions, device: device)
        let key = KeyRecord(
            id: "", kind: .root, userId: account, authMethod: AuthService.accountProvider, permissions: permissions,
            createdAt: now, order: 0)
        return Caller(claims: claims, key: key, scopes: ScopeSet(token: permissions, key: permissions))
    }
}
