import Foundation
import Testing

@testable import MeroKit

@Suite("JSONValue")
struct JSONValueTests {
    @Test("Literals make what they look like")
    func literals() {
        let value: JSONValue = ["s": "x", "b": true, "i": 42, "f": 1.5, "n": nil, "a": [1, "2"], "o": ["k": 0]]
        #expect(
            value
                == .object([
                    "s": .string("x"), "b": .bool(true), "i": .number(42), "f": .number(1.5), "n": .null,
                    "a": .array([.number(1), .string("2")]), "o": .object(["k": .number(0)]),
                ]))
    }

    @Test("A repeated key in a literal keeps its last value and does not trap")
    func repeatedLiteralKey() {
        let value: JSONValue = ["k": 1, "k": 2]
        #expect(value == .object(["k": .number(2)]))
    }

    @Test("Accessors give their own kind and nothing else")
    func accessors() {
        #expect(JSONValue.string("x").stringValue == "x" && JSONValue.number(1).stringValue == nil)
        #expect(JSONValue.number(1.5).doubleValue == 1.5 && JSONValue.bool(true).doubleValue == nil)
        #expect(JSONValue.bool(false).boolValue == false && JSONValue.number(0).boolValue == nil)
        #expect(JSONValue.array([1]).arrayValue == [1] && JSONValue.object([:]).arrayValue == nil)
        #expect(JSONValue.object(["a": 1]).objectValue == ["a": 1] && JSONValue.null.objectValue == nil)
        let object: JSONValue = ["a": nil, "b": ["c": 1]]
        #expect(object["a"] == .null && object["x"] == nil && object["b"]?["c"] == 1 && JSONValue.null["a"] == nil)
    }

    @Test(
        "An integer is given only where there is one",
        arguments: [
            (42, 42), (-7, -7), (-0.0, 0), (1.5, nil), (.nan, nil), (.infinity, nil), (1e300, nil), (-1e300, nil),
            (0x1p62, 1 << 62), (0x1p63, nil), (-0x1p63, .min),
        ] as [(Double, Int?)])
    func integers(number: Double, integer: Int?) {
        #expect(JSONValue.number(number).intValue == integer)
    }

    @Test("Prints as published programs expect")
    func printing() {
        #expect("\(JSONValue.number(42))" == "number(42.0)")
        #expect("\(JSONValue.string("x"))" == #"string("x")"#)
        #expect("\(JSONValue.null)" == "null")
    }

    @Test("Codes through Foundation's coders as well, inside other types and out", arguments: 0..<4)
    func foundationCoders(round: Int) throws {
        struct Holder: Codable, Equatable { var value: JSONValue }
        var random = RandomJSON()
        for _ in 0..<50 {
            let holder = Holder(value: try JSONValue(jsonBytes: Data(random.text(depth: 3).utf8)))
            let json = try JSONEncoder().encode(holder)
            #expect(try JSONDecoder().decode(Holder.self, from: json) == holder, "seed \(random.seed)")
            #expect(try MeroJSON.decode(Holder.self, from: json) == holder, "seed \(random.seed)")
        }
    }

    @Test("Codes through a decoder of another format")
    func propertyList() throws {
        let value: JSONValue = ["a": [1.5, "x", true], "b": ["c": 2]]
        let plist = try PropertyListEncoder().encode(value)
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: plist) == value)
    }

    @Test("Whole numbers leave JSONEncoder without a fraction")
    func wholeNumbers() throws {
        let json = try JSONEncoder().encode(["n": JSONValue.number(42)])
        #expect(String(decoding: json, as: UTF8.self) == #"{"n":42}"#)
    }
}
