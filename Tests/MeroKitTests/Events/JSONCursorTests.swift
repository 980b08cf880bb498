import Foundation
import Testing

@testable import MeroKit

/// The cursor steps over exactly what the parser accepts: else an event could be delivered whose payload cannot be read.
@Suite struct JSONCursorTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "12", "-1.5e+10", "\"\"", "\"a\\n\\u00e9\\uD83C\\uDFA8\"", "{}", "[]",
        " [ ] ",
        "[[],{},[{}]]", "{\"a\":{\"b\":[1,2,{\"c\":null}]}}", "[1,2,3]", "[10,20,30,40,50,60,70,80,90]",
        "[0,0,0,0,0,0,0,0,0,0,10,0]", "[1.5,2,3,4,5,6,7,8,9,10]", "[1234567890123456789012345678901234567890,1]",
        "1e308",
        "1e-999", "0e99999999999999999999", "[ 1 , 2 ]", "{\"\":1,\"\":2}", "\"\u{7F}é🎨\"", "[-1,2,3,4,5,6,7]",
    ])
    func acceptsJSON(_ text: String) { judge(Array(text.utf8), isJSON: true) }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "+1", "01", "-", "1.", ".5", "1e", "1e+", "--1", "0x1", "\"", "\"\\\"",
        "\"\\x\"",
        "\"\\u12G4\"", "\"\\uD83C\"", "\"\\uD83Cx\"", "\"\\uD83C\\u0041\"", "\"\\uDFA8\"", "\"\n\"", "\"\t\"", "[", "]",
        "[1", "[1,",
        "[1,]", "[,1]", "[1 2]", "[1}", "{\"a\":1]", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
        "{\"a\":1,}", "{a:1}",
        "{1:1}", "{\"a\" 1}", "{,}", "1 2", "{}{}", "[]x", "1e999", "-1e400", "'a'", "[1,2,3,,4,5,6,7,8,9]",
        "[,1,2,3,4,5,6,7,8]", "[1,2,3,4,05,6,7,8,9,10]", "[01,2,3,4,5,6,7,8]", "[1,2,3,4,5,6,7,8,9,]",
        "[1,2,3,4,5,6,7,00]",
        "[123,34,1,22,0,0,01,1,1]", "[123,34,1,22,0,0,0,01,1,1]", "[123,34,1,22,0,0,10,00,1,1]", "[12345670,012345678]",
        "[12345678", "[12345678,", "[1234567,1234567,", "[1;2,3,4,5,6,7,8]", "[1,2,3,4/5,6,7,8]", "[1,2,3:4,5,6,7,8,9]",
    ])
    func refusesEverythingElse(_ text: String) { judge(Array(text.utf8), isJSON: false) }

    @Test func goesAsDeepAsTheParserAndNoDeeper() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            for depth in [1, 63, 64, 65, 255, 256, 257, 511, 512, 513, 600] {
                let pairs = open.hasPrefix("[{") ? (depth + 1) / 2 : depth
                let inside = open == "[" ? "" : "1"
                let text = String(repeating: open, count: pairs) + inside + String(repeating: close, count: pairs)
                judge(Array(text.utf8), isJSON: pairs * close.count <= JSONParser.maximumDepth)
                judge(Array(text.utf8.dropLast()), isJSON: false)
            }
        }
        judge(Array(repeating: UInt8(ascii: "["), count: 1_000_000), isJSON: false)
    }

    @Test(arguments: 0..<4)
    func judgesDamagedTextsAsTheParserDoes(_ part: Int) {
        var random = RandomJSON()
        var refused = 0
        for _ in 0..<1_000 {
            var text = Array(random.text().utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) where !text.isEmpty {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text.remove(at: place)
                case 1: text.insert(random.pick(Array("{}[]:,\"\\0159-+.eEu nt\t".utf8)), at: place)
                default: text[place] = random.pick(Array("{}[]:,\"\\0159-+.eEu nt\t".utf8))
                }
            }
            let isJSON = (try? JSONValue(jsonBytes: text)) != nil
            // Damage may also fall into the middle of a character, which the cursor leaves to others.
            if !isJSON, String(validating: text, as: UTF8.self) == nil { continue }
            if !isJSON { refused += 1 }
            #expect(accepts(text) == isJSON, "seed \(random.seed): \(String(decoding: text, as: UTF8.self))")
        }
        #expect((50...950).contains(refused))
    }

    /// Cursor and parser step over runs of numbers by the same means, so here a third one is the judge.
    @Test(arguments: 0..<4)
    func judgesDamagedNumberArraysByTheGrammar(_ part: Int) throws {
        var random = RandomJSON()
        for _ in 0..<1_500 {
            let numbers = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                String(random.next() >> UInt64(random.pick([63, 62, 60, 56, 56, 56, 50, 1])))
            }
            var text = Array("[\(numbers.joined(separator: ","))]".utf8)
            if random.oneIn(2) {
                let place = Int.random(in: 0..<text.count, using: &random)
                if random.oneIn(2) {
                    text[place] = random.pick(Array("0,,1.e -]\"".utf8))
                } else {
                    text.insert(random.pick(Array("0,,1.e -]\"".utf8)), at: place)
                }
            } else {
                guard case .array(let exact) = try ExactJSON(jsonBytes: text) else { return }
                let digits = exact.map { if case .number(let digits) = $0 { digits } else { "" } }
                #expect(digits == numbers, "seed \(random.seed)")
            }
            let shown = "seed \(random.seed): \(String(decoding: text, as: UTF8.self))"
            let expected = Self.numbers(String(decoding: text, as: UTF8.self))
            #expect((try? JSONValue(jsonBytes: text)) == expected.map { .array($0.map(JSONValue.number)) }, "\(shown)")
            #expect(accepts(text) == (expected != nil), "\(shown)")
        }
    }

    /// What an array of numbers holds; nil when the text is none.
    private static func numbers(_ text: String) -> [Double]? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.hasPrefix("["), text.hasSuffix("]"), text.count >= 2 else { return nil }
        let inside = text.dropFirst().dropLast()
        if inside.allSatisfy({ $0 == " " }) { return [] }
        var numbers: [Double] = []
        for element in inside.split(separator: ",", omittingEmptySubsequences: false) {
            let number = element.trimmingCharacters(in: .whitespaces)
            guard number.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[0-9]+|e-[0-9]+)?/) != nil,
                let value = Double(number), value.isFinite
            else { return nil }
            numbers.append(value)
        }
        return numbers
    }

    @Test func everyBeginningOfATextIsRefused() {
        var random = RandomJSON()
        for _ in 0..<50 {
            let text = Array("[\(random.text())]".utf8)
            for length in text.indices {
                // A copy, so that a look beyond the end is a look beyond the memory.
                #expect(!accepts(Array(text[..<length])), "seed \(random.seed)")
            }
            #expect(accepts(text))
        }
    }

    @Test func randomBytesAreJudgedAndNeverACrash() {
        var random = RandomJSON()
        for _ in 0..<2_000 {
            let bytes = random.bytes(upTo: 60)
            _ = accepts(bytes)
            _ = accepts(Array("[\"".utf8) + bytes)
            _ = accepts(Array("{\"a\":[1,2,3".utf8) + bytes)
        }
    }

    // MARK: Members

    @Test func readsWhatItIsAskedFor() {
        let text = Array(#" { "skip" : [1,{"a":2}] , "t\u0079pe":"x\u0079", "n":null,"list":[ "a" ,1,"b"] } "#.utf8)
        text.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            var keys: [String] = []
            var strings: [String?] = []
            cursor.enterObject()
            while let key = cursor.nextKey() {
                keys.append(key.string)
                if key.equals("list") {
                    cursor.enterArray()
                    while cursor.nextElement() { strings.append(cursor.string()?.string) }
                } else if key.equals("type") {
                    strings.append(cursor.string()?.string)
                } else {
                    cursor.skip()
                }
            }
            let isAtEnd = cursor.isAtEnd
            #expect(isAtEnd)
            #expect(keys == ["skip", "type", "n", "list"])
            #expect(strings == ["xy", "a", nil, "b"])
        }
    }

    @Test(arguments: [
        "[1]", "1", "{\"a\":1", "{\"a\" 1}", "{1:1}", "{\"a\":1,}", "{\"a\":1}}", "{\"a\":1 \"b\":2}", "",
    ])
    func endsWhereAnObjectIsNone(_ text: String) {
        Array(text.utf8).withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            cursor.enterObject()
            while cursor.nextKey() != nil { cursor.skip() }
            let isAtEnd = cursor.isAtEnd
            #expect(!isAtEnd)
            let more = (cursor.nextKey() != nil, cursor.string() != nil, cursor.skip() != nil)
            #expect(more == (false, false, false))
        }
    }

    private func accepts(_ text: [UInt8]) -> Bool {
        text.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            cursor.skip()
            return cursor.isAtEnd
        }
    }

    private func judge(_ text: [UInt8], isJSON: Bool) {
        let start = String(decoding: text.prefix(80), as: UTF8.self)
        #expect(accepts(text) == isJSON, "\(start)")
        #expect(((try? JSONValue(jsonBytes: text)) != nil) == isJSON, "the parser: \(start)")
    }
}
