/// Decides whether a quote vouches for what it was bound to.
///
/// `QuoteVerifier` trusts given images, `SignedReleaseVerifier` those of a signed release. Spec: 80, section 2.5.
public protocol TransportQuoteVerifier: Sendable {
    /// Whether the node is to be asked for collateral.
    var includeCollateral: Bool { get }

    /// True when it does. Throws, or is false, when it does not.
    ///
    /// - Parameters:
    ///   - quoteB64: The raw quote, in base64.
    ///   - nonce: 32 bytes that we chose for this one quote, in hex.
    ///   - reportDataSuffix: What the second half of the report data has to be, in hex.
    ///   - collateral: What the node sent to verify the quote with.
    func verify(
        quoteB64: String, nonce: String, reportDataSuffix: String, collateral: JSONValue?
    ) async throws -> Bool
}
