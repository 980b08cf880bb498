/// A TDX quote of version 4 or 5, taken apart. Nothing of it is verified.
///
/// Spec: 80, sections 3.2 and 3.4.
package struct TdxQuote: Sendable, Equatable {
    static let maximumSize = 1 << 20

    private static let mockHeader = Array("MOCK_TDX_QUOTE_V1".utf8)
    private static let intelVendor: [UInt8] = [
        0x93, 0x9A, 0x72, 0x33, 0xF7, 0x9C, 0x4C, 0xA9, 0x94, 0x0A, 0x0D, 0xB3, 0x95, 0x7F, 0x06, 0x07,
    ]

    let version: Int
    /// Header and report, as the attestation key signed them.
    let signed: [UInt8]
    let report: TdReport
    let signature: [UInt8]
    let attestationKey: EcdsaPublicKey
    let qeReport: EnclaveReport
    let qeSignature: [UInt8]
    let qeAuthenticationData: [UInt8]
    /// In PEM.
    let pckChain: [UInt8]

    /// Bytes behind the quote are padding and not looked at.
    package init(_ bytes: [UInt8]) throws(AttestationError) {
        guard !bytes.starts(with: Self.mockHeader) else {
            throw AttestationError(.unsupported, "a mock quote, which nothing signed")
        }
        guard bytes.count <= Self.maximumSize else { throw AttestationError(.malformed, "the quote is too large") }
        var cursor = ByteCursor(bytes[...])
        version = try Self.header(&cursor)
        report = try version == 4 ? Self.report(&cursor, .td10) : Self.typedReport(&cursor)
        signed = Array(bytes[..<cursor.position])
        let length = try cursor.u32("length")
        var section = ByteCursor(try cursor.take(length, "signature section"))
        signature = Array(try section.take(64, "signature"))
        guard let key = EcdsaPublicKey(.p256, point: try section.take(64, "attestation key")) else { throw Self.short }
        attestationKey = key
        var certification = try Self.certification(&section, type: 6, "certification data")
        guard let qeReport = EnclaveReport(try certification.take(EnclaveReport.size, "enclave report")) else {
            throw Self.short
        }
        self.qeReport = qeReport
        qeSignature = Array(try certification.take(64, "signature of the enclave report"))
        guard try certification.u16("authentication data") == 32 else {
            throw AttestationError(.malformed, "the quote's authentication data is not of 32 bytes")
        }
        qeAuthenticationData = Array(try certification.take(32, "authentication data"))
        var chain = try Self.certification(&certification, type: 5, "chain of certificates")
        pckChain = Array(try chain.take(chain.remaining, "chain of certificates"))
    }

    private static func header(_ cursor: inout ByteCursor) throws(AttestationError) -> Int {
        let version = try cursor.u16("header")
        let keyType = try cursor.u16("header")
        let teeType = try cursor.u32("header")
        _ = try cursor.take(4, "header")
        let vendor = try cursor.take(16, "header")
        _ = try cursor.take(20, "header")
        guard version == 4 || version == 5 else {
            throw AttestationError(.unsupported, "the quote is of version \(version)")
        }
        guard teeType == 0x81 else { throw notTdx }
        guard keyType == 2 else {
            throw AttestationError(.unsupported, "the quote's key is of type \(keyType), not one on P-256")
        }
        guard vendor.elementsEqual(intelVendor) else {
            throw AttestationError(.unsupported, "the quote is not of Intel's quoting enclave")
        }
        return version
    }

    /// The body of version 5 says what it is.
    private static func typedReport(_ cursor: inout ByteCursor) throws(AttestationError) -> TdReport {
        let type = try cursor.u16("header")
        let size = try cursor.u32("header")
        let version: TdReport.Version
        switch type {
        case 1: throw notTdx
        case 2: version = .td10
        case 3: version = .td15
        default: throw AttestationError(.unsupported, "the quote's body is of type \(type)")
        }
        guard size == version.size else {
            throw AttestationError(.malformed, "the quote's body is not as long as its type is")
        }
        return try report(&cursor, version)
    }

    private static func report(
        _ cursor: inout ByteCursor, _ version: TdReport.Version
    ) throws(AttestationError) -> TdReport {
        guard let report = TdReport(version, bytes: try cursor.take(version.size, "report")) else { throw short }
        return report
    }

    /// A typed piece that has to fill all the rest of its section: what stands behind it would not be looked at.
    private static func certification(
        _ cursor: inout ByteCursor, type: Int, _ what: String
    ) throws(AttestationError) -> ByteCursor {
        guard try cursor.u16(what) == type else {
            throw AttestationError(.unsupported, "the quote's \(what) is of another type than \(type)")
        }
        let length = try cursor.u32(what)
        let content = try cursor.take(length, what)
        guard cursor.remaining == 0 else {
            throw AttestationError(.malformed, "the quote has more bytes behind its \(what)")
        }
        return ByteCursor(content)
    }

    private static let notTdx = AttestationError(.unsupported, "the quote is not a TDX one")
    private static let short = AttestationError(.malformed, "the quote is too short")
}
