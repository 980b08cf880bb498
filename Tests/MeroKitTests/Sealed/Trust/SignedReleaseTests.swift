import Foundation
import Testing

@testable import MeroKit

@Suite("Signed releases") struct SignedReleaseTests {
    private static let synthetic = TrustFixture.json("sigstore-synthetic.json")

    /// What each label of the files means here.
    private static let messages = [
        "version": "The signed release is 2.3.87, not 9.9.9",
        "fileHash": "The file's SHA-256 is not the one Rekor logged",
        "identity": "The release was signed by", "issuer": "The signer was vouched for by",
        "signedEntryTimestamp": "Rekor's signed entry timestamp does not verify",
        "unknownLog": "which the Sigstore trust root does not know",
        "loggedCertificate": "The bundle's certificate is not the one Rekor logged",
        "loggedSignature": "The bundle's signature is not the one Rekor logged",
        "detachedSignature": "The detached signature is not the one in the bundle",
        "bundleNotJson": "The bundle is not JSON",
        "notABundle": "The bundle is not a cosign bundle with a Rekor entry",
        "leafValidity": "when the certificate was not valid", "authority": "Fulcio CA",
        "logWindow": "when its log was not in use", "entryKind": "Rekor's entry is not one of",
        "cert is not exactly one PEM certificate": "is not exactly one PEM certificate",
        "fileSignature": "not signed by the key", "role": "is not of a node image",
        "notMeasurements": "not one of a node image's measurements",
    ]

    private func check(
        _ result: Result<PublishedMrtds, any Error>, _ expect: TrustCase, vector: String
    ) throws {
        switch result {
        case .success(let published):
            #expect(expect.json["tag"] == published.tag.map(JSONValue.string))
        case .failure(let error):
            let error = try #require(error as? AttestationError)
            let message = try #require(Self.messages[expect.json["error"]?.stringValue ?? ""], "\(error.reason)")
            let isNameless = error.reason == "The certificate does not name exactly one workflow"
            #expect(error.reason.contains(message) || isNameless && vector == "an e-mail name", "\(error.reason)")
        }
    }

    @Test(arguments: TrustCase.all(synthetic))
    func madeUpRoots(vector: TrustCase) throws {
        let root = try SigstoreTrustRoot(json: vector.member("trustRoot"))
        let result = Result {
            try verifySignedNodeRelease(
                publishedMrtds: Data(vector.text("file").utf8), bundle: Data(vector.text("bundle").utf8),
                trustRoot: root)
        }
        try check(result, TrustCase(json: vector.member("expect")), vector: vector.testDescription)
        // Parsed before, it is the same bundle.
        let parsed = try JSONValue(jsonBytes: Array(vector.text("bundle").utf8))
        let again = Result {
            try verifySignedNodeRelease(
                publishedMrtds: Data(vector.text("file").utf8), bundle: parsed, trustRoot: root)
        }
        try check(again, TrustCase(json: vector.member("expect")), vector: vector.testDescription)
        // Under Sigstore's own root none of them is worth anything.
        #expect(throws: AttestationError.self) {
            try verifySignedNodeRelease(
                publishedMrtds: Data(vector.text("file").utf8), bundle: Data(vector.text("bundle").utf8))
        }
    }

    /// A release that was really published, and variants of it.
    @Test func publishedRelease() throws {
        guard let cases = TrustFixture.recorded("sigstore/release-cases.json"),
            let file = TrustFixture.recorded("sigstore/mero-tee-2.3.87.published-mrtds.json"),
            let bundle = TrustFixture.recorded("sigstore/mero-tee-2.3.87.published-mrtds.json.bundle.json")
        else { return }
        let vectors = TrustCase.all(try JSONValue(jsonBytes: cases))
        #expect(vectors.count == 23)
        for vector in vectors {
            let options = TrustCase(json: try vector.member("options"))
            var signer = ReleaseSigner()
            if let identity = options.json["identity"]?.stringValue { signer.identity = identity }
            if let issuer = options.json["issuer"]?.stringValue { signer.issuer = issuer }
            let result = Result {
                try verifySignedNodeRelease(
                    publishedMrtds: vector.json["fileText"]?.stringValue.map { Data($0.utf8) } ?? file,
                    bundle: vector.json["bundle"]?.stringValue.map { Data($0.utf8) } ?? bundle,
                    expectedVersion: options.json["expectedVersion"]?.stringValue,
                    detachedSignature: options.json["detached"]?.stringValue, signer: signer)
            }
            try check(result, TrustCase(json: vector.member("expect")), vector: vector.testDescription)
        }
        let release = NodeRelease(
            version: "2.3.87", publishedMrtds: String(decoding: file, as: UTF8.self),
            bundle: String(decoding: bundle, as: UTF8.self))
        let trusted = try trustSignedRelease(release, profile: "locked-read-only", minReleaseVersion: "2.3.87")
        #expect(trusted.allowedMeasurements.count == 1 && trusted.allowedTcbStatuses.contains("UpToDate"))
        let error = #expect(throws: AttestationError.self) {
            try trustSignedRelease(release, profile: "locked-read-only", minReleaseVersion: "2.3.99")
        }
        #expect(error?.reason == "Release 2.3.87 is older than the minimum trusted, 2.3.99")
    }

    private func good() throws -> (file: String, bundle: String, root: SigstoreTrustRoot) {
        let vector = try #require(TrustCase.all(Self.synthetic).first { $0.testDescription == "good" })
        return try (vector.text("file"), vector.text("bundle"), SigstoreTrustRoot(json: vector.member("trustRoot")))
    }

    @Test func aFloorAndAVersion() throws {
        let (file, bundle, root) = try good()
        func trust(_ version: String, floor: String, profile: String = "locked-read-only") throws -> TrustedMeasurements
        {
            try trustSignedRelease(
                NodeRelease(version: version, publishedMrtds: file, bundle: bundle), profile: profile,
                minReleaseVersion: floor, trustRoot: root)
        }
        #expect(try trust("1.2.3", floor: "1.2.3").allowedMeasurements.count == 1)
        #expect(try trust("1.2.3", floor: "1.2.3-rc.1").allowedTcbStatuses == ["UpToDate"])
        for (version, floor, kind) in [
            ("1.2.3", "1.2.4", AttestationError.Kind.refused), ("1.2.4", "1.2.3", .refused),
            ("1.2.3+x", "1.2.3", .refused),
            ("v1.2.3", "1.2.3", .malformed), ("1.2.3", "1.2", .invalidInput), ("1.2.3", "", .invalidInput),
        ] {
            let error = #expect(throws: AttestationError.self) { try trust(version, floor: floor) }
            #expect(error?.kind == kind, "\(version) above \(floor): \(error?.reason ?? "")")
        }
        #expect(throws: AttestationError.self) { try trust("1.2.3", floor: "1.0.0", profile: "debug") }
    }

    @Test func everyByteOfTheFileCounts() throws {
        let (file, bundle, root) = try good()
        for index in file.utf8.indices {
            var bytes = Array(file.utf8)
            bytes[file.utf8.distance(from: file.utf8.startIndex, to: index)] ^= 0x01
            #expect(throws: AttestationError.self) {
                try verifySignedNodeRelease(publishedMrtds: Data(bytes), bundle: Data(bundle.utf8), trustRoot: root)
            }
        }
    }

    /// All that can change is the white space around the certificate.
    @Test func everyByteOfTheBundleCounts() throws {
        let (file, bundle, root) = try good()
        let published = try verifySignedNodeRelease(
            publishedMrtds: Data(file.utf8), bundle: Data(bundle.utf8), trustRoot: root)
        let sound = try CosignBundle(text: Data(bundle.utf8))
        var refused = 0
        for index in 0..<bundle.utf8.count {
            var bytes = Array(bundle.utf8)
            bytes[index] ^= 0x01
            do throws(AttestationError) {
                let result = try verifySignedNodeRelease(
                    publishedMrtds: Data(file.utf8), bundle: Data(bytes), trustRoot: root)
                #expect(result == published)
                let changed = try CosignBundle(text: Data(bytes))
                #expect(try PemBlocks.decode(changed.certificate) == PemBlocks.decode(sound.certificate))
                #expect(changed.certificate != sound.certificate && changed.signedEntry == sound.signedEntry)
            } catch {
                refused += 1
            }
        }
        #expect(refused > bundle.utf8.count - 20)
    }

    @Test func truncatedBundles() throws {
        let (file, bundle, root) = try good()
        for length in stride(from: 0, to: bundle.utf8.count, by: 3) {
            #expect(throws: AttestationError.self) {
                try verifySignedNodeRelease(
                    publishedMrtds: Data(file.utf8), bundle: Data(bundle.utf8.prefix(length)), trustRoot: root)
            }
        }
    }

    /// What was signed is written as the log wrote it: `/` is not escaped, and the digits stay.
    @Test func canonicalEntry() throws {
        let (_, bundle, _) = try good()
        let parsed = try CosignBundle(text: Data(bundle.utf8))
        let text = String(decoding: parsed.signedEntry, as: UTF8.self)
        #expect(
            text == #"{"body":"\#(parsed.body)","integratedTime":\#(parsed.integratedTime),"logID":"\#(parsed.logId)","#
                + #""logIndex":\#(parsed.logIndex)}"#)
    }

    @Test func trustRoots() throws {
        for bad: JSONValue in [
            .null, [:], ["fulcioAuthorities": [], "rekorLogs": []],
            ["fulcioAuthorities": [["certChain": ["AAAA"], "validFor": ["start": "2020-01-01T00:00:00Z"]]]],
        ] {
            #expect(throws: AttestationError.self) { try SigstoreTrustRoot(json: bad) }
        }
        guard let recorded = TrustFixture.recorded("sigstore/trust-root.json") else { return }
        let root = try SigstoreTrustRoot(json: JSONValue(jsonBytes: recorded))
        let embedded = try SigstoreTrustRoot.publicGood()
        #expect(root.authorities.map(\.chain) == embedded.authorities.map(\.chain))
        #expect(root.logs.map(\.key) == embedded.logs.map(\.key))
    }

    /// A release that another program signed, and the quote of its image.
    @Test func theImageOfARelease() throws {
        let file = TrustFixture.json("node-release.json")
        let release = TrustCase(json: try #require(file["release"]))
        let trusted = try trustSignedRelease(
            NodeRelease(
                version: release.text("version"), publishedMrtds: release.text("publishedMrtds"),
                bundle: release.text("bundle")), profile: "locked-read-only", minReleaseVersion: "2.3.99",
            trustRoot: SigstoreTrustRoot(json: try #require(file["trustRoot"])))
        let verified = try DcapVerifier.verify(
            quote: try #require(file["quote"]?.stringValue.flatMap { Data(base64Encoded: $0) }),
            collateral: try #require(file["collateral"]),
            now: Date(timeIntervalSince1970: try #require(file["now"]?.doubleValue)),
            rootCA: Data(try file.hex("rootCaDer")))
        #expect(trusted.allowedMeasurements == [verified.report.measurements])
    }
}
