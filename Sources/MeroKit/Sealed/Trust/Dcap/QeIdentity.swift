/// What Intel says about its quoting enclave.
///
/// Spec: 80, sections 4.2 and 5.
package struct QeIdentity: Sendable {
    let issueDate: Int64
    let nextUpdate: Int64
    let miscSelect: [UInt8]
    let miscSelectMask: [UInt8]
    let attributes: [UInt8]
    let attributesMask: [UInt8]
    let mrSigner: [UInt8]
    let isvProdId: Int
    let levels: [IsvLevel]

    package init(_ text: String) throws(AttestationError) {
        let fields = try TcbFields(text: text, "qe_identity")
        guard try fields.string("id") == "TD_QE" else {
            throw AttestationError(.refused, "the enclave identity is not that of the quoting enclave of TDX")
        }
        _ = try fields.int("version", in: 2...3)
        issueDate = try fields.time("issueDate")
        nextUpdate = try fields.time("nextUpdate")
        // Hex of the bytes as they stand in a report.
        miscSelect = try fields.hex("miscselect", bytes: 4)
        miscSelectMask = try fields.hex("miscselectMask", bytes: 4)
        attributes = try fields.hex("attributes", bytes: 16)
        attributesMask = try fields.hex("attributesMask", bytes: 16)
        mrSigner = try fields.hex("mrsigner", bytes: 32)
        isvProdId = try fields.int("isvprodid", in: 0...Int(UInt16.max))
        levels = try IsvLevel.list(of: fields)
    }

    /// How recent the enclave is, once it is the one that is described.
    func level(of report: EnclaveReport) throws(AttestationError) -> IsvLevel {
        guard report.mrSigner.elementsEqual(mrSigner) else { throw refused("is signed by somebody else") }
        guard report.attributes.first.map({ $0 & 0x02 == 0 }) == true else { throw refused("is in debug mode") }
        guard report.isvProdId == isvProdId else { throw refused("is another product") }
        guard Masked.equal(report.miscSelect, miscSelect, mask: miscSelectMask) else {
            throw refused("has another MISCSELECT")
        }
        guard Masked.equal(report.attributes, attributes, mask: attributesMask) else {
            throw refused("has other attributes")
        }
        guard let level = levels.first(where: { report.isvSvn >= $0.isvSvn }) else {
            throw refused("is older than any that Intel knows")
        }
        return level
    }

    private func refused(_ what: String) -> AttestationError {
        AttestationError(.unverified, "the quoting enclave \(what)")
    }
}

/// Compares bytes where a mask has ones.
enum Masked {
    static func equal(_ left: some Collection<UInt8>, _ right: [UInt8], mask: [UInt8]) -> Bool {
        guard left.count == mask.count, right.count == mask.count else { return false }
        return zip(zip(left, right), mask).allSatisfy { ($0.0 ^ $0.1) & $1 == 0 }
    }

    /// Whether no bit is set where the mask has zeros.
    static func isWithin(_ bytes: some Collection<UInt8>, mask: [UInt8]) -> Bool {
        bytes.count == mask.count && zip(bytes, mask).allSatisfy { $0 & ~$1 == 0 }
    }
}
