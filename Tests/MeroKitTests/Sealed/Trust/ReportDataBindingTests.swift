import Foundation
import Testing

@testable import MeroKit

@Suite("Report data") struct ReportDataBindingTests {
    private static let file = TrustFixture.json("bindings.json")

    @Test func published() throws {
        let vector = try #require(Self.file["published"])
        let suffix = try transportKeyBinding(
            inner: Data(vector.hex("inner")), transportKey: Data(vector.hex("transportKey")))
        #expect(Array(suffix) == (try vector.hex("suffix")))
        for (inner, key) in [(31, 32), (32, 33), (0, 32)] {
            let error = #expect(throws: AttestationError.self) {
                try transportKeyBinding(inner: Data(count: inner), transportKey: Data(count: key))
            }
            #expect(error?.kind == .invalidInput)
        }
    }

    @Test(arguments: TrustCase.all(file))
    func combinations(vector: TrustCase) throws {
        let suffix = try ReportDataBinding.suffix(
            applicationHash: vector.json["applicationHash"]?.stringValue, nodeKey: vector.json["nodeKey"]?.stringValue,
            transportKey: vector.json["transportKey"]?.stringValue)
        #expect(Hex.encode(suffix) == (try vector.text("suffix")))
    }

    @Test func whatIsNoKey() {
        #expect(TrustCase.all(Self.file).count == 8)
        #expect(throws: AttestationError.self) { try ReportDataBinding.suffix(applicationHash: "00") }
        #expect(throws: AttestationError.self) { try ReportDataBinding.suffix(nodeKey: "xyz") }
        #expect(throws: AttestationError.self) { try ReportDataBinding.suffix(transportKey: "") }
    }

    /// The key that a relay names is taken when the quote is trusted, and then only.
    @Test func relayKeys() async throws {
        let vector = try #require(Self.file["mockQuote"])
        let key = Hex.encode(try vector.hex("nodeKey"))
        let nonce = Hex.encode(try vector.hex("nonce"))
        let quote = Data(try vector.hex("quoteHex")).base64EncodedString()
        func attestation(_ key: String) -> RelayAttestation {
            RelayAttestation(
                relayURL: "https://relay.example", nonce: nonce, quoteB64: quote, boundPublicKey: key,
                collateral: ["a": 1])
        }
        let suffix = try ReportDataBinding.suffix(nodeKey: key)
        #expect(Array(suffix) == (try vector.hex("suffix")))
        let trusting = AttestedRelayKeyVerifier(
            Scripted { asked in
                asked == [quote, nonce, Hex.encode(suffix)]
            })
        #expect(try await trusting.verify(attestation(key.uppercased())) == key)
        await #expect(throws: AccountError.self) { try await trusting.verify(attestation("12")) }
        await #expect(throws: AccountError.self) {
            try await trusting.verify(attestation(String(repeating: "1a", count: 32)))
        }
        let refusing = AttestedRelayKeyVerifier(for: { url in
            #expect(url == "https://relay.example")
            return Scripted { _ in throw AttestationError(.refused, "no") }
        })
        let error = await #expect(throws: AttestationError.self) { try await refusing.verify(attestation(key)) }
        #expect(error == AttestationError(.refused, "no"))
        #expect(error?.localizedDescription == "no")
    }
}

/// Decides by what it is asked.
struct Scripted: TransportQuoteVerifier {
    let includeCollateral = true
    private let decide: @Sendable ([String]) async throws -> Bool

    init(_ decide: @escaping @Sendable ([String]) async throws -> Bool) { self.decide = decide }

    func verify(
        quoteB64: String, nonce: String, reportDataSuffix: String, collateral: JSONValue?
    ) async throws -> Bool {
        try await decide([quoteB64, nonce, reportDataSuffix])
    }
}
