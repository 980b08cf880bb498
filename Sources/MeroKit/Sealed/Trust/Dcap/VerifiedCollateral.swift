/// Collateral whose signatures hold and which is valid now.
///
/// Spec: 80, section 4.2, steps 2 and 3.
struct VerifiedCollateral: Sendable {
    let tcbInfo: TcbInfo
    let qeIdentity: QeIdentity
    let revocations: [RevocationList]
    let anchor: X509Certificate
    /// In PEM; nil takes the one in the quote.
    let pckChain: String?
    /// The second that all of it was judged at.
    let now: Int64

    init(_ collateral: DcapCollateral, anchor: X509Certificate, at now: Int64) throws(AttestationError) {
        let rootRevocations = try naming("root_ca_crl") { () throws(AttestationError) in
            try RevocationList(der: collateral.rootRevocations)
        }
        let pckRevocations = try naming("pck_crl") { () throws(AttestationError) in
            try RevocationList(der: collateral.pckRevocations)
        }
        revocations = [rootRevocations, pckRevocations]
        self.anchor = anchor
        self.now = now
        pckChain = collateral.pckChain
        // Signatures first: what Intel did not write is not read.
        try Self.check(collateral.tcbInfo, "tcb_info", anchor, revocations, now)
        tcbInfo = try TcbInfo(collateral.tcbInfo.text)
        try Self.check("tcb_info", from: tcbInfo.issueDate, to: tcbInfo.nextUpdate, now)
        try Self.check(collateral.qeIdentity, "qe_identity", anchor, revocations, now)
        qeIdentity = try QeIdentity(collateral.qeIdentity.text)
        try Self.check("qe_identity", from: qeIdentity.issueDate, to: qeIdentity.nextUpdate, now)
    }

    private static func check(
        _ statement: DcapCollateral.Statement, _ name: String, _ anchor: X509Certificate, _ lists: [RevocationList],
        _ now: Int64
    ) throws(AttestationError) {
        let chain = try CertificateChain("\(name)_issuer_chain", pem: statement.issuerChain.utf8)
        let leaf = try chain.verifiedLeaf(anchor: anchor, lists: lists, at: now)
        guard leaf.publicKey.verifies(statement.signature, over: statement.text.utf8, hash: .sha256) else {
            throw AttestationError(.unverified, "the signature of \(name) does not hold")
        }
    }

    private static func check(_ name: String, from start: Int64, to end: Int64, _ now: Int64) throws(AttestationError) {
        guard start <= now else { throw AttestationError(.notCurrent, "\(name) was issued in the future") }
        guard now <= end else { throw AttestationError(.notCurrent, "\(name) has expired") }
    }
}
