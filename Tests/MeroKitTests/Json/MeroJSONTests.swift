import Foundation
import Testing

@testable import MeroKit

@Suite("MeroJSON")
struct MeroJSONTests {
    private func decode<T: Decodable>(_ text: String) throws -> T {
        try MeroJSON.decode(T.self, from: Data(text.utf8))
    }

    private func encode(_ value: some Encodable) throws -> String {
        String(decoding: try MeroJSON.encode(value), as: UTF8.self)
    }

    @Test("The types that are JSONValues decode and encode by the own parser and writer")
    func ownTypes() throws {
        let value: JSONValue = try decode(#"{"a":[1,null]}"#)
        #expect(value == ["a": [1, nil]])
        let some: JSONValue? = try decode("[1]")
        #expect(some == .some([1]))
        let none: JSONValue? = try decode("null")
        #expect(none == nil)
        let array: [JSONValue] = try decode(#"[1,"x"]"#)
        #expect(array == [1, "x"])
        let object: [String: JSONValue] = try decode(#"{"k":true}"#)
        #expect(object == ["k": true])
        #expect(try encode(value) == #"{"a":[1,null]}"#)
        #expect(try encode(some) == "[1]" && encode(none) == "null")
        #expect(
            try encode(array) == #"[1,"x"]"# && encode(["b": 1, "a": 42] as [String: JSONValue]) == #"{"a":42,"b":1}"#)
        #expect(try encode([:] as [String: JSONValue]) == "{}")
    }

    @Test("A dictionary of strings is written as if its values were JSONValues")
    func strings() throws {
        let strings = ["b": "line\n\"two\" \\ /\u{e9}\u{1F600}\u{7}", "a": "", "\u{e9}": "x"]
        #expect(try encode(strings) == encode(strings.mapValues { JSONValue.string($0) }))
        #expect(try decode(encode(strings)) as [String: String] == strings)
        #expect(try encode([String: String]()) == "{}")
        // Only those: what may hold something else is not converted.
        #expect(try encode(["a": "x" as String?]) == #"{"a":"x"}"#)
    }

    @Test("Everything else goes through JSONDecoder, 64-bit integers exact")
    func typed() throws {
        struct Exact: Codable, Equatable {
            var big: UInt64
            var small: Int64
        }
        let exact: Exact = try decode(#"{"big":18446744073709551615,"small":-9223372036854775808}"#)
        #expect(exact == Exact(big: .max, small: .min))
        #expect(try decode(try encode(exact)) as Exact == exact)
        let number: Int = try decode("9007199254740993")
        #expect(number == 9_007_199_254_740_993)
        let empty: Empty = try decode("[1,2]")
        _ = empty
    }

    @Test("Errors are Foundation's own, whoever did the reading")
    func errors() {
        #expect(throws: DecodingError.self) { try decode("{") as JSONValue }
        #expect(throws: DecodingError.self) { try decode("") as JSONValue? }
        #expect(throws: DecodingError.self) { try decode("{}") as [JSONValue] }
        #expect(throws: DecodingError.self) { try decode("[]") as [String: JSONValue] }
        #expect(throws: DecodingError.self) { try decode("{") as [String: Int] }
        #expect(throws: DecodingError.self) { try decode("1.5") as Int }
        #expect(throws: EncodingError.self) { try encode(JSONValue.number(.nan)) }
        #expect(throws: EncodingError.self) { try encode(["a": Double.nan]) }
        #expect(throws: EncodingError.self) { try encode(Empty()) }
    }

    struct Inner: Codable, Equatable {
        var id: UInt64
        var payload: JSONValue?
        var list: [JSONValue]
    }

    struct Outer: Codable, Equatable {
        var inners: [Inner]
        var byName: [String: JSONValue]
        var byNumber: [Int: JSONValue]
        var always: JSONValue
    }

    @Test("JSONValues inside other types are found by their path", arguments: 0..<4)
    func nested(round: Int) throws {
        var random = RandomJSON()
        for _ in 0..<30 {
            let json = """
                {"inners":[{"id":18446744073709551615,"payload":\(random.text()),"list":[\(random.text()),1]},
                 {"id":1,"list":[]},{"id":2,"payload":null,"list":[\(random.text())]}],
                 "byName":{"a.b":\(random.text()),"":\(random.text()),"0":3,"é":4},
                 "byNumber":{"7":\(random.text())},"always":\(random.text()),"always":0}
                """
            let own: Outer = try decode(json)
            let plain = try JSONDecoder().decode(Outer.self, from: Data(json.utf8))
            #expect(own == plain, "seed \(random.seed): \(json)")
        }
    }

    /// Decodes a text inside the text, and hands on what it knows to the decoder for that.
    struct TextInside: Decodable {
        struct Content: Decodable { var value: JSONValue }
        var content: Content

        private enum CodingKeys: CodingKey { case value }

        init(from decoder: any Decoder) throws {
            let text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .value)
            let inner = JSONDecoder()
            for (key, value) in decoder.userInfo { inner.userInfo[key] = value as? JSONDocument }
            content = try inner.decode(Content.self, from: Data(text.utf8))
        }
    }

    @Test(
        "A path into another document is not mistaken for one into this",
        arguments: ["1", "true", "null", #""x""#, "[1,2]", #"{"a":1}"#])
    func otherDocument(inner: String) throws {
        let text = try JSONEncoder().encode(["value": #"{"value":\#(inner)}"#])
        let decoded = try MeroJSON.decode(TextInside.self, from: text)
        let expected: JSONValue = try decode(inner)
        #expect(decoded.content.value == expected)
    }

    @Test("A JSONValue beside a part that does not fit still reports the part")
    func nestedFailure() {
        #expect(throws: DecodingError.self) { try decode(#"{"id":-1,"payload":{},"list":[]}"#) as Inner }
        #expect(throws: DecodingError.self) { try decode(#"{"id":1,"payload":{"a":1e400},"list":[]}"#) as Inner }
    }

    @Test("The deepest text that is allowed also decodes inside another type and encodes again")
    func deepest() throws {
        let text = String(repeating: "[", count: 510) + String(repeating: "]", count: 510)
        let inner: Inner = try decode(#"{"id":1,"payload":\#(text),"list":[]}"#)
        #expect(try encode(inner.payload) == text)
        #expect(try encode(inner).contains(text))
        #expect(CanonicalJSON.string(inner.payload ?? .null) == text)
    }
}
