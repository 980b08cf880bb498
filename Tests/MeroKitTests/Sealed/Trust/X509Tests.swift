import Foundation
import Testing

@testable import MeroKit

@Suite("Certificates, revocation lists and ECDSA") struct X509Tests {
    /// Intel's root, and Sigstore's on P-384: they sign themselves.
    static func roots() throws -> [X509Certificate] {
        let sigstore = try SigstoreTrustRoot.publicGood().authorities.flatMap { $0.chain.suffix(1) }
        return try [X509Certificate(der: Array(IntelRoot.certificate))] + sigstore
    }

    @Test func intelsRoot() throws {
        #expect(
            Hex.encode(sha256(IntelRoot.certificate))
                == "44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3")
        let root = try X509Certificate(der: Array(IntelRoot.certificate))
        #expect(Hex.encode(root.serial) == "22650cd65a9d3489f383b49552bf501b392706ac")
        #expect(root.notBefore == UnixTime.seconds(rfc3339: "2018-05-21T10:45:10Z"))
        #expect(root.notAfter == UnixTime.seconds(rfc3339: "2049-12-31T23:59:59Z"))
        #expect(root.publicKey.curve == .p256 && root.signature.hash == .sha256)
        #expect(root.issuer == root.subject)
        #expect(root.basicConstraints?.isAuthority == true && root.basicConstraints?.pathLength == 1)
        #expect(root.keyUsage?.signsCertificates == true && root.keyUsage?.signsRevocationLists == true)
        #expect(root.signed(root))
        #expect(root.isValid(at: root.notBefore) && root.isValid(at: root.notAfter))
        #expect(!root.isValid(at: root.notBefore - 1) && !root.isValid(at: root.notAfter + 1))
        if let recorded = TrustFixture.recorded("dcap/intel-sgx-root-ca.der") {
            #expect(recorded == IntelRoot.certificate)
        }
    }

    @Test func sigstoresRoots() throws {
        let root = try SigstoreTrustRoot.publicGood()
        #expect(root.logs.map(\.id) == ["c0d23d6ad406973f9559f3ba2d1ca01f84147d8ffc5b8445c224f98b9591801d"])
        #expect(root.logs.first?.start == UnixTime.seconds(rfc3339: "2021-01-12T11:53:27Z"))
        #expect(root.authorities.map(\.chain.count) == [1, 2])
        #expect(root.authorities.map(\.end) == [UnixTime.seconds(rfc3339: "2022-12-31T23:59:59Z"), nil])
        let all = root.authorities.flatMap(\.chain)
        #expect(all.allSatisfy { $0.publicKey.curve == .p384 && $0.signature.hash == .sha384 })
        let recent = root.authorities[1].chain
        #expect(recent[1].signed(recent[0]) && recent[1].signed(recent[1]) && !recent[0].signed(recent[1]))
    }

    /// Whatever byte is changed, either it is no certificate any more, or its signature does not hold.
    @Test func everyByteOfACertificateCounts() throws {
        for root in try Self.roots() {
            var unread = 0
            for index in root.der.indices {
                for mask: UInt8 in [0x01, 0x80] {
                    var der = root.der
                    der[index] ^= mask
                    guard let changed = try? X509Certificate(der: der) else {
                        unread += 1
                        continue
                    }
                    #expect(!root.signed(changed), "byte \(index)")
                }
            }
            #expect(unread > 50)
        }
    }

    @Test func everyByteOfARevocationListCounts() throws {
        let sound = try SoundAttestation()
        let root = try X509Certificate(der: Array(sound.root))
        let der = try JSONValue.object(sound.collateral).hex("root_ca_crl")
        let list = try RevocationList(der: der)
        #expect(list.signature.holds(over: list.signed, by: root.publicKey))
        for index in der.indices {
            for mask: UInt8 in [0x01, 0x80] {
                var changed = der
                changed[index] ^= mask
                guard let list = try? RevocationList(der: changed) else { continue }
                #expect(!list.signature.holds(over: list.signed, by: root.publicKey), "byte \(index)")
            }
        }
    }

    @Test func truncatedAtEveryLength() throws {
        let sound = try SoundAttestation()
        let list = try JSONValue.object(sound.collateral).hex("pck_crl")
        for length in list.indices {
            #expect(
                attestationError { () throws(AttestationError) in _ = try RevocationList(der: Array(list[..<length])) }?
                    .kind == .malformed)
        }
        for certificate in try Self.roots() + sound.certificates {
            for length in certificate.der.indices {
                let short = Array(certificate.der[..<length])
                #expect(
                    attestationError { () throws(AttestationError) in _ = try X509Certificate(der: short) }?.kind
                        == .malformed)
            }
            #expect(throws: AttestationError.self) { try X509Certificate(der: certificate.der + [0]) }
        }
    }

    @Test func signaturesInBothSpellings() throws {
        for curve in [EcdsaCurve.p256, .p384] {
            var generator = SeededGenerator(seed: 81)
            for round in 0..<500 {
                // With zeros at the beginning of either half, and with its highest bit set.
                var raw = (0..<(2 * curve.size)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                for index in 0..<(round % 7) { raw[index] = 0 }
                for index in 0..<(round % 5) { raw[curve.size + index] = 0 }
                #expect(try EcdsaSignature.raw(der: EcdsaSignature.der(raw: raw), curve: curve) == raw)
            }
        }
        for bad in [
            "", "3000", "3003020101", "30060201010201", "3006020101020101ff", "30090201010201010201ff",
            "3006020181020101",
            "300702020001020101", "30060201010a0101", "3106020101020101", "308106020101020101",
            "3026022101"
                + String(repeating: "00", count: 32) + "020101",
        ] {
            let bytes = try #require(Hex.decode(bad))
            #expect(throws: AttestationError.self, "\(bad)") { try EcdsaSignature.raw(der: bytes, curve: .p256) }
        }
    }

    /// Numbers that a verifier must not take: zero, and the order of the curve and above.
    @Test func numbersOutOfRange() throws {
        let order = try #require(Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        let key = try X509Certificate(der: Array(IntelRoot.certificate)).publicKey
        let zero = [UInt8](repeating: 0, count: 32)
        let one = zero.dropLast() + [1]
        let top = [UInt8](repeating: 0xFF, count: 32)
        for half in [zero, Array(one), order, top] {
            for other in [zero, Array(one), order, top] {
                #expect(!key.verifies(half + other, over: Array("message".utf8), hash: .sha256))
            }
        }
        #expect(!key.verifies([], over: [1], hash: .sha256))
        #expect(!key.verifies(zero, over: [1], hash: .sha256))
    }

    /// Points that are not on the curve are no keys: zeros, and a neighbour of a good one.
    @Test func pointsOffTheCurve() throws {
        let root = try X509Certificate(der: Array(IntelRoot.certificate))
        #expect(root.signature.holds(over: root.signed, by: root.publicKey))
        var point = root.publicKey.point
        point[63] ^= 1
        let neighbour = try #require(EcdsaPublicKey(.p256, point: point))
        #expect(!root.signature.holds(over: root.signed, by: neighbour))
        let nothing = try #require(EcdsaPublicKey(.p256, point: [UInt8](repeating: 0, count: 64)))
        #expect(!root.signature.holds(over: root.signed, by: nothing))
        #expect(EcdsaPublicKey(.p256, point: [UInt8](repeating: 1, count: 63)) == nil)
        #expect(EcdsaPublicKey(.p384, point: point) == nil)
    }

    @Test func chainsAsText() throws {
        let text =
            "-----BEGIN CERTIFICATE-----\n\(IntelRoot.certificate.base64EncodedString())\n-----END CERTIFICATE-----"
        #expect(try PemBlocks.certificates((text + "\n").utf8).count == 1)
        #expect(try PemBlocks.certificates((text + "\r\n \t" + text).utf8).count == 2)
        for bad in [
            "", " ", "x" + text, text + "x", text + "\u{0}", text.replacingOccurrences(of: "BEGIN", with: "begin"),
            String(text.dropLast()), "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
            text.replacingOccurrences(of: "-----BEGIN CERTIFICATE-----\nM", with: "-----BEGIN CERTIFICATE-----\n-M"),
            Array(repeating: text, count: 9).joined(separator: "\n"),
            String(repeating: " ", count: PemBlocks.maximumSize + 1),
        ] {
            #expect(throws: AttestationError.self) { try PemBlocks.certificates(bad.utf8) }
        }
    }
}
