import Foundation
import Testing

@testable import MeroKit

@Suite("A relay's key by attestation, and application ids")
struct RelayNodeKeyTests {
    static func vectors(_ prefix: String) -> [CryptoVector] {
        CryptoVector.load("attestation") { $0.id.hasPrefix(prefix) }
    }

    private func attestation(
        _ vector: CryptoVector, url: String = "http://localhost:2528", nonce: String? = nil, key: String? = nil
    ) throws -> RelayAttestation {
        try RelayAttestation(
            relayURL: url, nonce: nonce ?? vector.input.string("nonce"),
            quoteB64: vector.expected.string("mockQuoteBase64"), boundPublicKey: key ?? vector.input.string("nodeKey"))
    }

    @Test("Mock quotes", arguments: vectors("binding"))
    func mock(vector: CryptoVector) async throws {
        let key = try vector.input.string("nodeKey")
        #expect(Hex.encode(try RelayNodeKey.keyBinding(key)) == (try vector.expected.string("keyBinding")))
        let quote = try #require(Data(base64Encoded: vector.expected.string("mockQuoteBase64")))
        let (reportData, isMock) = try RelayNodeKey.reportData(of: quote)
        #expect(Hex.encode(reportData) == (try vector.expected.string("reportData")))
        #expect(isMock)
        let verifier = TLSRelayKeyVerifier()
        for url in ["http://localhost:2528", "http://127.0.0.1/x", "http://[::1]:1", "https://LOCALHOST"] {
            #expect(try await verifier.verify(attestation(vector, url: url, key: key.uppercased())) == key)
        }
        for url in ["https://relay.example", "http://localhost.example", "http://127.0.0.2", "localhost", ""] {
            await #expect(throws: AccountError.self) { try await verifier.verify(attestation(vector, url: url)) }
            #expect(try await TLSRelayKeyVerifier(allowMock: true).verify(attestation(vector, url: url)) == key)
        }
        let never = TLSRelayKeyVerifier(allowMock: false)
        await #expect(throws: AccountError.self) { try await never.verify(attestation(vector)) }
        let other = String(repeating: "1a", count: 32)
        await #expect(throws: AccountError.self) { try await verifier.verify(attestation(vector, nonce: other)) }
        await #expect(throws: AccountError.self) { try await verifier.verify(attestation(vector, key: other)) }
        await #expect(throws: AccountError.self) { try await verifier.verify(attestation(vector, key: "x")) }
        let pinned = PinnedRelayKeyVerifier(nodeKey: other.uppercased())
        #expect(try await pinned.verify(attestation(vector)) == other)
        await #expect(throws: AccountError.self) {
            try await PinnedRelayKeyVerifier(nodeKey: "x").verify(attestation(vector))
        }
    }

    @Test("Quotes of real environments", arguments: vectors("tdx"))
    func tdx(vector: CryptoVector) throws {
        let quote = try #require(Data(base64Encoded: vector.input.string("quoteBase64")))
        let (reportData, isMock) = try RelayNodeKey.reportData(of: quote)
        #expect(Hex.encode(reportData) == (try vector.expected.string("reportData")))
        #expect(isMock == (try vector.expected.bool("mock")))
    }

    @Test("Version 5 has its report data six bytes later")
    func version5() throws {
        var quote = Data([5, 0]) + Data(count: 572) + Data(repeating: 7, count: 64)
        #expect(try RelayNodeKey.reportData(of: quote).reportData == Data(repeating: 7, count: 64))
        #expect(throws: AccountError.self) { try RelayNodeKey.reportData(of: quote.dropLast()) }
        quote[0] = 4
        #expect(try RelayNodeKey.reportData(of: quote).reportData == Data(count: 6) + Data(repeating: 7, count: 58))
    }

    @Test("Short ones", arguments: vectors("short"))
    func short(vector: CryptoVector) throws {
        let quote = try #require(Data(base64Encoded: vector.input.string("quoteBase64")))
        guard
            case .relayKeyUnavailable? = #expect(
                throws: AccountError.self,
                performing: {
                    try RelayNodeKey.reportData(of: quote)
                })
        else {
            Issue.record("another error")
            return
        }
        #expect(vector.error == "relayKeyUnavailable")
    }

    @Test("Application ids", arguments: CryptoVector.load("application-ids"))
    func applications(vector: CryptoVector) throws {
        #expect(
            try ApplicationRegistry.applicationIdForBundle(
                package: vector.input.string("package"), signerId: vector.input.string("signerId"))
                == vector.expected.string("applicationId"))
    }

    @Test("The vectors are there", arguments: [("attestation", 8), ("application-ids", 7)])
    func counts(family: String, count: Int) {
        #expect(CryptoVector.load(family).count == count)
    }
}
