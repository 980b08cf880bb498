import Foundation
import Testing

@testable import MeroKit

/// Quotes, collateral and releases that others made.
enum TrustFixture {
    struct Unreadable: Error { let what: String }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Fixtures/sealed").standardized

    /// A file of this package.
    static func json(_ name: String) -> JSONValue {
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)),
            let json = try? JSONValue(jsonBytes: data)
        else { return .null }
        return json
    }

    /// A recording that is not part of this package; nil and a word about it when it is not beside this checkout.
    static func recorded(_ name: String) -> Data? {
        let shared = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../../shared/vectors/sealed").standardized
        guard let data = try? Data(contentsOf: shared.appendingPathComponent(name)) else {
            print("not checked: \(name) is not beside this checkout")
            return nil
        }
        return data
    }
}

/// One case of a file: a name, and members.
struct TrustCase: Sendable, CustomTestStringConvertible {
    let json: JSONValue
    var testDescription: String { json["name"]?.stringValue ?? "without a name" }

    static func all(_ file: JSONValue, _ key: String = "cases") -> [TrustCase] {
        (file[key]?.arrayValue ?? []).map(TrustCase.init(json:))
    }

    func member(_ key: String) throws -> JSONValue {
        guard let value = json[key] else { throw TrustFixture.Unreadable(what: key) }
        return value
    }

    func text(_ key: String) throws -> String {
        guard let text = try member(key).stringValue else { throw TrustFixture.Unreadable(what: key) }
        return text
    }

    func strings(_ key: String) -> [String] { json[key]?.arrayValue?.compactMap(\.stringValue) ?? [] }
}

extension JSONValue {
    func hex(_ key: String) throws -> [UInt8] {
        guard let bytes = self[key]?.stringValue.flatMap(Hex.decode) else { throw TrustFixture.Unreadable(what: key) }
        return bytes
    }
}

/// A quote and its collateral which hold.
struct SoundAttestation {
    var quote: [UInt8]
    var collateral: [String: JSONValue]
    let now: Date
    let root: Data

    /// Of the synthetic file, by name.
    init(named name: String = "v4 up to date") throws {
        let file = TrustFixture.json("dcap-synthetic.json")
        let found = TrustCase.all(file).first { $0.testDescription == name }
        let sound = try #require(found)
        quote = try sound.json.hex("quote")
        collateral = try #require(sound.json["collateral"]?.objectValue)
        now = Date(timeIntervalSince1970: try #require(file["now"]?.doubleValue))
        root = Data(try file.hex("rootCaDer"))
    }

    func verified() throws(AttestationError) -> VerifiedReport {
        try DcapVerifier.verify(quote: Data(quote), collateral: .object(collateral), now: now, rootCA: root)
    }

    var certificates: [X509Certificate] {
        get throws { try PemBlocks.certificates(TdxQuote(quote).pckChain.prefix { $0 != 0 }) }
    }
}

/// What is thrown, nil when nothing is.
func attestationError(_ work: () throws(AttestationError) -> Void) -> AttestationError? {
    do {
        try work()
        return nil
    } catch {
        return error
    }
}
