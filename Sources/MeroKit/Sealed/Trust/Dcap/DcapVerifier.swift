import Foundation

/// Verifies TDX quotes by Intel's data centre attestation primitives, without asking anybody.
///
/// Spec: 80, section 4.
public enum DcapVerifier {
    /// What the quote says, once all of its signatures and those of its collateral hold.
    ///
    /// A status other than `UpToDate` does not throw: whether it will do is up to the caller. A revoked platform does.
    ///
    /// - Parameters:
    ///   - quote: The raw quote. Bytes behind it are padding.
    ///   - collateral: As the node answered, see section 5.
    ///   - now: The time to judge validity by.
    ///   - rootCA: The certificate that the chains have to end at, in DER.
    /// - Throws: `AttestationError`: `.notCurrent` for collateral and certificates that are not valid at `now`,
    ///   `.malformed`, `.unsupported`, `.unverified` and `.refused` for all else.
    public static func verify(
        quote: Data, collateral: JSONValue, now: Date, rootCA: Data = IntelRoot.certificate
    ) throws(AttestationError) -> VerifiedReport {
        let now = try UnixTime.seconds(now)
        let quote = try TdxQuote(Array(quote))
        let anchor = try naming("the root") { () throws(AttestationError) in
            try X509Certificate(der: Array(rootCA))
        }
        return try verify(
            quote, with: VerifiedCollateral(DcapCollateral(collateral), anchor: anchor, at: now))
    }

    /// The rest of it, once the collateral holds: steps 4 to 12.
    static func verify(
        _ quote: TdxQuote, with collateral: VerifiedCollateral
    ) throws(AttestationError) -> VerifiedReport {
        let platform = try checkSignatures(of: quote, with: collateral)
        let enclave = try collateral.qeIdentity.level(of: quote.qeReport)
        let judgement = try PlatformJudgement(quote.report, platform, collateral.tcbInfo)
        let status = try judgement.status.merged(with: enclave.status, of: "quoting enclave")
        try checkAttributes(of: quote.report)
        var advisoryIds: [String] = []
        for id in judgement.advisoryIds + enclave.advisoryIds where !advisoryIds.contains(id) {
            advisoryIds.append(id)
        }
        return VerifiedReport(
            status: status.rawValue, advisoryIds: advisoryIds, report: quote.report,
            fmspc: Hex.encode(platform.fmspc))
    }

    /// From Intel's root to the platform, from there to the enclave, and from there to the report.
    private static func checkSignatures(
        of quote: TdxQuote, with collateral: VerifiedCollateral
    ) throws(AttestationError) -> PckPlatform {
        // In quotes the text ends as a C string does.
        let fromQuote = quote.pckChain.reversed().drop { $0 == 0 }.reversed()
        let text = collateral.pckChain.map { Array($0.utf8) } ?? Array(fromQuote)
        let chain = try CertificateChain("the PCK chain", pem: text)
        let pck = try chain.verifiedLeaf(
            anchor: collateral.anchor, lists: collateral.revocations, at: collateral.now)
        let platform = try PckPlatform(pck)
        guard pck.publicKey.verifies(quote.qeSignature, over: quote.qeReport.bytes, hash: .sha256) else {
            throw AttestationError(.unverified, "the platform did not sign for the quoting enclave")
        }
        let binding = Digest.sha256(quote.attestationKey.point + quote.qeAuthenticationData)
        guard quote.qeReport.reportData.starts(with: binding) else {
            throw AttestationError(.unverified, "the attestation key is not the quoting enclave's")
        }
        guard quote.attestationKey.verifies(quote.signature, over: quote.signed, hash: .sha256) else {
            throw AttestationError(.unverified, "the signature of the quote does not hold")
        }
        return platform
    }

    /// Bits that have no meaning yet must not be set, nor those that give somebody a way into the environment.
    private static func checkAttributes(of report: TdReport) throws(AttestationError) {
        let bits = report.tdAttributes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard bits & 1 == 0 else { throw AttestationError(.refused, "the environment is in debug mode") }
        let septVeDisable: UInt64 = 1 << 28
        let known: UInt64 = septVeDisable | 1 << 30 | 1 << 31 | 1 << 63
        guard bits & ~known == 0 else {
            throw AttestationError(.refused, "the environment has attributes that are reserved")
        }
        guard bits & septVeDisable != 0 else {
            throw AttestationError(.refused, "the environment does not have SEPT_VE_DISABLE")
        }
        guard report.mrServiceTd?.allSatisfy({ $0 == 0 }) ?? true else {
            throw AttestationError(.refused, "the environment has a service environment")
        }
    }
}
