import Foundation

/// What the cloud has signed to learn who asks: a domain, a zero byte, then the challenge as it was issued, not decoded.
///
/// Spec: 50, section 18.
package enum CloudProof: String, CaseIterable, Sendable {
    /// By a device: who may read where an account or a namespace is hosted.
    case routingRead = "routing-read"
    /// By a root: the account belongs to a cloud user.
    case accountLink = "account-link"
    /// By a root: a login to the cloud.
    case accountLogin = "account-login"
    /// By a root: a cloud user's way back in.
    case accountRecovery = "account-recovery"

    /// The bytes that are signed, as they are.
    package func message(nonce: String) -> Data { Self.message(domain: rawValue, Data(nonce.utf8)) }

    package static func message(domain: String, _ payload: Data) -> Data {
        Data("calimero.mdma.\(domain).v1".utf8) + [0] + payload
    }
}

extension AccountRoot {
    /// The signature of the root over a challenge of the cloud, in base64.
    package func answer(_ proof: CloudProof, nonce: String) throws -> String {
        try sign(proof.message(nonce: nonce)).base64EncodedString()
    }
}
