import Foundation
import Testing

@testable import MeroKit

@Suite("Canonical JSON")
struct CanonicalJSONTests {
    struct VectorFile: Decodable {
        let vectors: [Vector]
    }

    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        struct Input: Decodable, Sendable { let json: String }
        struct Expected: Decodable, Sendable { let canonical: String }
        let id: String
        let input: Input
        let expected: Expected
        let needs: String?
        var testDescription: String { id }
    }

    static let vectors: [Vector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fixtures/crypto/canonical-json.json")
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode(VectorFile.self, from: data))?.vectors ?? []
    }()

    private func canonical(_ text: String) throws -> String {
        String(decoding: try CanonicalJSON.data(ofText: Data(text.utf8)), as: UTF8.self)
    }

    @Test("The vectors are there")
    func vectorCount() {
        #expect(Self.vectors.count == 46)
        #expect(Self.vectors.filter { $0.needs == "exactIntegers" }.count == 7)
    }

    @Test("Text comes out as the vectors say, and is a fixed point", arguments: vectors)
    func text(vector: Vector) throws {
        // Compared as bytes: Swift holds some different spellings for equal.
        #expect(Array(try canonical(vector.input.json).utf8) == Array(vector.expected.canonical.utf8))
        #expect(Array(try canonical(vector.expected.canonical).utf8) == Array(vector.expected.canonical.utf8))
    }

    @Test("So does a JSONValue, where doubles suffice", arguments: vectors.filter { $0.needs == nil })
    func value(vector: Vector) throws {
        let value = try JSONValue(jsonBytes: Data(vector.input.json.utf8))
        #expect(Array(CanonicalJSON.string(value).utf8) == Array(vector.expected.canonical.utf8))
        #expect(CanonicalJSON.data(value) == Data(vector.expected.canonical.utf8))
    }

    @Test("Keys that Swift holds for equal both stay, in byte order")
    func equivalentKeys() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        #expect(Array(try canonical(text).utf8) == Array("{\"e\u{301}\":2,\"\u{E9}\":1}".utf8))
    }

    @Test("Of a repeated key the first counts")
    func repeatedKeys() throws {
        #expect(try canonical(#"{"b":0,"a":1,"\u0061":2,"a":3}"#) == #"{"a":1,"b":0}"#)
    }

    @Test("What is no number is null, what no double holds is refused")
    func extremes() throws {
        #expect(CanonicalJSON.string([.number(.nan), .number(.infinity), .number(-.infinity)]) == "[null,null,null]")
        #expect(throws: JSONWritingError.notFinite) { try canonical("[1e400]") }
        #expect(throws: JSONSyntaxError.self) { try canonical("[1,]") }
        #expect(try canonical("1" + String(repeating: "0", count: 300)) == "1e+300")
        #expect(throws: JSONWritingError.notFinite) { try canonical("1" + String(repeating: "0", count: 400)) }
    }

    @Test(
        "The layout of doubles changes where the node's writer changes it",
        arguments: [
            (0.00001, "0.00001"), (0.000012, "0.000012"), (0.0000099, "9.9e-6"), (0.1, "0.1"), (123.456, "123.456"),
            (1_234_567_890_123_456.7, "1234567890123456.8"), (0x1p63, "9223372036854775808"),
            (0x1.fffffffffffffp63, "18446744073709549568"), (0x1p64, "1.8446744073709552e+19"),
            (-0x1p63, "-9223372036854775808"), (-0x1.0000000000001p63, "-9.223372036854778e+18"), (1e23, "1e+23"),
            (-1.5e-10, "-1.5e-10"), (.leastNormalMagnitude, "2.2250738585072014e-308"),
        ])
    func layout(number: Double, text: String) {
        #expect(CanonicalJSON.string(.number(number)) == text)
    }

    @Test("Every double reads back as itself")
    func roundTrip() throws {
        var random = RandomJSON()
        for _ in 0..<2_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let text = CanonicalJSON.string(.number(number))
            #expect(Double(text) == number, "seed \(random.seed): \(number)")
            #expect(try canonical(text) == text, "seed \(random.seed): \(number)")
        }
    }

    @Test("Random texts: the same from text, tree and value; a fixed point", arguments: 0..<4)
    func fixedPoint(round: Int) throws {
        var random = RandomJSON()
        for _ in 0..<100 {
            let text = random.text()
            let once = try canonical(text)
            #expect(try canonical(once) == once, "seed \(random.seed)")
            let value = try JSONValue(jsonBytes: Data(text.utf8))
            let again = CanonicalJSON.string(value)
            #expect(try JSONValue(jsonBytes: Data(again.utf8)) == value, "seed \(random.seed)")
        }
    }
}
