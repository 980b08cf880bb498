import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("Calls from the command line", .serialized)
struct CallTests {
    @Test("write and read")
    func writeAndRead() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            #expect(try await bench.mero("call", bench.store, "set", #"{"key":"k","value":"é \" \n"}"#).status == 0)
            let read = try await bench.mero("call", bench.store, "get", #"{"key":"k"}"#)
            #expect(read.output == #""é \" \n""# + "\n")
            let raw = try await bench.mero("call", bench.store, "get", "--raw", #"{"key":"k"}"#)
            #expect(raw.output == "é \" \n\n")
            #expect(try await bench.mero("call", bench.store, "get", #"{"key":"missing"}"#).output == "null\n")
            #expect(bench.node.contextState(bench.store)?["k"] == "é \" \n")
        }
    }

    @Test("all digits arrive and come back, from an argument and from standard input")
    func exactNumbers() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let text =
                #"{"z":18446744073709551615,"a":-9223372036854775808,"l":[123456789012345678901234567890,1.10,0.1]}"#
            #expect(try await bench.mero("call", bench.probe, "echo", text).output == text + "\n")
            let spaced = "\n" + text.replacingOccurrences(of: ",", with: " ,\n ") + "\n"
            #expect(try await bench.mero("call", bench.probe, "echo", "-", input: spaced).output == text + "\n")
            #expect(
                try await bench.mero("call", "--json", bench.probe, "increment", #"{"by":18446744073709551615}"#).output
                    == "18446744073709551615\n")
        }
    }

    @Test("arguments default to an empty object")
    func noArguments() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            #expect(try await bench.mero("call", bench.probe, "echo").output == "{}\n")
        }
    }

    @Test("a contract's error ends with 1 and is told with its type")
    func contractError() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let people = try await bench.mero("call", bench.store, "get_result", #"{"key":"nope"}"#)
            #expect(people.status == 1)
            #expect(people.output.isEmpty)
            #expect(people.isOneErrorLine)
            #expect(people.errors.contains("FunctionCallError") && people.errors.contains("nope"))
            let programs = try await bench.mero("call", bench.store, "get_result", #"{"key":"nope"}"#, "--json")
            #expect(programs.status == 1)
            #expect(programs.error?["kind"] == "refused")
            #expect(programs.error?["type"] == "FunctionCallError")
            #expect(programs.error?["data"]?.stringValue?.contains("nope") == true)
        }
    }

    @Test("text of a contract cannot steer the terminal")
    func controlsInErrors() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let outcome = try await bench.mero("call", bench.probe, "fail", #"{"message":"a\u001b]0;owned\u0007\nb"}"#)
            #expect(outcome.status == 1)
            #expect(outcome.isOneErrorLine)
            #expect(!outcome.errors.contains("\u{1B}") && outcome.errors.contains("owned"))
        }
    }

    @Test("an unknown context")
    func unknownContext() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let outcome = try await bench.mero("call", String(repeating: "0", count: 64), "get", "--json")
            #expect(outcome.status == 1)
            #expect(outcome.error?["type"] == "ContextNotFound")
            #expect(outcome.error?["hint"]?.stringValue?.contains("id") == true)
        }
    }

    @Test(
        "JSON that is none sends nothing and says where it breaks",
        arguments: ["{", "{'a':1}", "", "{\"a\":1}}", "\u{FEFF}{}", "nul"])
    func badJSON(text: String) async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.clearRequests()
            let outcome = try await bench.mero("call", bench.probe, "echo", "--json", "-", input: text)
            #expect(outcome.status == 2)
            #expect(outcome.error?["message"]?.stringValue?.contains("line 1, column ") == true)
            #expect(bench.node.requests.isEmpty)
        }
    }

    @Test("--raw and --json exclude each other")
    func rawAndJSON() async {
        let tool = InProcess()
        #expect(await tool.run("call", "c", "m", "--raw", "--json") == .usage)
        #expect(tool.errors.text.contains("--raw and --json"))
    }

    @Test("arguments that are no object", arguments: ["[1]", "7", "null", "\"text\""])
    func noObject(json: String) async {
        let tool = InProcess()
        #expect(await tool.run("call", "c", "m", json) == .usage)
        #expect(tool.errors.text.contains("has to be an object"))
    }

    @Test("a node that is not there")
    func unreachable() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            try await bench.node.refuseConnections(true)
            let outcome = try await bench.mero("call", bench.store, "len", "--retry", "never")
            #expect(outcome.status == 4)
            #expect(outcome.isOneErrorLine)
            let login = try await bench.mero(
                "login", "--password-stdin", "--retry", "never", "--json", input: Workbench.password)
            #expect(login.status == 4)
            #expect(login.error?["kind"] == "unreachable")
        }
    }

    @Test("an answer that no node gives", arguments: ["<html>hello</html>", "[]", "{}", ""])
    func unexpected(body: String) async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.inject(.answer(Data(body.utf8), contentType: "text/html"), on: "POST /jsonrpc", times: nil)
            let outcome = try await bench.mero("call", bench.store, "len")
            #expect(outcome.status == 5)
            #expect(outcome.isOneErrorLine)
        }
    }

    @Test("the time-out and the retry policy are those that were asked for")
    func timeoutAndRetry() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.inject(.stall, on: "POST /jsonrpc")
            #expect(
                try await bench.mero("call", bench.store, "len", "--timeout", "0.3", "--retry", "never").status == 4)
            #expect(bench.node.requestCount("POST", "/jsonrpc") == 1)
            bench.node.removeFaults()
            bench.node.clearRequests()
            bench.node.inject(.status(503), on: "POST /jsonrpc")
            #expect(try await bench.mero("call", bench.store, "len", "--retry", "unsent").status == 1)
            bench.node.inject(.status(503), on: "POST /jsonrpc")
            #expect(try await bench.mero("call", bench.store, "len").status == 0)
            #expect(bench.node.requestCount("POST", "/jsonrpc") == 3)
        }
    }

    @Test("a signal ends a call that waits", arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func signals(signal: Int32, status: Int32) async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.inject(.stall, on: "POST /jsonrpc", times: nil)
            let call = try bench.start(["call", bench.store, "len"])
            #expect(try await eventually { bench.node.requestCount("POST", "/jsonrpc") == 1 })
            call.send(signal)
            let outcome = await call.outcome()
            #expect(outcome.status == status)
            #expect(outcome.errors.isEmpty)
            #expect(bench.node.requestCount("POST", "/jsonrpc") == 1)
        }
    }

    @Test("a scoped token that may not execute is refused with a way to find out")
    func missingPermission() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let tokens = bench.node.mintTokens(permissions: ["context:list"])
            FileTokenStore(url: bench.tokensFile).setTokens(
                TokenData(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, expiresAt: Date()))
            let outcome = try await bench.mero("call", bench.store, "len", "--json")
            #expect(outcome.status == 1)
            #expect(outcome.error?["status"] == 403)
            #expect(outcome.error?["type"] == "permission_denied")
        }
    }
}
