/// What a quote is verified with, as a node or Intel's service hands it out. Nothing of it is verified.
///
/// Spec: 80, section 5.
package struct DcapCollateral: Sendable {
    static let maximumTextSize = 1 << 20

    /// A text that Intel signed as it stands.
    struct Statement: Sendable {
        let text: String
        let signature: [UInt8]
        /// In PEM.
        let issuerChain: String
    }

    let rootRevocations: [UInt8]
    let pckRevocations: [UInt8]
    let tcbInfo: Statement
    let qeIdentity: Statement
    /// In PEM; nil takes the one in the quote.
    let pckChain: String?

    /// Fields of other names are passed over.
    package init(_ json: JSONValue) throws(AttestationError) {
        guard json.objectValue != nil else { throw AttestationError(.malformed, "the collateral is no JSON object") }
        rootRevocations = try Self.bytes(json, "root_ca_crl", atMost: RevocationList.maximumSize)
        pckRevocations = try Self.bytes(json, "pck_crl", atMost: RevocationList.maximumSize)
        tcbInfo = try Self.statement(json, "tcb_info")
        qeIdentity = try Self.statement(json, "qe_identity")
        if let chain = json["pck_certificate_chain"], chain != .null {
            pckChain = try Self.text(json, "pck_certificate_chain")
        } else {
            pckChain = nil
        }
    }

    private static func statement(_ json: JSONValue, _ name: String) throws(AttestationError) -> Statement {
        Statement(
            text: try text(json, name), signature: try bytes(json, "\(name)_signature", atMost: 64),
            issuerChain: try text(json, "\(name)_issuer_chain"))
    }

    private static func text(_ json: JSONValue, _ key: String) throws(AttestationError) -> String {
        guard let text = json[key]?.stringValue, text.utf8.count <= maximumTextSize else { throw wrong(key) }
        return text
    }

    /// Hex, or an array of numbers as older nodes wrote it.
    private static func bytes(
        _ json: JSONValue, _ key: String, atMost limit: Int
    ) throws(AttestationError) -> [UInt8] {
        switch json[key] {
        case .string(let text):
            guard text.utf8.count <= 2 * limit, let bytes = Hex.decode(text) else { throw wrong(key) }
            return bytes
        case .array(let elements):
            guard elements.count <= limit else { throw wrong(key) }
            let bytes = elements.compactMap { $0.intValue.flatMap { UInt8(exactly: $0) } }
            guard bytes.count == elements.count else { throw wrong(key) }
            return bytes
        default: throw wrong(key)
        }
    }

    private static func wrong(_ key: String) -> AttestationError {
        AttestationError(.malformed, "the collateral's \(key) is missing or of another kind")
    }
}
