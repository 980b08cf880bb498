import Foundation

/// The content of `X-Calimero-Proof`: a device's certificate, perhaps the login of a session, and a signed request.
///
/// Spec: 50, section 9.
package struct CallerProof: Sendable {
    /// The name of the header.
    package static let header = "X-Calimero-Proof"
    /// Seconds that a proof may live at most.
    package static let maxRequestSeconds: UInt64 = 300
    /// Seconds that the login of a session may live at most.
    package static let maxSessionSeconds: UInt64 = 3600
    /// Seconds that two clocks may differ.
    package static let clockSkew: UInt64 = 30
    /// What a dev node accepts; the real limit is not known.
    package static let maxPresentedHandoffs = 16

    /// Why a node does not take a proof; the first of these that applies.
    package enum Problem: Error, Equatable {
        case tooManyHandoffs
        /// Method, path or body are not those that were signed.
        case covers
        case requestTooLong
        case requestNotYetValid
        case requestExpired
        case sessionTooLong
        case sessionNotYetValid
        case sessionExpired
        /// The session was opened at another node.
        case node
        case requestSignature
        case sessionSignature
        /// The session belongs to another device.
        case sessionDevice
        case credential(AccountProof<DeviceCertificate>.Problem)
    }

    package let credential: AccountProof<DeviceCertificate>
    package let session: SignedLoginStatement?
    package let request: RequestSignature

    /// Throws `BorshError`, also when something follows.
    package init(_ bytes: Data) throws(BorshError) {
        var reader = BorshReader(bytes)
        credential = try AccountProof(from: &reader)
        session = try reader.bool("session") ? SignedLoginStatement(from: &reader) : nil
        request = try RequestSignature(from: &reader)
        try reader.finish()
    }

    /// What the SDK sends, in hex: a certificate and a signed request, and no login of a session between them.
    package static func headerValue(credential: Data, request: RequestSignature) -> String {
        Hex.encode(credential + Data([0]) + request.bytes)
    }

    /// What the certificate names, whether or not it holds.
    package var certificate: DeviceCertificate { credential.statement }

    /// A node's checks, in their order, but for whether it serves the account. `node` is the key that it signs with,
    /// `now` in Unix seconds. Throws `Problem`.
    package func verify(
        method: String, path: String, body: Data, node: Data, now: UInt64, skew: UInt64 = clockSkew
    ) throws(Problem) {
        guard credential.handoffs.count <= Self.maxPresentedHandoffs else { throw .tooManyHandoffs }
        guard method.utf8.elementsEqual(request.method.utf8), path.utf8.elementsEqual(request.path.utf8),
            RequestSignature.hash(body) == request.bodyHash
        else { throw .covers }
        switch Self.window(request.issuedAt, request.expiresAt, Self.maxRequestSeconds, now, skew) {
        case .tooLong: throw .requestTooLong
        case .notYetValid: throw .requestNotYetValid
        case .expired: throw .requestExpired
        case nil: break
        }
        if let session {
            switch Self.window(session.issuedAt, session.expiresAt, Self.maxSessionSeconds, now, skew) {
            case .tooLong: throw .sessionTooLong
            case .notYetValid: throw .sessionNotYetValid
            case .expired: throw .sessionExpired
            case nil: break
            }
            guard session.node == node else { throw .node }
        }
        let signer = session?.sessionKey ?? certificate.signPublicKey
        guard Ed25519.verify(publicKey: signer, signature: request.signature, message: request.preimage) else {
            throw .requestSignature
        }
        if let session {
            guard session.isSigned else { throw .sessionSignature }
            guard session.deviceKey == certificate.signPublicKey else { throw .sessionDevice }
        }
        do {
            try credential.verify()
        } catch {
            throw .credential(error)
        }
    }

    private enum WindowProblem {
        case tooLong
        case notYetValid
        case expired
    }

    private static func window(
        _ issuedAt: UInt64, _ expiresAt: UInt64, _ longest: UInt64, _ now: UInt64, _ skew: UInt64
    ) -> WindowProblem? {
        if expiresAt > issuedAt, expiresAt - issuedAt > longest { return .tooLong }
        let (latest, overflow) = now.addingReportingOverflow(skew)
        if !overflow && latest < issuedAt { return .notYetValid }
        if now > skew && now - skew > expiresAt { return .expired }
        return nil
    }
}
