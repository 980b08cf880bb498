import Foundation
import Testing

@testable import MeroKit

@Suite("JSON parser")
struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(jsonBytes: Array(text.utf8)) }

    private func failure(_ bytes: [UInt8]) -> JSONSyntaxError? {
        do {
            _ = try JSONValue(jsonBytes: bytes)
            return nil
        } catch {
            return error as? JSONSyntaxError
        }
    }

    @Test(
        "What the grammar allows is read",
        arguments: [
            ("null", JSONValue.null), (" \t\r\n true \n", true), ("false", false), ("0", 0), ("-0", .number(-0.0)),
            ("-1", -1), ("1.5e3", 1500), ("1E-2", 0.01), ("1e+2", 100), ("0e999999999999999999999999", 0),
            ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]), ("[[],[{}]]", [[], [[:]]]),
            (#"{"a":{"b":[1,"x",null]}}"#, ["a": ["b": [1, "x", nil]]]),
            (#""""#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\u6771\ud83c\udfa8""#, "Aé東🎨"), (#""\uD834\uDD1E""#, "𝄞"), (#""\u0000x""#, "\0x"),
            ("\"\u{7F}\u{80}\u{2028}\u{10FFFF}\"", "\u{7F}\u{80}\u{2028}\u{10FFFF}"),
            (#"{"":0}"#, ["": 0]), (#"{"a":1,"a":2,"\u0061":3}"#, ["a": 1]),
            ("1e-400", 0), ("4.9e-324", .number(.leastNonzeroMagnitude)),
            ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
            ("9007199254740993", .number(9_007_199_254_740_992)),
            ("18446744073709551615", .number(18_446_744_073_709_551_616)),
        ] as [(String, JSONValue)])
    func accepts(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "What it does not allow is refused, with the place",
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3),
            ("nulL", .unexpectedByte, 3), ("True", .unexpectedByte, 0), ("NaN", .unexpectedByte, 0),
            ("-Infinity", .unexpectedByte, 1), ("Infinity", .unexpectedByte, 0), ("+1", .unexpectedByte, 0),
            ("01", .trailingBytes, 1), ("-01", .trailingBytes, 2), ("[01]", .unexpectedByte, 2),
            (".5", .unexpectedByte, 0), ("5.", .unexpectedEnd, 2), ("[5.]", .unexpectedByte, 3),
            ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3), ("[1e]", .unexpectedByte, 3),
            ("-", .unexpectedEnd, 1), ("0x10", .trailingBytes, 1), ("1_000", .trailingBytes, 1),
            ("1e400", .numberOutOfRange, 0), ("[0,-1e400]", .numberOutOfRange, 3),
            ("1 2", .trailingBytes, 2), ("{}}", .trailingBytes, 2), ("[]x", .trailingBytes, 2),
            ("1,", .trailingBytes, 1),
            ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3),
            ("[1,]", .unexpectedByte, 3),
            ("[,1]", .unexpectedByte, 1), ("[1 2]", .unexpectedByte, 3), ("[1}", .unexpectedByte, 2),
            ("]", .unexpectedByte, 0), ("{", .unexpectedEnd, 1), (#"{"a""#, .unexpectedEnd, 4),
            (#"{"a":"#, .unexpectedEnd, 5), (#"{"a":1"#, .unexpectedEnd, 6), (#"{"a":1,"#, .unexpectedEnd, 7),
            (#"{"a":1,}"#, .unexpectedByte, 7), (#"{"a" 1}"#, .unexpectedByte, 5), (#"{"a":}"#, .unexpectedByte, 5),
            ("{a:1}", .unexpectedByte, 1), ("{1:1}", .unexpectedByte, 1), (#"{"a":1]"#, .unexpectedByte, 6),
            ("{,}", .unexpectedByte, 1), (#"{'a':1}"#, .unexpectedByte, 1), (#"{"a":1 "b":2}"#, .unexpectedByte, 7),
            (#"""#, .unexpectedEnd, 1), (#""abc"#, .unexpectedEnd, 4), (#""\"#, .unexpectedEnd, 2),
            (#""\x""#, .invalidEscape, 1), (#""\u12""#, .invalidEscape, 5), (#""\u123"#, .unexpectedEnd, 6),
            (#""\uG000""#, .invalidEscape, 3), (#""\ud800""#, .loneSurrogate, 1), (#""\udfa8""#, .loneSurrogate, 1),
            (#""\ud800\n""#, .loneSurrogate, 1), (#""\ud800\ud800""#, .loneSurrogate, 1),
            (#""\ud83cx\udfa8""#, .loneSurrogate, 1), ("\"a\nb\"", .controlCharacter, 2),
            ("\"\u{0}\"", .controlCharacter, 1), ("\"12345678\t\"", .controlCharacter, 9),
            ("\u{FEFF}1", .byteOrderMark, 0), ("\u{A0}1", .unexpectedByte, 0), ("\u{C}1", .unexpectedByte, 0),
            ("// c\n1", .unexpectedByte, 0), ("[1]/**/", .trailingBytes, 3),
        ] as [(String, JSONSyntaxError.Kind, Int)])
    func refuses(text: String, kind: JSONSyntaxError.Kind, offset: Int) {
        #expect(failure(Array(text.utf8)) == JSONSyntaxError(kind, at: offset))
    }

    @Test(
        "Ill-formed UTF-8 is refused wherever it stands",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC1, 0x81], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3],
            [0xE6, 0x9D], [0xF0, 0x9F, 0x8E], [0xC3, 0x28], [0xE6, 0x28, 0xB1], [0xE6, 0x9D, 0x28],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        for padding in 0...9 {
            let text = [UInt8](repeating: 0x61, count: padding)
            #expect(
                failure([0x22] + text + bytes + [0x22]) == JSONSyntaxError(.invalidUTF8, at: padding + 1))
        }
        #expect(failure([0x22] + bytes)?.kind == .invalidUTF8)
    }

    @Test("Every scalar at the borders of UTF-8's lengths passes")
    func borderScalars() throws {
        let scalars: [UInt32] = [0x20, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
        let text = String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
        #expect(try parse("\"\(text)\"") == .string(text))
    }

    @Test("Nesting ends at 512, without a crash however much there is of it")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
        }
        _ = try JSONValue(jsonBytes: nested(512))
        #expect(failure(nested(513)) == JSONSyntaxError(.tooDeep, at: 512))
        #expect(failure(nested(1_000_000))?.kind == .tooDeep)
        #expect(failure(Array(repeating: UInt8(ascii: "["), count: 1_000_000))?.kind == .tooDeep)
        let objects = String(repeating: #"{"a":"#, count: 1_000_000)
        #expect(failure(Array(objects.utf8))?.kind == .tooDeep)
        #expect(throws: JSONSyntaxError.self) { try ExactJSON(jsonBytes: nested(1_000_000)) }
        #expect(throws: JSONSyntaxError.self) {
            try JSONMembers(Data(#"{"a":"#.utf8 + nested(1_000_000)), paths: [["a"]])
        }
    }

    @Test("Reads random texts exactly as JSONDecoder does", arguments: 0..<8)
    func agreesWithFoundation(round: Int) throws {
        var random = RandomJSON()
        for _ in 0..<150 {
            let text = Data(random.text().utf8)
            let own = try JSONValue(jsonBytes: text)
            let foundation = try JSONDecoder().decode(JSONValue.self, from: text)
            #expect(own == foundation, "seed \(random.seed): \(String(decoding: text, as: UTF8.self))")
            // `==` holds 0 and -0 for equal, printing does not.
            #expect("\(own)".count == "\(foundation)".count, "seed \(random.seed)")
        }
    }

    @Test("Judges damaged texts as JSONSerialization does", arguments: 0..<8)
    func agreesOnDamage(round: Int) {
        var random = RandomJSON()
        for _ in 0..<150 {
            var text = Array(random.text(depth: 3).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[position] = random.pick(Array("{}[]\",:0e.-tn\\u \u{1}".utf8))
                case 1: text.insert(random.pick(Array("{}[]\",:0e.-\\".utf8)), at: position)
                default: text.remove(at: position)
                }
                if text.isEmpty { text = [0x20] }
            }
            let foundation = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
            let error = failure(text)
            // Foundation lets halves of surrogate pairs pass in places, and a comma after the last element.
            if let error {
                if error.kind == .loneSurrogate || error.kind == .numberOutOfRange { continue }
                if error.kind == .unexpectedByte, "]}".utf8.contains(text[error.offset]) { continue }
            }
            #expect(
                (error == nil) == (foundation != nil),
                "seed \(random.seed): \(String(decoding: text, as: UTF8.self)): \(String(describing: error))")
        }
    }

    @Test("Every beginning of a text is refused or complete, in all three readers", arguments: 0..<4)
    func truncations(round: Int) throws {
        var random = RandomJSON()
        let samples =
            [
                #"{"jsonrpc":"2.0","id":1,"result":{"output":[1,-2.5e3,"\u00e9\ud83c\udfa8\n",null,true,{}]}}"#,
                #"[[[{"a":[{"b":"東京🎨"}]}]],false,0.0001]"#,
            ] + (0..<5).map { _ in "[\(random.text())]" }
        for sample in samples {
            let bytes = Array(sample.utf8)
            for length in 0..<bytes.count {
                let part = Array(bytes[..<length])
                #expect(throws: JSONSyntaxError.self, "seed \(random.seed), \(length) of \(sample)") {
                    try JSONValue(jsonBytes: part)
                }
                #expect(throws: JSONSyntaxError.self) { try ExactJSON(jsonBytes: part) }
                #expect(throws: JSONSyntaxError.self) { try JSONMembers(Data(part), paths: [["result", "output"]]) }
            }
        }
    }

    @Test("Random bytes make an error, never a crash")
    func randomBytes() {
        var random = RandomJSON()
        for _ in 0..<2_000 {
            let bytes = random.bytes(upTo: 64)
            let foundation = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            if foundation == nil || failure(bytes) == nil { continue }
            // UTF-16 and UTF-32, which Foundation guesses at, and which are no JSON.
            #expect(bytes.contains(0) || bytes.contains { $0 >= 0x80 }, "seed \(random.seed): \(bytes)")
        }
    }

    @Test("Doubles are the nearest ones, in every spelling")
    func doubles() throws {
        var random = RandomJSON()
        var texts = (0..<3_000).map { _ in random.number() }
        for exponent in -330...308 { texts.append("\(UInt64.random(in: 1 ... .max, using: &random))e\(exponent - 19)") }
        // Halfway between two doubles, and a hair to either side.
        texts += [
            "9007199254740993", "9007199254740993.0000000000000000000000001", "9007199254740992.9999999999999999",
        ]
        texts += ["1.00000000000000011102230246251565404", "2.2250738585072011e-308", "6.631236846766476e-316"]
        for text in texts {
            let expected = try #require(Double(text))
            guard expected.isFinite else { continue }
            let value = try #require(try parse(text).doubleValue)
            #expect(value.bitPattern == expected.bitPattern, "seed \(random.seed): \(text)")
        }
    }

    @Test("An error names a place and never quotes the text")
    func errorText() {
        let error = failure(Array(#"{"password":"hunter2"!}"#.utf8))
        #expect(error?.localizedDescription == "Invalid JSON at byte 21: unexpected character")
    }
}
