import Foundation
import Testing

@testable import MeroKit

/// Whoever serves a quote and its collateral cannot change a byte of what counts.
@Suite("Spoilt attestations") struct DcapHostileTests {
    private func signatureLength(_ bytes: [UInt8], at offset: Int) -> Int? {
        guard bytes.count >= offset + 4 else { return nil }
        return bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    @Test(arguments: [("v4 up to date", 1), ("v5, TD report 1.0", 7), ("v5, TD report 1.5", 7)])
    func everyByteOfAQuoteCounts(name: String, step: Int) throws {
        let sound = try SoundAttestation(named: name)
        let expected = try sound.verified()
        let collateral = try VerifiedCollateral(
            DcapCollateral(.object(sound.collateral)), anchor: X509Certificate(der: Array(sound.root)),
            at: UnixTime.seconds(sound.now))
        let parsed = try TdxQuote(sound.quote)
        let end = parsed.signed.count + 4 + (try #require(signatureLength(sound.quote, at: parsed.signed.count)))
        #expect(end <= sound.quote.count)
        for index in stride(from: 0, to: sound.quote.count, by: step) {
            var quote = sound.quote
            quote[index] ^= 0x01
            let result = Result { () throws(AttestationError) in
                try DcapVerifier.verify(TdxQuote(quote), with: collateral)
            }
            if index >= end {
                #expect(try result.get() == expected)
            } else {
                #expect(throws: AttestationError.self, "byte \(index)") { try result.get() }
            }
        }
    }

    @Test func everyByteOfTheCollateralCounts() throws {
        let sound = try SoundAttestation()
        // Not looked at: the chain in the quote tells the same.
        let unused = "pck_crl_issuer_chain"
        for (field, value) in sound.collateral where field != unused {
            let text = try #require(value.stringValue)
            let bytes = Array(text.utf8)
            // Chains are signed byte by byte but for their line ends; the rest is checked with every second byte.
            for index in stride(from: field.count % 2, to: bytes.count, by: 2) {
                var changed = bytes
                changed[index] ^= 0x01
                // Hex has two spellings of a digit, and bit 0 does not lead from one to the other.
                var spoilt = sound
                spoilt.collateral[field] = .string(String(decoding: changed, as: UTF8.self))
                #expect(throws: AttestationError.self, "\(field), byte \(index)") { try spoilt.verified() }
            }
        }
    }

    @Test func truncatedQuotes() throws {
        let sound = try SoundAttestation(named: "no padding, no NUL")
        for length in sound.quote.indices {
            let error = attestationError { () throws(AttestationError) in
                _ = try TdxQuote(Array(sound.quote[..<length]))
            }
            #expect(error?.kind == .malformed, "\(length) bytes")
        }
        #expect(try TdxQuote(sound.quote + [1, 2, 3]).pckChain == TdxQuote(sound.quote).pckChain)
        #expect(throws: AttestationError.self) {
            try TdxQuote(sound.quote + [UInt8](repeating: 0, count: TdxQuote.maximumSize))
        }
    }

    @Test func truncatedCollateral() throws {
        let sound = try SoundAttestation()
        for (field, value) in sound.collateral where field != "pck_crl_issuer_chain" {
            let text = try #require(value.stringValue)
            for length in stride(from: 0, to: text.utf8.count, by: 7) {
                var short = sound
                short.collateral[field] = .string(String(decoding: text.utf8.prefix(length), as: UTF8.self))
                // A chain may end in white space.
                if field.hasSuffix("chain"), length >= text.utf8.count - 1 { continue }
                #expect(throws: AttestationError.self, "\(field), \(length) bytes") { try short.verified() }
            }
        }
    }

    /// A length field that says anything at all.
    @Test func lengthsThatLie() throws {
        let sound = try SoundAttestation()
        let signed = try TdxQuote(sound.quote).signed.count
        let values: [UInt32] = [0, 1, 63, 64, 127, 133, 134, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF]
        for offset in [signed, signed + 4 + 130, signed + 4 + 134 + 448, signed + 4 + 134 + 452 + 32] {
            for value in values {
                var quote = sound.quote
                withUnsafeBytes(of: value.littleEndian) { quote.replaceSubrange(offset..<(offset + 4), with: $0) }
                #expect(throws: AttestationError.self, "\(value) at \(offset)") { try TdxQuote(quote) }
            }
        }
    }

    @Test func mockQuotes() throws {
        let vector = TrustFixture.json("bindings.json")
        let quote = try #require(vector["mockQuote"]).hex("quoteHex")
        let error = attestationError { () throws(AttestationError) in _ = try TdxQuote(quote) }
        #expect(error?.kind == .unsupported && error?.reason.contains("mock") == true)
    }

    @Test func anotherRoot() throws {
        let sound = try SoundAttestation()
        let error = attestationError { () throws(AttestationError) in
            _ = try DcapVerifier.verify(quote: Data(sound.quote), collateral: .object(sound.collateral), now: sound.now)
        }
        #expect(error?.kind == .unverified)
        for bad in [Data(), Data([0x30, 0x00]), sound.root.dropLast()] {
            #expect(throws: AttestationError.self) {
                try DcapVerifier.verify(
                    quote: Data(sound.quote), collateral: .object(sound.collateral), now: sound.now, rootCA: Data(bad))
            }
        }
        for bad: JSONValue in [.null, 7, "x", [], [:]] {
            #expect(throws: AttestationError.self) {
                try DcapVerifier.verify(quote: Data(sound.quote), collateral: bad, now: sound.now, rootCA: sound.root)
            }
        }
    }
}
