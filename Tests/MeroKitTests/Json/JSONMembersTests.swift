import Foundation
import Testing

@testable import MeroKit

@Suite("JSON members")
struct JSONMembersTests {
    private func members(_ text: String, _ paths: [String]...) throws -> JSONMembers {
        try JSONMembers(Data(text.utf8), paths: paths)
    }

    private func text(_ data: Data?) -> String? { data.map { String(decoding: $0, as: UTF8.self) } }

    @Test(
        "A member's bytes are handed out as they stand",
        arguments: [
            (#"{"result":{"output": 18446744073709551615 }}"#, "18446744073709551615"),
            (
                #" { "id" : 1 , "result" : { "x" : [ { "output" : 9 } ] , "output" : { "a" : [ 1 ] } } } "#,
                #"{ "a" : [ 1 ] }"#
            ),
            (#"{"result":{"output":[[],[{}]],"z":0}}"#, "[[],[{}]]"),
            (#"{"result":{"output":"a\"}b"}}"#, #""a\"}b""#),
            (#"{"re\u0073ult":{"\u006futput":true}}"#, "true"),
            (#"{"output":1,"x":{"output":2},"result":{"output":null}}"#, "null"),
        ])
    func slices(json: String, output: String) throws {
        #expect(text(try members(json, ["result", "output"])["result", "output"]) == output)
    }

    @Test(
        "A member that is not there has no bytes",
        arguments: [
            "{}", #"{"result":null}"#, #"{"result":[{"output":1}]}"#, #"{"result":"output"}"#, #"{"output":1}"#,
            #"{"result":{"Output":1}}"#, #"{"x":{"result":{"output":1}}}"#, #"{"result":{"x":{"output":1}}}"#,
            #"{"result":{},"result":{"output":1}}"#,
            #"[{"result":{"output":1}}]"#.replacing("[", with: #"{"a":["#) + "}",
        ])
    func missing(json: String) throws {
        #expect(try members(json, ["result", "output"])["result", "output"] == nil)
    }

    @Test("Of a repeated key the first counts, as in JSONDecoder")
    func repeated() throws {
        let found = try members(#"{"a":1,"a":2,"b":{"c":3,"c":4}}"#, ["a"], ["b", "c"])
        #expect(text(found["a"]) == "1" && text(found["b", "c"]) == "3")
    }

    @Test("Several paths, and what leads to them, in one walk")
    func severalPaths() throws {
        let found = try members(
            #"{"error":{"type":"E","data":[1]},"result":{"output":5}}"#, ["error"], ["error", "type"],
            ["result", "output"])
        #expect(text(found["error"]) == #"{"type":"E","data":[1]}"#)
        #expect(text(found["error", "type"]) == #""E""#)
        #expect(text(found["result"]) == #"{"output":5}"#)
        #expect(found["error", "data"] == nil && found["id"] == nil)
        #expect(text(found[]) == #"{"error":{"type":"E","data":[1]},"result":{"output":5}}"#)
    }

    @Test("Null and absent are told apart")
    func nulls() throws {
        let found = try members(#"{"error": null ,"a":"null"}"#, ["error"], ["a"], ["b"])
        #expect(found.isNull("error") && !found.isNull("a") && !found.isNull("b"))
    }

    @Test("A slice of data works, and yields slices that decode exactly")
    func slicesOfSlices() throws {
        let data = Data(#"xx{"result":{"output":{"n":18446744073709551615}}}"#.utf8).dropFirst(2)
        let found = try JSONMembers(data, paths: [["result", "output"]])
        let output = try #require(found["result", "output"])
        #expect(try MeroJSON.decode([String: UInt64].self, from: output) == ["n": .max])
        #expect(try MeroJSON.decode(JSONValue.self, from: output)["n"] == .number(0x1p64))
    }

    @Test("The whole text is checked, behind the member as well")
    func validates() {
        for json in [#"{"result":{"output":1},}"#, #"{"result":{"output":1}} x"#, #"{"result":{"output":1},"a":"\q"}"#]
        {
            #expect(throws: JSONSyntaxError.self) { try members(json, ["result", "output"]) }
        }
        // What nobody reads may be a number that no double holds.
        #expect(throws: Never.self) { try members(#"{"a":1e400}"#, ["a"]) }
    }

    @Test("A text that is no object is told apart from no JSON", arguments: ["[]", "1", "null", #""x""#])
    func notAnObject(json: String) {
        #expect(throws: JSONSyntaxError(.notAnObject, at: 0)) { try members(json, ["a"]) }
    }

    @Test("Finds in random objects what a full parse finds", arguments: 0..<4)
    func agreesWithParser(round: Int) throws {
        var random = RandomJSON()
        for _ in 0..<100 {
            let json = #"{"p":\#(random.text()),"q":{"x":\#(random.text()),"r":\#(random.text())},"s":[]}"#
            let whole = try JSONValue(jsonBytes: Data(json.utf8))
            let found = try members(json, ["q", "r"], ["p"])
            let comment = Comment(rawValue: "seed \(random.seed)")
            #expect(try JSONValue(jsonBytes: #require(found["p"])) == whole["p"], comment)
            #expect(try JSONValue(jsonBytes: #require(found["q", "r"])) == whole["q"]?["r"], comment)
        }
    }
}
