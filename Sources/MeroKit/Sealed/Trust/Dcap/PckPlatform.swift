/// What the certificate of a provisioning key says about its platform.
///
/// Spec: 80, section 4.3.
package struct PckPlatform: Sendable, Equatable {
    let fmspc: [UInt8]
    let cpuSvn: [UInt8]
    let pceSvn: Int

    /// - Parameter certificate: One whose chain holds.
    init(_ certificate: X509Certificate) throws(AttestationError) {
        guard let value = certificate.extensions[.sgx] else {
            throw AttestationError(.unverified, "the PCK certificate describes no platform")
        }
        self = try naming("the PCK certificate's description of its platform") { () throws(AttestationError) in
            try PckPlatform(description: value)
        }
    }

    /// - Parameter value: What is in Intel's extension.
    package init(description value: [UInt8]) throws(AttestationError) {
        let fields = try Self.pairs(DerReader.whole(value, DerTag.sequence, "description"))
        guard let tcb = fields[DerOid.sgx.child(2)], tcb.tag == DerTag.sequence else { throw Self.incomplete }
        let levels = try Self.pairs(tcb)
        fmspc = try Self.octets(fields[DerOid.sgx.child(4)], 6)
        cpuSvn = try Self.octets(levels[DerOid.sgx.child(2, 18)], 16)
        guard let pceSvn = levels[DerOid.sgx.child(2, 17)] else { throw Self.incomplete }
        self.pceSvn = try pceSvn.small()
    }

    /// Pairs of an identifier and a value, none of them twice.
    private static func pairs(_ element: DerElement) throws(AttestationError) -> [DerOid: DerElement] {
        var pairs: [DerOid: DerElement] = [:]
        var entries = element.inner
        while !entries.isAtEnd {
            var parts = try entries.next(DerTag.sequence, "pair").inner
            let oid = try parts.next().oid()
            let value = try parts.next()
            try parts.finish()
            guard pairs.updateValue(value, forKey: oid) == nil else { throw DerReader.malformed("a field comes twice") }
        }
        return pairs
    }

    private static func octets(_ element: DerElement?, _ count: Int) throws(AttestationError) -> [UInt8] {
        guard let element, element.tag == DerTag.octetString, element.content.count == count else { throw incomplete }
        return Array(element.content)
    }

    private static let incomplete = DerReader.malformed("a field is missing or of another kind")
}
