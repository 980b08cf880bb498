import Foundation

/// Learns a relay's key from a quote that Intel's signatures and a trusted image stand behind.
///
/// ```swift
/// let verifier = AttestedRelayKeyVerifier(try QuoteVerifier(trusting: trusted))
/// let nodeKey = try await RelayNodeKey.attest(relayURL: url, verifier: verifier)
/// ```
///
/// Spec: 80, section 2.6.
public struct AttestedRelayKeyVerifier: RelayKeyVerifier {
    private let verifier: @Sendable (_ relayURL: String) async throws -> any TransportQuoteVerifier

    /// Judges the quotes of all relays alike.
    public init(_ verifier: any TransportQuoteVerifier) { self.verifier = { _ in verifier } }

    /// Judges by a verifier for each relay, for those that ask the relay which release it runs.
    public init(for verifier: @escaping @Sendable (_ relayURL: String) async throws -> any TransportQuoteVerifier) {
        self.verifier = verifier
    }

    /// The bound key, in lower case. Throws `AccountError.relayKeyUnavailable`, and what the verifier throws.
    public func verify(_ attestation: RelayAttestation) async throws -> String {
        let key = attestation.boundPublicKey.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard Hex.is32(key) else { throw AccountError.relayKeyUnavailable("the bound key is not 64 hex characters") }
        let isTrusted = try await verifier(attestation.relayURL).verify(
            quoteB64: attestation.quoteB64, nonce: attestation.nonce,
            reportDataSuffix: Hex.encode(try RelayNodeKey.keyBinding(key)), collateral: attestation.collateral)
        guard isTrusted else { throw AccountError.relayKeyUnavailable("the quote is not one that is trusted") }
        return key
    }
}
