/// A quote of a node's trusted environment.
///
/// Spec: 20, section 6.10.
public struct TeeAttestResponseData: Codable, Sendable {
    /// The quote itself, base64: this is what is verified.
    public let quoteB64: String
    /// The same taken apart, for reading.
    public let quote: Quote
    /// The node's signing key, when the request asked to bind it.
    public let boundPublicKey: String?
    /// The node's transport key, when the request asked to bind it.
    public let transportPublicKey: String?
    /// What the quote is verified with, when the request asked for it.
    public let collateral: JSONValue?

    /// Makes a value of its parts.
    public init(
        quoteB64: String, quote: Quote, boundPublicKey: String? = nil, transportPublicKey: String? = nil,
        collateral: JSONValue? = nil
    ) {
        self.quoteB64 = quoteB64
        self.quote = quote
        self.boundPublicKey = boundPublicKey
        self.transportPublicKey = transportPublicKey
        self.collateral = collateral
    }
}
