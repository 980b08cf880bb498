import Foundation
import Testing

@testable import MeroKit

@Suite("JSON writer")
struct JSONWriterTests {
    private func text(_ value: JSONValue) throws -> String {
        String(decoding: try JSONWriter.bytes(of: value), as: UTF8.self)
    }

    @Test(
        "Numbers are spelled as JSONEncoder spells them, whole ones as integers",
        arguments: [
            (42.0, "42"), (-0.0, "-0"), (0.0, "0"), (-7.0, "-7"), (2.5, "2.5"), (0.1, "0.1"),
            (1e15, "1000000000000000"),
            (1e16, "10000000000000000"), (0x1p63, "9223372036854775808"), (-0x1p63, "-9223372036854775808"),
            (1e20, "1e+20"), (1e-5, "1e-05"), (5e-7, "5e-07"),
        ])
    func numbers(number: Double, expected: String) throws {
        #expect(try text(.number(number)) == expected)
        #expect(try JSONDecoder().decode(Double.self, from: Data(expected.utf8)) == number)
    }

    @Test("NaN and the infinities are errors", arguments: [Double.nan, .infinity, -.infinity])
    func notNumbers(number: Double) {
        #expect(throws: JSONWritingError.notFinite) { try text(["a": [.number(number)]]) }
    }

    @Test("Members are in byte order, at every depth")
    func order() throws {
        let value: JSONValue = ["b": ["z": 1, "Z": 2, "é": 3], "a": [], "": [:], "10": nil, "9": true]
        #expect(try text(value) == #"{"":{},"10":null,"9":true,"a":[],"b":{"Z":2,"z":1,"é":3}}"#)
    }

    @Test("Only what must be escaped is escaped")
    func escapes() throws {
        let all = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar(UInt8($0)) })) + "\u{2028}é🎨"
        let written = try text(.string(all))
        #expect(
            written.hasPrefix(
                #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010\u0011\u0012"#))
        #expect(written.contains(##"\u001e\u001f !\"#$%&'()*+,-./0"##) && written.contains(#"[\\]^_"#))
        #expect(written.hasSuffix("~\u{7F}\u{2028}é🎨\""))
        #expect(try JSONDecoder().decode(String.self, from: Data(written.utf8)) == all)
    }

    @Test("An exact tree keeps its digits, finished text goes in as it is")
    func exact() throws {
        let tree = try ExactJSON(jsonBytes: Data(#"{"n": 123456789012345678901234567890, "e": 1.50E+3}"#.utf8))
        var writer = JSONWriter()
        writer.write(raw: #"{"params":"#.utf8)
        try writer.write(tree)
        writer.write(raw: ",".utf8)
        writer.write(string: "a\"b")
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"params":{"e":1.50E+3,"n":123456789012345678901234567890},"a\"b""#)
        #expect(tree["n"]?.isNumber("123456789012345678901234567890") == true && tree["N"] == nil)
    }

    @Test("What is written is read again as the same value", arguments: 0..<4)
    func roundTrip(round: Int) throws {
        var random = RandomJSON()
        for _ in 0..<100 {
            let value = try JSONValue(jsonBytes: Data(random.text().utf8))
            let bytes = try JSONWriter.bytes(of: value)
            #expect(try JSONValue(jsonBytes: bytes) == value, "seed \(random.seed)")
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(bytes)) == value, "seed \(random.seed)")
        }
    }
}

extension ExactJSON {
    fileprivate func isNumber(_ text: String) -> Bool {
        if case .number(text) = self { return true }
        return false
    }
}
