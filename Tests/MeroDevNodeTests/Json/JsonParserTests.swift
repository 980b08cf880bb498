import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct JsonParserTests {
    @Test(arguments: [
        "null", "true", "0", "-0", "-0.0", "1e5", "1E+05", "0.10", "18446744073709551615",
        "123456789012345678901234567890", #""""#, #""é😀""#, "[]", "{}", #"[1,[2,{"a":null}]]"#, #"{"b":1,"a":2,"b":3}"#,
    ])
    func whatIsReadIsWrittenBack(text: String) throws {
        #expect(try JsonParser.parse(text.utf8).text == text)
    }

    @Test func escapesAreRead() throws {
        let text = #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000""#
        #expect(try JsonParser.parse(text.utf8) == .string("\"\\/\u{8}\u{c}\n\r\té😀\u{0}"))
        #expect(JsonTree.string("\u{1}\"\\\n").text == #""\u0001\"\\\n""#)
    }

    @Test(arguments: [
        "", " ", "nul", "True", "01", "-", "+1", "1.", ".5", "1e", "1e999", "0x1", "NaN", "[1,]", "[1 2]", "[",
        "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "\"a\nb\"", "1 1", "{}{}", "'a'", "\u{feff}1", "[1]]",
    ])
    func whatIsNoJson(text: String) {
        #expect(throws: JsonSyntaxProblem.self) { try JsonParser.parse(text.utf8) }
    }

    @Test(arguments: [
        [0x22, 0xff, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0x5c, 0x6e, 0xff, 0x22],
    ])
    func malformedUtf8(bytes: [UInt8]) {
        #expect(throws: JsonSyntaxProblem.self) { try JsonParser.parse(bytes) }
    }

    @Test func nestingHasALimit() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JsonParser.parse(nested(128).utf8)
        for depth in [129, 10_000, 1_000_000] {
            #expect(throws: JsonSyntaxProblem.self) { try JsonParser.parse(nested(depth).utf8) }
        }
        #expect(throws: JsonSyntaxProblem.self) {
            try JsonParser.parse(String(repeating: "{\"a\":", count: 10_000).utf8)
        }
    }

    @Test func theProblemNamesThePlace() {
        let problem = #expect(throws: JsonSyntaxProblem.self) { try JsonParser.parse("{\n  \"a\": x}".utf8) }
        #expect(problem?.description == "expected value at line 2 column 8")
    }

    @Test func integersAreExactOrNil() throws {
        #expect(try JsonParser.parse("18446744073709551615".utf8).integer(UInt64.self) == .max)
        #expect(try JsonParser.parse("18446744073709551616".utf8).integer(UInt64.self) == nil)
        #expect(try JsonParser.parse("-1".utf8).integer(UInt64.self) == nil)
        #expect(try JsonParser.parse("1.0".utf8).integer(UInt64.self) == nil)
        #expect(try JsonParser.parse("-0".utf8).integer(UInt64.self) == nil)
        #expect(try JsonParser.parse("-9223372036854775808".utf8).integer(Int64.self) == .min)
    }

    @Test func doublesBecomeTheirShortestText() {
        #expect(JsonTree(JSONValue.number(3)).text == "3")
        #expect(JsonTree(JSONValue.number(-2.5)).text == "-2.5")
        #expect(JsonTree(JSONValue.number(.infinity)).text == "null")
        #expect(JsonTree(JSONValue.number(9_007_199_254_740_992)).text == "9007199254740992")
        #expect(JsonTree(JSONValue.number(1e300)).jsonValue == .number(1e300))
    }

    @Test func fieldsAreClosed() throws {
        let tree = try JsonParser.parse(#"{"a":"x","n":null}"#.utf8)
        let fields = try JsonFields(tree, allowed: ["a", "n"])
        #expect(try fields.string("a") == "x")
        #expect(try fields.optionalString("n") == nil)
        #expect(throws: JsonShapeProblem.missing("b")) { try fields.value("b") }
        #expect(throws: JsonShapeProblem(description: "invalid type: null, expected a string")) {
            try fields.string("n")
        }
        #expect(throws: JsonShapeProblem(description: "unknown field `n`, expected `a`")) {
            try JsonFields(tree, allowed: ["a"])
        }
        #expect(throws: JsonShapeProblem(description: "unknown field `a`, there are no fields")) {
            try JsonFields(tree, allowed: [])
        }
    }
}
