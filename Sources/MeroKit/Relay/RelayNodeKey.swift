import Foundation

/// What a relay's attestation says about the key that it signs with.
///
/// Spec: 50, section 19, and 80, section 2.6.
public enum RelayNodeKey {
    private static let mockHeader = Array("MOCK_TDX_QUOTE_V1".utf8)
    private static let reportDataSize = 64
    /// Of a quote of version 5; all others have it six bytes earlier.
    private static let version5Offset = 574
    private static let defaultOffset = 568

    /// What binds a node's key into its report data, 32 bytes. Throws `AccountError.invalidInput`.
    public static func keyBinding(_ nodeKey: String) throws -> Data {
        ReportDataBinding.bound(
            ReportDataBinding.nodeKeyDomain, ReportDataBinding.nothing, try Hex.id(nodeKey, "nodeKey"))
    }

    /// The 64 bytes that a quote attests, and whether it is one of a mock environment.
    ///
    /// Throws `AccountError.relayKeyUnavailable` when the quote is too short.
    public static func reportData(of quote: Data) throws -> (reportData: Data, isMock: Bool) {
        let bytes = Data(quote)
        let isMock = bytes.starts(with: mockHeader)
        let offset: Int
        if isMock {
            offset = mockHeader.count
        } else {
            offset = bytes.starts(with: [5, 0]) ? version5Offset : defaultOffset
        }
        guard bytes.count >= offset + reportDataSize else {
            throw AccountError.relayKeyUnavailable("the quote is too short: \(bytes.count) bytes")
        }
        return (bytes.subdata(in: offset..<(offset + reportDataSize)), isMock)
    }
}
