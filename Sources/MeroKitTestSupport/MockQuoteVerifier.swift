import Foundation
import MeroKit

/// Takes the quotes of mock environments, such as a `DevNode` attests with. For tests alone: nothing signs such a quote.
///
/// That the quote answers the nonce and binds what the node named is checked as ever. Spec: 80, section 3.1.
public struct MockQuoteVerifier: TransportQuoteVerifier {
    /// There is no collateral for such quotes.
    public var includeCollateral: Bool { false }

    /// Makes a verifier.
    public init() {}

    /// True for a mock quote with this nonce and binding. Throws `AttestationError` for all else.
    public func verify(
        quoteB64: String, nonce: String, reportDataSuffix: String, collateral: JSONValue?
    ) async throws -> Bool {
        guard let quote = Data(base64Encoded: quoteB64), let found = try? RelayNodeKey.reportData(of: quote) else {
            throw AttestationError(.malformed, "The quote cannot be read")
        }
        guard found.isMock else { throw AttestationError(.refused, "The quote is not one of a mock environment") }
        guard Hex.encode(found.reportData) == (nonce + reportDataSuffix).lowercased() else {
            throw AttestationError(.unverified, "The quote does not commit to this nonce and binding")
        }
        return true
    }
}
