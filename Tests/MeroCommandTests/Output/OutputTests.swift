import Foundation
import MeroKit
import Testing

@testable import mero

@Suite("JSON output")
struct JSONPrinterTests {
    private func exact(_ text: String) throws -> ExactJSON { try ExactJSON(jsonBytes: Array(text.utf8)) }

    @Test(
        "numbers keep their digits and members their order",
        arguments: [
            "18446744073709551615", "-9223372036854775808", "123456789012345678901234567890", "1.10", "1E400", "-0.0",
            #"{"z":1,"a":[true,false,null,{}],"m":{"":[]}}"#, #""a\"b\\c\n""#, "[]", "{}",
        ])
    func compact(text: String) throws {
        #expect(try exact(text).compact == text)
    }

    @Test("the pretty form says the same")
    func pretty() throws {
        let value = try exact(#"{"a":[1,{"b":18446744073709551615}],"c":{},"d":[]}"#)
        #expect(
            value.pretty() == """
                {
                  "a": [
                    1,
                    {
                      "b": 18446744073709551615
                    }
                  ],
                  "c": {},
                  "d": []
                }
                """)
        #expect(try exact(value.pretty()).compact == value.compact)
    }

    @Test("what a terminal would obey is escaped, and still means the same")
    func terminalControls() throws {
        let text = "a\u{1B}[31m\u{9B}31m\u{7F}\u{202E}b\u{2028}\0"
        let quoted = JSONPrinter.quoted(text)
        #expect(!quoted.unicodeScalars.contains(where: String.isControl))
        #expect(try JSONDecoder().decode(String.self, from: Data(quoted.utf8)) == text)
    }

    @Test("documents are JSON in the order given")
    func documents() throws {
        let report: Report = [
            "b": 1, "a": ["x", nil, true], "time": .time(Date(timeIntervalSince1970: 0)), "big": .integer(.max),
            "text": .text(try exact("18446744073709551615")), "c": [:],
        ]
        #expect(
            report.json
                == #"{"b":1,"a":["x",null,true],"time":"1970-01-01T00:00:00Z","big":9223372036854775807,"text":18446744073709551615,"c":{}}"#
        )
        #expect(Report(JSONValue.object(["n": 1.5, "w": 3, "big": 1e300])).json == #"{"big":1e+300,"n":1.5,"w":3}"#)
    }
}

@Suite("Text output")
struct TextOutputTests {
    @Test("controls become visible")
    func printable() {
        #expect("plain é 漢".printable == "plain é 漢")
        #expect("a\nb\tc\u{1B}]0;x\u{7}".printable == "a\\nb\\tc\\u{1b}]0;x\\u{7}")
    }

    @Test("columns are aligned, also with wide letters, and no line ends in spaces")
    func table() {
        let table = Table(header: ["NAME", "N"], rows: [["漢字", "1"], ["long name", "22"], ["\u{1B}[2J", "3"]])
        let lines = table.lines(style: Style(colours: false))
        #expect(lines == ["NAME       N", "漢字       1", "long name  22", "\\u{1b}[2J  3"])
        let gaps = Table(header: ["A", "B", "C"], rows: [["1", "", ""], ["1", "2", ""], ["", "", "3"]])
        #expect(gaps.lines(style: Style(colours: false)) == ["A  B  C", "1", "1  2", "      3"])
    }

    @Test("text is wrapped at spaces, and a word that is too long stays whole")
    func wrapped() {
        #expect(TextLayout.wrapped("aa bb cc dd", width: 5) == "aa bb\ncc dd")
        #expect(TextLayout.wrapped("aaaaaaaa b", width: 4, indent: 2) == "  aaaaaaaa\n  b")
    }

    @Test("an error is one line for people and one object for programs")
    func failures() {
        let failure = Failure(
            code: .refused, message: "no\nway", hint: "Try again", type: "FunctionCallError", status: 400, data: "x")
        #expect(failure.line == "mero: no\\nway. Try again.")
        #expect(
            failure.report.json
                == #"{"error":{"kind":"refused","exitCode":1,"message":"no\nway","type":"FunctionCallError","status":400,"data":"x","hint":"Try again"}}"#
        )
    }

    @Test(
        "each error of the SDK ends with its code",
        arguments: [
            (MeroError.network("x"), ExitCode.unreachable), (.decoding("x"), .unexpectedAnswer),
            (.emptyResponse("x"), .unexpectedAnswer),
            (.noRefreshToken, .notSignedIn), (.noCredentials, .notSignedIn),
            (.rpc(RpcError(code: -1, message: "m", type: "ContextNotFound")), .refused),
            (.authRevoked(reason: "token_reuse", http: http(401)), .notSignedIn),
            (.http(http(401)), .notSignedIn), (.http(http(403)), .refused), (.http(http(404)), .refused),
            (.http(http(503)), .refused),
            (.http(http(302)), .unexpectedAnswer),
            (.authenticationFailed("HTTP 401 Unauthorized"), .notSignedIn),
            (.authenticationFailed("HTTP 429 Too Many Requests"), .refused),
            (.authenticationFailed("Network error: refused"), .unreachable),
            (.authenticationFailed("Token refresh failed: Network error: refused"), .unreachable),
            (.authenticationFailed("Token refresh failed: HTTP 500 Internal Server Error"), .notSignedIn),
        ])
    func codes(error: MeroError, code: ExitCode) {
        let failure = Failure(describing: error)
        #expect(failure.code == code)
        #expect(!failure.message.isEmpty && !failure.line.contains("\n"))
    }

    @Test("a reader that leaves ends the command quietly")
    func brokenPipe() async {
        let errors = MemorySink()
        var surroundings = InProcess().surroundings
        surroundings.output = ClosedSink()
        surroundings.errors = errors
        #expect(await Tool(root: CommandTable.root, surroundings: surroundings).run(["help"]) == .brokenPipe)
        #expect(errors.text.isEmpty)
    }

    #if os(Linux)
        @Test("a full disk is no reader that left")
        func fullDisk() async throws {
            let full = open("/dev/full", O_WRONLY)
            try #require(full >= 0)
            defer { close(full) }
            let errors = MemorySink()
            var surroundings = InProcess().surroundings
            surroundings.output = DescriptorSink(descriptor: full)
            surroundings.errors = errors
            #expect(await Tool(root: CommandTable.root, surroundings: surroundings).run(["help"]) == .localFile)
            #expect(errors.text.contains("The output cannot be written: No space left on device."))
        }
    #endif

    private static func http(_ status: Int) -> HTTPError {
        HTTPError(status: status, statusText: "Text", url: "http://h/x", headers: [:])
    }
}
