import Foundation
import Testing

@testable import MeroKit

/// Quotes and collateral, with one fault each. Spec: 80, sections 3 to 5.
@Suite("DCAP verification") struct DcapVectorTests {
    private static let synthetic = TrustFixture.json("dcap-synthetic.json")
    private static let faultFile = TrustFixture.json("dcap-faults.json")

    private func verify(_ file: JSONValue, _ quote: [UInt8], _ collateral: JSONValue) throws -> VerifiedReport {
        try DcapVerifier.verify(
            quote: Data(quote), collateral: collateral,
            now: Date(timeIntervalSince1970: try #require(file["now"]?.doubleValue)),
            rootCA: Data(try file.hex("rootCaDer")))
    }

    @Test(arguments: TrustCase.all(synthetic))
    func published(vector: TrustCase) throws {
        let expect = TrustCase(json: try vector.member("expect"))
        let result = Result {
            try verify(Self.synthetic, vector.json.hex("quote"), vector.member("collateral"))
        }
        guard expect.json["ok"] == .bool(true) else {
            #expect(throws: AttestationError.self) { try result.get() }
            return
        }
        let verified = try result.get()
        #expect(verified.status == (try expect.text("status")))
        #expect(verified.advisoryIds == expect.strings("advisoryIds"))
        let report = TrustCase(json: try expect.member("report"))
        #expect(verified.fmspc == (try report.text("fmspc")))
        #expect(Hex.encode(verified.report.reportData) == (try report.text("reportData")))
        for (name, value) in verified.report.measurements.registers { #expect(value == (try report.text(name))) }
    }

    @Test(arguments: TrustCase.all(faultFile))
    func faults(vector: TrustCase) throws {
        let expect = TrustCase(json: try vector.member("expect"))
        var collateral = try #require(Self.faultFile["collateral"]?.objectValue)
        for (field, value) in try #require(vector.json["collateral"]?.objectValue) {
            collateral[field] = value == .null ? nil : value
        }
        let text = (vector.json["quote"] ?? Self.faultFile["quote"])?.stringValue.flatMap { Data(base64Encoded: $0) }
        let result = Result { try verify(Self.faultFile, Array(try #require(text)), .object(collateral)) }
        switch result {
        case .success(let verified):
            #expect(expect.json["status"] == .string(verified.status))
            #expect(expect.strings("advisoryIds") == verified.advisoryIds)
        case .failure(let error):
            let error = try #require(error as? AttestationError)
            #expect(expect.json["kind"] == .string(error.kind.rawValue), "\(error.reason)")
            let reason = expect.json["reason"]?.stringValue ?? "no refusal"
            #expect(reason.isEmpty || error.reason.contains(reason), "\(error.reason)")
        }
    }

    @Test func theCasesAreThere() {
        #expect(TrustCase.all(Self.synthetic).count == 50)
        #expect(TrustCase.all(Self.faultFile).count == 142)
    }

    /// A real platform's, under Intel's own root.
    @Test func recordedQuote() throws {
        guard let data = TrustFixture.recorded("dcap/tdx_quote.json") else { return }
        let file = try JSONValue(jsonBytes: data)
        let quote = try file.hex("quote")
        let collateral = try #require(file["collateral"])
        for row in TrustCase.all(file, "rows") {
            let now = Date(timeIntervalSince1970: try #require(row.json["now"]?.doubleValue))
            let expect = TrustCase(json: try row.member("expect"))
            let result = Result { () throws(AttestationError) in
                try DcapVerifier.verify(quote: Data(quote), collateral: collateral, now: now)
            }
            switch result {
            case .success(let verified):
                #expect(expect.json["status"] == .string(verified.status))
                #expect(expect.strings("advisoryIds") == verified.advisoryIds)
            case .failure(let error):
                #expect(expect.json["ok"] == .bool(false), "\(error.reason)")
                #expect(error.kind == .notCurrent, "\(error.reason)")
            }
        }
        let parsed = try TdxQuote(quote)
        let fields = TrustCase(json: try #require(file["fields"]))
        let report = parsed.report
        #expect(fields.json["version"] == .number(Double(parsed.version)))
        for (name, value) in [
            ("teeTcbSvn", report.teeTcbSvn), ("mrSeam", report.mrSeam), ("mrSignerSeam", report.mrSignerSeam),
            ("seamAttributes", report.seamAttributes), ("tdAttributes", report.tdAttributes), ("xfam", report.xfam),
            ("mrtd", report.mrtd), ("rtmr0", report.rtmr0), ("rtmr1", report.rtmr1), ("rtmr2", report.rtmr2),
            ("rtmr3", report.rtmr3), ("reportData", report.reportData),
        ] {
            #expect(Hex.encode(value) == (try fields.text(name)), "\(name)")
        }
        #expect(try RelayNodeKey.reportData(of: Data(quote)).reportData == report.reportData)
        // Intel's root and no other.
        let now = Date(timeIntervalSince1970: 1_750_329_147)
        let error = attestationError { () throws(AttestationError) in
            _ = try DcapVerifier.verify(
                quote: Data(quote), collateral: collateral, now: now,
                rootCA: Data((try? Self.synthetic.hex("rootCaDer")) ?? []))
        }
        #expect(error?.kind == .unverified || error?.kind == .notCurrent)
    }

    @Test(arguments: TcbStatus.allCases)
    func mergedStatuses(platform: TcbStatus) throws {
        for part in TcbStatus.allCases {
            let merged = Result { () throws(AttestationError) in try platform.merged(with: part, of: "part") }
            switch (platform, part) {
            case (.revoked, _), (_, .revoked), (_, .swHardeningNeeded), (_, .configurationNeeded),
                (_, .configurationAndSWHardeningNeeded), (_, .outOfDateConfigurationNeeded):
                #expect(throws: AttestationError.self) { try merged.get() }
            case (_, .upToDate): #expect(try merged.get() == platform)
            case (.upToDate, .outOfDate), (.swHardeningNeeded, .outOfDate), (.outOfDate, .outOfDate):
                #expect(try merged.get() == .outOfDate)
            case (_, .outOfDate): #expect(try merged.get() == .outOfDateConfigurationNeeded)
            }
        }
    }

    /// What was seen at a boundary holds there, and a second beyond it does not.
    @Test func validityToTheSecond() throws {
        var sound = try SoundAttestation()
        var (starts, ends): ([Int64], [Int64]) = ([], [])
        for key in ["tcb_info", "qe_identity"] {
            let info = try JSONValue(jsonBytes: Array(try #require(sound.collateral[key]?.stringValue).utf8))
            starts.append(try #require(info["issueDate"]?.stringValue.flatMap(UnixTime.seconds(rfc3339:))))
            ends.append(try #require(info["nextUpdate"]?.stringValue.flatMap(UnixTime.seconds(rfc3339:))))
        }
        for key in ["root_ca_crl", "pck_crl"] {
            let list = try RevocationList(der: JSONValue.object(sound.collateral).hex(key))
            starts.append(list.thisUpdate)
            ends.append(list.nextUpdate)
        }
        let start = try #require(starts.max())
        let end = try #require(ends.min())
        func kind(at seconds: Int64) -> AttestationError.Kind? {
            attestationError { () throws(AttestationError) in
                _ = try DcapVerifier.verify(
                    quote: Data(sound.quote), collateral: .object(sound.collateral),
                    now: Date(timeIntervalSince1970: TimeInterval(seconds)), rootCA: sound.root)
            }?.kind
        }
        #expect(kind(at: start) == nil)
        #expect(kind(at: end) == nil)
        #expect(kind(at: start - 1) == .notCurrent)
        #expect(kind(at: end + 1) == .notCurrent)
        sound.collateral["pck_certificate_chain"] = .null
        #expect(kind(at: start) == nil)
    }
}
