import Foundation
import Testing

@testable import MeroKit

/// One case of a file of published or derived values. Numbers that no double holds are texts in there.
struct CryptoVector: Sendable, CustomTestStringConvertible {
    struct Missing: Error { let field: String }

    let id: String
    let input: ExactJSON
    let expected: ExactJSON
    let needs: String?

    var testDescription: String { id }

    /// What must go wrong.
    var error: String? { expected["error"]?.text }

    static func load(_ family: String) -> [CryptoVector] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fixtures/crypto/\(family).json")
        guard let data = try? Data(contentsOf: file), let tree = try? ExactJSON(jsonBytes: data),
            case .array(let vectors)? = tree["vectors"]
        else { return [] }
        return vectors.compactMap { vector in
            guard let id = vector["id"]?.text, let input = vector["input"], let expected = vector["expected"] else {
                return nil
            }
            return CryptoVector(id: id, input: input, expected: expected, needs: vector["needs"]?.text)
        }
    }

    static func load(_ family: String, where isIncluded: (CryptoVector) -> Bool) -> [CryptoVector] {
        load(family).filter(isIncluded)
    }
}

extension ExactJSON {
    var text: String? { if case .string(let text) = self { return text } else { return nil } }

    var isNull: Bool { if case .null = self { return true } else { return false } }

    /// A member, which must be there.
    func member(_ key: String) throws -> ExactJSON {
        guard let value = self[key] else { throw CryptoVector.Missing(field: key) }
        return value
    }

    func string(_ key: String) throws -> String {
        guard let text = try member(key).text else { throw CryptoVector.Missing(field: key) }
        return text
    }

    func optionalString(_ key: String) throws -> String? {
        let value = try member(key)
        return value.isNull ? nil : try string(key)
    }

    func bool(_ key: String) throws -> Bool {
        guard case .bool(let value) = try member(key) else { throw CryptoVector.Missing(field: key) }
        return value
    }

    func bytes(_ key: String) throws -> Data {
        guard let bytes = Hex.decode(try string(key)) else { throw CryptoVector.Missing(field: key) }
        return Data(bytes)
    }

    /// As a number or as a text.
    func integer<I: FixedWidthInteger>(_ key: String, as type: I.Type = I.self) throws -> I {
        let digits: String
        switch try member(key) {
        case .number(let text), .string(let text): digits = text
        default: throw CryptoVector.Missing(field: key)
        }
        guard let value = I(digits) else { throw CryptoVector.Missing(field: key) }
        return value
    }

    func items(_ key: String) throws -> [ExactJSON] {
        guard case .array(let items) = try member(key) else { throw CryptoVector.Missing(field: key) }
        return items
    }

    func strings(_ key: String) throws -> [String] {
        try items(key).map { item in
            guard let text = item.text else { throw CryptoVector.Missing(field: key) }
            return text
        }
    }

    /// The JSON text that a member holds as a text.
    func jsonText(_ key: String) throws -> Data { Data(try string(key).utf8) }
}

/// Signatures of a signer that randomises cannot be foretold: both must verify, and all before them must be the same.
func expectSameSigned(_ actual: String, _ expected: String, key: Data, message: Data) throws {
    let actual = try Hex.decodeUnsized(actual, label: "actual")
    let expected = try Hex.decodeUnsized(expected, label: "expected")
    #expect(Hex.encode(actual.dropLast(64)) == Hex.encode(expected.dropLast(64)))
    for signed in [actual, expected] {
        #expect(Ed25519.verify(publicKey: key, signature: Data(signed.suffix(64)), message: message))
    }
    #if !canImport(CryptoKit)
        #expect(actual == expected)
    #endif
}

extension DeviceKeys {
    /// Keys of which only the half matters that signs.
    static func signing(_ secret: Data) throws -> DeviceKeys {
        try DeviceKeys(signSecret: secret, kemSecret: Data(repeating: 9, count: 32))
    }
}

/// Knows its key, and shows nothing but signatures.
struct OpaqueSigner: DeviceSigner {
    private let keys: DeviceKeys
    init(_ keys: DeviceKeys) { self.keys = keys }
    var signPublicKey: String { keys.signPublicKey }
    func sign(_ message: Data) async throws -> Data {
        await Task.yield()
        return try keys.sign(message)
    }
}

/// Says that it has one key and signs with another.
struct LyingSigner: DeviceSigner {
    let signPublicKey = DeviceKeys.generate().signPublicKey
    func sign(_ message: Data) async throws -> Data { try DeviceKeys.generate().sign(message) }
}
