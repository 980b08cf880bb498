import Foundation
import Testing

@testable import MeroKit

@Suite("DER") struct DerReaderTests {
    private func element(_ hex: String) throws -> DerElement {
        var reader = DerReader(try #require(Hex.decode(hex)))
        let element = try reader.next()
        try reader.finish()
        return element
    }

    @Test func identifiers() throws {
        #expect(Hex.encode(DerOid.sgx.bytes) == "2a864886f84d010d01")
        #expect(Hex.encode(DerOid.ecdsaWithSHA256.bytes) == "2a8648ce3d040302")
        #expect(Hex.encode(DerOid.p384.bytes) == "2b81040022")
        #expect(DerOid.sgx.child(2, 17) == DerOid(1, 2, 840, 113741, 1, 13, 1, 2, 17))
        #expect(try element("06092a864886f84d010d01").oid() == .sgx)
        #expect(throws: AttestationError.self) { try element("0600").oid() }
        #expect(throws: AttestationError.self) { try element("060180").oid() }
    }

    /// One spelling for each length, and none beyond the end.
    @Test(arguments: [
        "", "30", "3001", "308000", "3080", "308100", "30817f00", "30820080", "3083000001", "3085000000000100",
        "30ff", "3084ffffffff", "3084ffffffffff", "3f0100", "1f8101", "020100ff", "0401",
    ])
    func badShapes(hex: String) throws {
        let bytes = try #require(Hex.decode(hex))
        #expect(throws: AttestationError.self) {
            _ = try DerReader.whole(bytes, bytes.first ?? 0, "element")
        }
        if hex != "020100ff" && !hex.isEmpty {
            #expect(throws: AttestationError.self) { try DerReader.checkShape(bytes) }
        }
    }

    @Test func shapesWithin() throws {
        for bad in ["3003020200", "300402010102", "2403040101", "1001ff", "a003020200", "30023080"] {
            let bytes = try #require(Hex.decode(bad))
            #expect(throws: AttestationError.self, "\(bad)") { try DerReader.checkShape(bytes) }
        }
        for good in ["3000", "30030201ff", "a0030201ff", "800201ff", "310030000500"] {
            try DerReader.checkShape(try #require(Hex.decode(good)))
        }
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            for _ in 0..<depth { bytes = [0x30, UInt8(bytes.count)] + bytes }
            return bytes
        }
        try DerReader.checkShape(nested(DerReader.maximumDepth - 1))
        #expect(throws: AttestationError.self) { try DerReader.checkShape(nested(DerReader.maximumDepth + 1)) }
        // A long text of nothing but openings of elements ends as early.
        let endless = [UInt8](repeating: 0x30, count: 1_000_000)
        #expect(throws: AttestationError.self) { try DerReader.checkShape(endless) }
    }

    @Test func longLengths() throws {
        let content = [UInt8](repeating: 7, count: 300)
        let reader = try DerReader.whole([0x04, 0x82, 0x01, 0x2C] + content, DerTag.octetString, "text")
        #expect(Array(reader.content) == content)
        #expect(reader.encoded.count == 304)
    }

    @Test func numbers() throws {
        #expect(try element("020100").natural() == [0])
        #expect(try element("02017f").natural() == [0x7F])
        #expect(try element("02020080").natural() == [0x80])
        #expect(try element("0a0101").small() == 1)
        #expect(try element("0203008001").small() == 0x8001)
        for bad in ["0200", "0201ff", "02020001", "0202007f", "040101"] {
            #expect(throws: AttestationError.self, "\(bad)") { try element(bad).natural() }
        }
        #expect(throws: AttestationError.self) { try element("0203010000").small() }
    }

    @Test func flagsAndBits() throws {
        #expect(try element("03020106").flags() == [6])
        #expect(try element("030100").flags() == [])
        #expect(try element("03030007ff").bits() == [7, 0xFF])
        for bad in ["0300", "03020806", "03020207", "030101"] {
            #expect(throws: AttestationError.self, "\(bad)") { try element(bad).flags() }
        }
        #expect(throws: AttestationError.self) { try element("03020106").bits() }
        #expect(try element("0101ff").bool())
        #expect(try !element("010100").bool())
        for bad in ["010101", "0100", "0102ffff", "0201ff"] {
            #expect(throws: AttestationError.self, "\(bad)") { try element(bad).bool() }
        }
    }

    @Test(arguments: [
        (0x17, "180521104510Z", 1_526_899_510), (0x18, "20491231235959Z", 2_524_607_999),
        (0x17, "491231235959Z", 2_524_607_999),
        (0x17, "500101000000Z", -631_152_000), (0x18, "20240229000000Z", 1_709_164_800),
        (0x18, "00000101000000Z", -62_167_219_200),
        (0x17, "700101000000Z", 0), (0x18, "99991231235959Z", 253_402_300_799),
    ])
    func times(tag: UInt8, text: String, seconds: Int64) throws {
        let element = try element(Hex.encode([tag, UInt8(text.utf8.count)] + Array(text.utf8)))
        #expect(try element.time() == seconds)
    }

    @Test(arguments: [
        "1805211045Z", "180521104510", "180521104510+0000", "181321104510Z", "180230104510Z", "180521246000Z",
        "180521104560Z",
        "230229000000Z", "18052110451:Z", "", "Z",
    ])
    func badTimes(text: String) throws {
        for tag: UInt8 in [0x17, 0x18] {
            let element = try element(Hex.encode([tag, UInt8(text.utf8.count)] + Array(text.utf8)))
            #expect(throws: AttestationError.self) { try element.time() }
        }
    }

    @Test func writtenTimes() {
        #expect(UnixTime.seconds(rfc3339: "2026-10-27T00:00:00Z") == 1_793_059_200)
        #expect(UnixTime.seconds(rfc3339: "2022-12-31T23:59:59.999Z") == 1_672_531_199)
        for bad in [
            "", "2026-10-27", "2026-10-27T00:00:00", "2026-10-27T00:00:00+00:00", "2026-10-27 00:00:00Z",
            "2026-13-27T00:00:00Z", "2026-10-27T00:00:00.Z", "2026-10-27T00:00:00.xZ", "2026-10-27T00:00:00ZZ",
            "２０２６-10-27T00:00:00Z",
        ] {
            #expect(UnixTime.seconds(rfc3339: bad) == nil, "\(bad)")
        }
        // Every day of four centuries and more follows the one before.
        var expected = UnixTime.seconds(year: 1800, month: 1, day: 1, hour: 0, minute: 0, second: 0) ?? 0
        for year in 1800...2300 {
            for month in 1...12 {
                for day in 1...31 {
                    guard
                        let seconds = UnixTime.seconds(
                            year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
                    else { continue }
                    #expect(seconds == expected)
                    expected += 86_400
                }
            }
        }
        #expect(expected == UnixTime.seconds(year: 2301, month: 1, day: 1, hour: 0, minute: 0, second: 0))
        #expect(throws: AttestationError.self) { try UnixTime.seconds(Date(timeIntervalSince1970: .nan)) }
        #expect(throws: AttestationError.self) { try UnixTime.seconds(Date(timeIntervalSince1970: .infinity)) }
        #expect(throws: AttestationError.self) { try UnixTime.seconds(Date(timeIntervalSince1970: 1e30)) }
    }

    @Test func base64() {
        #expect(StrictBase64.decode("") == [])
        #expect(StrictBase64.decode("TQ==") == [0x4D])
        #expect(StrictBase64.decode(" T W\nE\r\t= ") == [0x4D, 0x61])
        #expect(StrictBase64.decode("TWFu") == Array("Man".utf8))
        #expect(StrictBase64.decode("+/+/") == [0xFB, 0xFF, 0xBF])
        for bad in [
            "T", "TQ", "TQ=", "TR==", "TWF=", "TWE", "TWFu=", "TQ==TQ==", "-_-_", "TQ=\u{0}=", "=", "TWFu====", "é",
        ] {
            #expect(StrictBase64.decode(bad) == nil, "\(bad)")
        }
        var generator = SeededGenerator(seed: 80)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(StrictBase64.decode(Data(bytes).base64EncodedString()) == bytes)
        }
    }
}
