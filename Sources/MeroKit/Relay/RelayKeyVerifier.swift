import Foundation

/// A relay's answer to a request for attestation.
///
/// Spec: 80, section 2.6.
public struct RelayAttestation: Sendable, Equatable {
    /// Whom was asked.
    public let relayURL: String
    /// What it was asked with, 64 hex characters.
    public let nonce: String
    /// The quote, in base64.
    public let quoteB64: String
    /// The key that the relay says it signs with.
    public let boundPublicKey: String
    /// What a check of the quote's own signature needs.
    public let collateral: JSONValue?

    /// Makes a value of its parts.
    public init(
        relayURL: String, nonce: String, quoteB64: String, boundPublicKey: String, collateral: JSONValue? = nil
    ) {
        self.relayURL = relayURL
        self.nonce = nonce
        self.quoteB64 = quoteB64
        self.boundPublicKey = boundPublicKey
        self.collateral = collateral
    }
}

/// Decides whether an attestation tells the key of a relay.
///
/// Spec: 80, section 2.6.
public protocol RelayKeyVerifier: Sendable {
    /// The relay's key, 64 hex characters. Throws when the attestation does not tell it.
    func verify(_ attestation: RelayAttestation) async throws -> String
}

/// Takes the key that was pinned, whatever a relay says.
public struct PinnedRelayKeyVerifier: RelayKeyVerifier {
    private let nodeKey: String

    /// - Parameter nodeKey: learned from something trusted, 64 hex characters.
    public init(nodeKey: String) { self.nodeKey = nodeKey }

    /// The pinned key, in lower case. Throws `AccountError.relayKeyUnavailable` when it is none.
    public func verify(_ attestation: RelayAttestation) async throws -> String {
        let key = nodeKey.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard Hex.is32(key) else { throw AccountError.relayKeyUnavailable("the pinned key is not 64 hex characters") }
        return key
    }
}

/// Checks that the quote answers our nonce and binds the key, and leaves it to TLS that the quote is the relay's.
///
/// The quote's own signature is not checked. A mock quote is taken from this machine only, unless told otherwise.
public struct TLSRelayKeyVerifier: RelayKeyVerifier {
    private static let loopbackHosts: Set<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]

    private let allowMock: Bool?

    /// - Parameter allowMock: whether quotes of mock environments will do; nil: from a loopback host only.
    public init(allowMock: Bool? = nil) { self.allowMock = allowMock }

    /// The bound key, in lower case. Throws `AccountError.relayKeyUnavailable`.
    public func verify(_ attestation: RelayAttestation) async throws -> String {
        guard let quote = Data(base64Encoded: attestation.quoteB64) else {
            throw AccountError.relayKeyUnavailable("the quote is not base64")
        }
        let key = attestation.boundPublicKey.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard Hex.is32(key) else { throw AccountError.relayKeyUnavailable("the bound key is not 64 hex characters") }
        let (reportData, isMock) = try RelayNodeKey.reportData(of: quote)
        guard Hex.encode(reportData.prefix(32)) == attestation.nonce.lowercased() else {
            throw AccountError.relayKeyUnavailable("the quote does not answer our nonce")
        }
        guard try reportData.suffix(32) == RelayNodeKey.keyBinding(key) else {
            throw AccountError.relayKeyUnavailable("the quote does not bind the key that the relay named")
        }
        guard !isMock || (allowMock ?? Self.isLoopback(attestation.relayURL)) else {
            throw AccountError.relayKeyUnavailable("the quote is one of a mock environment")
        }
        return key
    }

    private static func isLoopback(_ url: String) -> Bool {
        URLComponents(string: url)?.host.map { loopbackHosts.contains($0.lowercased()) } ?? false
    }
}
