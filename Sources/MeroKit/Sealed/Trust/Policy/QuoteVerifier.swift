import Foundation

/// Trusts a quote of one of given images, on a platform of given recency, that answers our nonce.
///
/// ```swift
/// let trusted = try trustedMeasurements(fromReleases: [release], profile: "locked-read-only")
/// let verifier = try QuoteVerifier(trusting: trusted)
/// let key = try await fetchAttestedTransportKey(admin: mero.admin, verifier: verifier)
/// ```
///
/// Spec: 80, section 6.1.
public struct QuoteVerifier: TransportQuoteVerifier {
    /// Gets collateral for a raw quote, in the form of section 5 of document 80.
    public typealias CollateralSource = @Sendable (_ quote: Data) async throws -> JSONValue

    /// Its quotes are verified with collateral.
    public var includeCollateral: Bool { true }

    private let allowedMeasurements: [TdMeasurements]
    /// Of those registers that are looked at on their own.
    private let allowedRegisters: [(name: String, values: [String])]
    private let allowedTcbStatuses: [String]
    private let fetchCollateral: CollateralSource?
    private let rootCA: Data
    private let clock: @Sendable () -> Date

    /// Trusts what is named here and nothing else.
    ///
    /// An image is named by `allowedMeasurements`, or by lists for MRTD and RTMR1, 2 and 3. MRTD alone names none: it
    /// measures the firmware, which many images share. Given both, a quote has to satisfy both.
    ///
    /// - Parameters:
    ///   - allowedMeasurements: Images. Registers of several never combine.
    ///   - allowedMrtd: Values of MRTD, 96 hex characters each.
    ///   - allowedRtmr0: Values of RTMR0; empty leaves it unchecked.
    ///   - allowedRtmr1: Values of RTMR1.
    ///   - allowedRtmr2: Values of RTMR2.
    ///   - allowedRtmr3: Values of RTMR3.
    ///   - allowedTcbStatuses: In Intel's words, in their case. `Revoked` is never trusted.
    ///   - fetchCollateral: Asked when the node sends none.
    ///   - rootCA: The certificate, in DER, that all chains have to end at.
    ///   - clock: The time to judge validity by.
    /// - Throws: `AttestationError`, `.invalidInput`, when no image is named, or a register is not 96 hex characters.
    public init(
        allowedMeasurements: [TdMeasurements]? = nil, allowedMrtd: [String] = [], allowedRtmr0: [String] = [],
        allowedRtmr1: [String] = [], allowedRtmr2: [String] = [], allowedRtmr3: [String] = [],
        allowedTcbStatuses: [String] = ["UpToDate"], fetchCollateral: CollateralSource? = nil,
        rootCA: Data = IntelRoot.certificate, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws(AttestationError) {
        let lists = [
            ("allowedMrtd", allowedMrtd), ("allowedRtmr0", allowedRtmr0), ("allowedRtmr1", allowedRtmr1),
            ("allowedRtmr2", allowedRtmr2), ("allowedRtmr3", allowedRtmr3),
        ]
        if let allowedMeasurements {
            guard !allowedMeasurements.isEmpty else {
                throw AttestationError(.invalidInput, "allowedMeasurements is empty")
            }
        } else {
            guard lists.contains(where: { !$0.1.isEmpty }) else {
                throw AttestationError(.invalidInput, "No image is trusted")
            }
            // A firmware that nobody checked can put into the other registers what it likes.
            guard [allowedMrtd, allowedRtmr1, allowedRtmr2, allowedRtmr3].allSatisfy({ !$0.isEmpty }) else {
                throw AttestationError(
                    .invalidInput,
                    "allowedMrtd does not name an image without allowedRtmr1, 2 and 3, nor they without it")
            }
        }
        var measurements: [TdMeasurements] = []
        for (index, entry) in (allowedMeasurements ?? []).enumerated() {
            measurements.append(try entry.checked("allowedMeasurements[\(index)]"))
        }
        var registers: [(String, [String])] = []
        for (name, list) in lists where !list.isEmpty {
            var values: [String] = []
            for (index, text) in list.enumerated() {
                values.append(try TdMeasurements.register(text, "\(name)[\(index)]"))
            }
            registers.append((name, values))
        }
        self.allowedMeasurements = measurements
        self.allowedRegisters = registers
        self.allowedTcbStatuses = allowedTcbStatuses
        self.fetchCollateral = fetchCollateral
        self.rootCA = rootCA
        self.clock = clock
    }

    /// Trusts what releases say, see `trustedMeasurements(fromReleases:profile:)`. Throws like the other one.
    public init(
        trusting trusted: TrustedMeasurements, fetchCollateral: CollateralSource? = nil,
        rootCA: Data = IntelRoot.certificate, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws(AttestationError) {
        try self.init(
            allowedMeasurements: trusted.allowedMeasurements, allowedTcbStatuses: trusted.allowedTcbStatuses,
            fetchCollateral: fetchCollateral, rootCA: rootCA, clock: clock)
    }

    /// True, or it throws: `AttestationError`, what `fetchCollateral` throws, and `CancellationError`.
    public func verify(
        quoteB64: String, nonce: String, reportDataSuffix: String, collateral: JSONValue?
    ) async throws -> Bool {
        guard let quote = StrictBase64.decode(quoteB64) else {
            throw AttestationError(.malformed, "The quote is not base64")
        }
        let usable: JSONValue
        if let collateral, collateral != .null {
            usable = collateral
        } else if let fetchCollateral {
            usable = try await fetchCollateral(Data(quote))
        } else {
            throw AttestationError(.unsupported, "The node sent no collateral to verify its quote with")
        }
        try check(quote: quote, collateral: usable, nonce: nonce, suffix: reportDataSuffix)
        return true
    }

    private func check(
        quote: [UInt8], collateral: JSONValue, nonce: String, suffix: String
    ) throws(AttestationError) {
        let verified = try naming("The quote did not verify") { () throws(AttestationError) in
            try DcapVerifier.verify(quote: Data(quote), collateral: collateral, now: clock(), rootCA: rootCA)
        }
        try check(verified, nonce: nonce, suffix: suffix)
    }

    /// What remains once Intel's signatures hold.
    func check(_ verified: VerifiedReport, nonce: String, suffix: String) throws(AttestationError) {
        guard verified.status != TcbStatus.revoked.rawValue, allowedTcbStatuses.contains(verified.status) else {
            throw AttestationError(.refused, "The platform's TCB status is \(verified.status)")
        }
        let measured = verified.report.measurements
        guard allowedMeasurements.isEmpty || allowedMeasurements.contains(measured) else {
            throw AttestationError(.refused, "The measurements are not an image this verifier trusts")
        }
        for (name, values) in allowedRegisters {
            guard let register = measured.registers.first(where: { name.lowercased() == "allowed\($0.name)" }),
                values.contains(register.value)
            else { throw AttestationError(.refused, "A register is not in \(name)") }
        }
        guard let nonce = Hex.decode(nonce), let suffix = Hex.decode(suffix), nonce.count == 32, suffix.count == 32
        else {
            throw AttestationError(.invalidInput, "The nonce and the binding have to be 64 hex characters each")
        }
        guard verified.report.reportData.elementsEqual(nonce + suffix) else {
            throw AttestationError(.unverified, "The quote does not commit to this nonce and binding")
        }
    }
}
