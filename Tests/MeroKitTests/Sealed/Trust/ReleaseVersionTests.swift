import Foundation
import Testing

@testable import MeroKit

@Suite("Release versions") struct ReleaseVersionTests {
    private static let file = TrustFixture.json("versions.json")

    private func texts(_ key: String) throws -> [String] {
        let texts = TrustCase(json: Self.file).strings(key)
        try #require(!texts.isEmpty)
        return texts
    }

    @Test func syntax() throws {
        for text in try texts("malformed") { #expect(ReleaseVersion(text) == nil, "\(text)") }
        for text in try texts("wellFormed") { #expect(ReleaseVersion(text)?.text == text) }
        for text in [
            "１.2.3", "1.2.3-é", "1..3", "-1.2.3", "1.2.3-a+", "1.2.3+a+b", "1.2.3-a.",
            String(repeating: "1", count: 300),
        ] {
            #expect(ReleaseVersion(text) == nil, "\(text)")
        }
    }

    @Test func order() throws {
        let versions = try texts("ascending").map { try #require(ReleaseVersion($0)) }
        for (first, left) in versions.enumerated() {
            for (second, right) in versions.enumerated() {
                #expect((left < right) == (first < second), "\(left.text) and \(right.text)")
                #expect((left == right) == (first == second))
            }
        }
        for pair in Self.file["equal"]?.arrayValue ?? [] {
            let texts = pair.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(texts.count == 2 && Set(texts).count == 2)
            #expect(ReleaseVersion(texts.first ?? "") == ReleaseVersion(texts.last ?? "x"))
        }
        // Numbers beyond 64 bits are compared, not cut.
        let large = try #require(ReleaseVersion("1.0.99999999999999999999999999"))
        #expect(try large > #require(ReleaseVersion("1.0.99999999999999999999999998")))
        #expect(try large > #require(ReleaseVersion("1.0.18446744073709551616")))
        #expect(ReleaseVersion("01.2.3") == ReleaseVersion("1.02.003"))
    }

    @Test func images() throws {
        let images = try #require(Self.file["images"]?.arrayValue)
        #expect(images.count == 8)
        for image in images {
            let name = try #require(image["osImage"]?.stringValue)
            let result = Result { () throws(AttestationError) in try nodeReleaseVersion(fromImage: name) }
            if let version = image["version"]?.stringValue {
                #expect(try result.get() == version)
            } else {
                let error = #expect(throws: AttestationError.self) { try result.get() }
                #expect(error?.reason.contains("is not the image of a mero-tee node release") == true)
            }
        }
        #expect(try nodeReleaseVersion(fromImage: "merotee---1-2-3") == "1.2.3")
        for bad in [
            "", "merotee", "merotee--1-2-3", "merotee-x-1-2-", "merotee-x-１-2-3", "merotee-x\n-1-2-3",
            "merotee-x-1-2-3\n",
        ] {
            #expect(throws: AttestationError.self, "\(bad)") { try nodeReleaseVersion(fromImage: bad) }
        }
    }
}
