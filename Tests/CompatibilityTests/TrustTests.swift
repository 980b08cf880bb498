import Foundation
import MeroKit
import Testing

// Attestation and signed releases as an app uses them. This file imports nothing `@testable`.

/// Trusts nobody, as an app's own verifier could.
private struct Nobody: TransportQuoteVerifier {
    var includeCollateral: Bool { false }
    func verify(
        quoteB64: String, nonce: String, reportDataSuffix: String, collateral: JSONValue?
    ) async throws -> Bool { false }
}

@Suite struct TrustTests {
    private let register = String(repeating: "ab", count: 48)

    @Test func measurementsOfOnesOwn() throws {
        let image = TdMeasurements(mrtd: register, rtmr0: register, rtmr1: register, rtmr2: register, rtmr3: register)
        let release = PublishedMrtds(
            role: "node", tag: "2.3.99", profiles: ["locked-read-only": .init(measurements: image)])
        let trusted: TrustedMeasurements = try trustedMeasurements(
            fromReleases: [release], profile: "locked-read-only")
        #expect(trusted.allowedTcbStatuses == ["UpToDate"])
        let verifier: any TransportQuoteVerifier = try QuoteVerifier(
            allowedMeasurements: trusted.allowedMeasurements, allowedTcbStatuses: ["UpToDate", "OutOfDate"])
        #expect(verifier.includeCollateral)
        let relays: any RelayKeyVerifier = AttestedRelayKeyVerifier(verifier)
        _ = relays
    }

    @Test func quotesAndReleases() throws {
        do {
            let report: VerifiedReport = try DcapVerifier.verify(
                quote: Data(), collateral: [:], now: Date(), rootCA: IntelRoot.certificate)
            Issue.record("\(report.status) \(report.advisoryIds) \(report.report.mrtd)")
        } catch {
            #expect(error.kind == .malformed && !error.reason.isEmpty)
        }
        #expect(throws: AttestationError.self) {
            _ = try verifySignedNodeRelease(
                publishedMrtds: Data(), bundle: Data(), expectedVersion: nil, signer: ReleaseSigner())
        }
        #expect(throws: AttestationError.self) {
            _ = try trustSignedRelease(
                NodeRelease(version: "2.3.99", publishedMrtds: "{}", bundle: "{}"), profile: "locked-read-only",
                minReleaseVersion: "2.3.99")
        }
        #expect(try nodeReleaseVersion(fromImage: "merotee-x-2-3-99") == "2.3.99")
        #expect(try transportKeyBinding(inner: Data(count: 32), transportKey: Data(count: 32)).count == 32)
    }

    @Test func whatANodeIsAsked() async throws {
        let admin = AdminApi(http: URLSessionHttpClient(baseURL: try #require(URL(string: "http://127.0.0.1:9"))))
        await #expect(throws: AttestationError.self) {
            _ = try await fetchAttestedTransportKey(
                admin: admin, verifier: Nobody(), applicationId: "a", applicationHash: nil)
        }
        await #expect(throws: AttestationError.self) { _ = try await fetchNodeRelease("latest") }
        let verifier = try SignedReleaseVerifier(admin: admin, minReleaseVersion: "2.3.99")
        #expect(verifier.includeCollateral)
        let version: (AdminApi, String?) async throws -> String = fetchNodeReleaseVersion(admin:releaseVersion:)
        _ = version
    }
}
