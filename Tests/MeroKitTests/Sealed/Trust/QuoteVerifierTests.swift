import Foundation
import Testing

@testable import MeroKit

@Suite("Which images are trusted") struct QuoteVerifierTests {
    private static let file = TrustFixture.json("policy.json")

    private func made(_ options: JSONValue) throws -> QuoteVerifier {
        let options = TrustCase(json: options)
        let images = options.json["allowedMeasurements"]?.arrayValue
        return try QuoteVerifier(
            allowedMeasurements: try images?.map { try measurements(TrustCase(json: $0)) },
            allowedMrtd: options.strings("allowedMrtd"), allowedRtmr0: options.strings("allowedRtmr0"),
            allowedRtmr1: options.strings("allowedRtmr1"), allowedRtmr2: options.strings("allowedRtmr2"),
            allowedRtmr3: options.strings("allowedRtmr3"),
            allowedTcbStatuses: options.json["allowedTcbStatuses"] == nil
                ? ["UpToDate"] : options.strings("allowedTcbStatuses"))
    }

    private func measurements(_ value: TrustCase) throws -> TdMeasurements {
        try TdMeasurements(
            mrtd: value.text("mrtd"), rtmr0: value.text("rtmr0"), rtmr1: value.text("rtmr1"),
            rtmr2: value.text("rtmr2"),
            rtmr3: value.text("rtmr3"))
    }

    private func report(_ value: TrustCase) throws -> TdReport {
        let version = try value.text("type") == "td15" ? TdReport.Version.td15 : .td10
        var bytes = [UInt8](repeating: 0, count: version.size)
        for (name, offset) in [
            ("mrtd", 136), ("rtmr0", 328), ("rtmr1", 376), ("rtmr2", 424), ("rtmr3", 472), ("reportData", 520),
        ] {
            let field = try value.json.hex(name)
            bytes.replaceSubrange(offset..<(offset + field.count), with: field)
        }
        return try #require(TdReport(version, bytes: bytes))
    }

    @Test(arguments: TrustCase.all(file, "verifier"))
    func decisions(vector: TrustCase) throws {
        let expect = TrustCase(json: try vector.member("expect"))
        let options = try vector.member("options")
        if expect.json["when"] == .string("construction") {
            let error = #expect(throws: AttestationError.self) { try made(options) }
            #expect(error?.kind == .invalidInput)
            let messages = [
                "noImage": "No image is trusted", "emptyMeasurements": "allowedMeasurements is empty",
                "mrtdAlone": "does not name an image", "measurement": "is not 96 hex characters",
            ]
            let message = try #require(messages[try expect.text("error")])
            #expect(error?.reason.contains(message) == true, "\(error?.reason ?? "")")
            return
        }
        let verifier = try made(options)
        let given = TrustCase(json: try vector.member("report"))
        guard try given.text("type") != "sgx" else {
            // There is no such report here: the quote is refused as soon as its header is read.
            var quote = try SoundAttestation().quote
            quote[4] = 0
            let error = attestationError { () throws(AttestationError) in _ = try TdxQuote(quote) }
            #expect(error?.reason.contains("not a TDX one") == true)
            return
        }
        let verified = VerifiedReport(
            status: try given.text("status"), advisoryIds: [], report: try report(given), fmspc: "000000000000")
        let (nonce, suffix) = (try vector.text("nonce"), try vector.text("suffix"))
        let error = attestationError { () throws(AttestationError) in
            try verifier.check(verified, nonce: nonce, suffix: suffix)
        }
        guard expect.json["ok"] != .bool(true) else {
            #expect(error == nil)
            return
        }
        let label = try expect.text("error")
        let messages = [
            "image": "are not an image this verifier trusts", "tcbStatus": "TCB status is \(verified.status)",
            "reportData": "does not commit to this nonce and binding",
        ]
        let message = messages[label] ?? "is not in \(label)"
        #expect(error?.reason.contains(message) == true, "\(error?.reason ?? "trusted")")
    }

    @Test(arguments: TrustCase.all(file, "releases"))
    func releases(vector: TrustCase) throws {
        let expect = TrustCase(json: try vector.member("expect"))
        let releases = try #require(try vector.member("releases").arrayValue).map { try PublishedMrtds(json: $0) }
        let profile = try vector.text("profile")
        let result = Result { () throws(AttestationError) in
            try trustedMeasurements(fromReleases: releases, profile: profile)
        }
        switch result {
        case .success(let trusted):
            #expect(expect.json["ok"] == .bool(true))
            #expect(trusted.allowedTcbStatuses == expect.strings("allowedTcbStatuses"))
            let images = try #require(expect.json["allowedMeasurements"]?.arrayValue)
            #expect(try trusted.allowedMeasurements == images.map { try measurements(TrustCase(json: $0)) })
            _ = try QuoteVerifier(trusting: trusted)
        case .failure(let error):
            let messages = [
                "noRelease": "No release given", "notNode": "not of a node image",
                "noProfile": "has no profile \"prod\"",
                "unknownStatus": "does not know", "noCommonStatus": "no TCB status in common",
            ]
            let message = try #require(messages[try expect.text("error")])
            #expect(error.reason.contains(message), "\(error.reason)")
        }
    }

    @Test func theCasesAreThere() {
        #expect(TrustCase.all(Self.file, "verifier").count == 29)
        #expect(TrustCase.all(Self.file, "releases").count == 14)
    }

    /// A firmware of somebody's own could put anything into the other registers.
    @Test func registersWithoutTheFirmware() {
        let register = String(repeating: "ab", count: 48)
        let error = #expect(throws: AttestationError.self) {
            try QuoteVerifier(allowedRtmr1: [register], allowedRtmr2: [register], allowedRtmr3: [register])
        }
        #expect(error?.reason.contains("does not name an image") == true)
    }

    @Test func theWholeWay() async throws {
        let sound = try SoundAttestation()
        let report = try sound.verified().report
        let (nonce, suffix) = (Hex.encode(report.reportData.prefix(32)), Hex.encode(report.reportData.suffix(32)))
        let quote = Data(sound.quote).base64EncodedString()
        let collateral = JSONValue.object(sound.collateral)
        let now = sound.now
        func verifier(_ images: [TdMeasurements], fetch: QuoteVerifier.CollateralSource? = nil) throws -> QuoteVerifier
        {
            try QuoteVerifier(
                trusting: TrustedMeasurements(allowedMeasurements: images), fetchCollateral: fetch, rootCA: sound.root,
                clock: { now })
        }
        let trusting = try verifier([report.measurements])
        #expect(trusting.includeCollateral)
        #expect(
            try await trusting.verify(quoteB64: quote, nonce: nonce, reportDataSuffix: suffix, collateral: collateral))
        let fetching = try verifier(
            [report.measurements],
            fetch: { asked in
                #expect(Array(asked) == sound.quote)
                return collateral
            })
        for none in [nil, JSONValue.null] {
            #expect(
                try await fetching.verify(quoteB64: quote, nonce: nonce, reportDataSuffix: suffix, collateral: none))
            let error = await #expect(throws: AttestationError.self) {
                try await trusting.verify(quoteB64: quote, nonce: nonce, reportDataSuffix: suffix, collateral: none)
            }
            #expect(error?.reason.contains("no collateral") == true)
        }
        let other = TdMeasurements(
            mrtd: report.measurements.mrtd, rtmr0: report.measurements.rtmr0, rtmr1: report.measurements.rtmr1,
            rtmr2: report.measurements.rtmr2, rtmr3: String(repeating: "00", count: 48))
        for (spoilt, kind) in [
            (try await refusal(verifier([other]), quote, nonce, suffix, collateral), AttestationError.Kind.refused),
            (await refusal(trusting, quote, suffix, nonce, collateral), .unverified),
            (await refusal(trusting, quote, "00", suffix, collateral), .invalidInput),
            (await refusal(trusting, quote, nonce, "xx", collateral), .invalidInput),
            (await refusal(trusting, "%%", nonce, suffix, collateral), .malformed),
            (await refusal(trusting, "", nonce, suffix, collateral), .malformed),
            (
                await refusal(
                    try QuoteVerifier(trusting: TrustedMeasurements(allowedMeasurements: [report.measurements])), quote,
                    nonce, suffix, collateral), .unverified
            ),
        ] {
            #expect(spoilt?.kind == kind || spoilt?.kind == .notCurrent, "\(spoilt?.reason ?? "trusted")")
        }
        let later = try QuoteVerifier(
            allowedMeasurements: [report.measurements], rootCA: sound.root,
            clock: { now.addingTimeInterval(86_400 * 365) })
        #expect(await refusal(later, quote, nonce, suffix, collateral)?.kind == .notCurrent)
    }

    private func refusal(
        _ verifier: QuoteVerifier, _ quote: String, _ nonce: String, _ suffix: String, _ collateral: JSONValue
    ) async -> AttestationError? {
        do {
            _ = try await verifier.verify(
                quoteB64: quote, nonce: nonce, reportDataSuffix: suffix, collateral: collateral)
            return nil
        } catch {
            return error as? AttestationError
        }
    }

    /// What collateral cannot be fetched for is the fetcher's error, as it is.
    @Test func fetchersErrorsPass() async throws {
        let register = String(repeating: "ab", count: 48)
        let image = TdMeasurements(mrtd: register, rtmr0: register, rtmr1: register, rtmr2: register, rtmr3: register)
        let verifier = try QuoteVerifier(
            allowedMeasurements: [image], fetchCollateral: { _ in throw MeroError.network("gone") })
        let error = await #expect(throws: MeroError.self) {
            try await verifier.verify(quoteB64: "AAAA", nonce: "", reportDataSuffix: "", collateral: nil)
        }
        guard case .network("gone")? = error else {
            Issue.record("another error")
            return
        }
    }
}
