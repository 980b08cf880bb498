import Foundation
import Testing

@testable import MeroKit

/// A server that means harm with its answers to calls. Spec: 10, section 2.
@Suite("Hostile answers")
struct HostileAnswerTests {
    /// Sends the start of an answer, then the same bytes again and again for as long as the client stays.
    private func endless(_ start: String, _ more: String) throws -> ScriptedServer {
        let piece = Data(String(repeating: more, count: max(1, 4096 / more.utf8.count)).utf8)
        return try ScriptedServer { peer in
            guard try peer.readRequest() != nil else { return }
            try peer.send(start)
            while true { try peer.send(piece) }
        }
    }

    #if os(Linux)
        /// A head, or what comes behind a body, that never ends is not waited for.
        @Test(
            .timeLimit(.minutes(1)),
            arguments: [
                ["", "HTTP/1.1 100 Continue\r\n\r\n"],
                ["", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
                ["HTTP/1.1 200 OK\r\n", "X-A: b\r\n"],
                ["HTTP/1.1 200 OK\r\nX-A: ", "b"],
                ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", "X-A: b\r\n"],
            ])
        func endlessHeadsEnd(parts: [String]) async throws {
            let server = try endless(parts[0], parts[1])
            let engine = CurlEngine()
            let error = await engineError { try await engine.perform(EngineRequest(server.url)) }
            #expect(error?.kind == .connectionLost)
            server.stop()
        }

        /// Many lines of one name take no longer to read than as many of different names.
        @Test func manyLinesOfOneNameAreReadQuickly() {
            let block = Array(("HTTP/1.1 200 OK\r\n" + String(repeating: "a:b\n", count: 65_000) + "\r\n").utf8)
            let folded = Array(("HTTP/1.1 200 OK\r\na: b\n" + String(repeating: " b\n", count: 80_000) + "\r\n").utf8)
            let start = Date()
            #expect(CurlHeaderLines.parse(block)["a"]?.count == 65_000 * 3 - 2)
            #expect(CurlHeaderLines.parse(folded)["a"]?.count == 80_001 * 2 - 1)
            #expect(Date().timeIntervalSince(start) < 5)
        }
    #endif

    /// JSON that is made to hurt a parser is an error or a value, nothing else.
    @Test(
        arguments: [
            String(repeating: "[", count: 1_000_000), String(repeating: "{\"a\":", count: 300_000),
            String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
            "{\"a\":" + String(repeating: "9", count: 1_000_000) + "}", "{\"a\":1e999999999}", "{\"a\":-1e-999999999}",
            "{\"a\":1,\"a\":\"x\",\"a\":[]}", "{\"a\":\"\\ud800\"}", "\u{FEFF}{\"a\":1}", "{\"a\":1}\u{0}", "\u{0}",
            "nul",
            "{\"error\":\"\\u0000\",\"type\":\"\\u0000\"}",
        ])
    func jsonThatHurts(text: String) async throws {
        struct Shape: Decodable { var a: Int? }
        let server = try ScriptedServer.answering { request in
            let status = request.target.contains("bad") ? "400 Bad Request" : "200 OK"
            return "HTTP/1.1 \(status)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }
        let client = URLSessionHttpClient(baseURL: try #require(URL(string: server.url)))
        do { let _: JSONValue = try await client.get("/a") } catch MeroError.decoding {}
        do { let _: Shape = try await client.get("/a") } catch MeroError.decoding {}
        do { let _: ApiResponse<[String]> = try await client.get("/a") } catch MeroError.decoding {}
        let rpc = RpcClient(http: client)
        do { let _: JSONValue = try await rpc.execute(contextId: "c", method: "m") } catch is MeroError {}
        do {
            try await client.sendVoid(HttpRequest(path: "/bad"))
        } catch let error as MeroError {
            _ = error.refusal
            _ = error.errorType
            #expect(error.httpStatus == 400)
        }
    }

    /// Bytes that are no text, in places where text is expected.
    @Test(arguments: EngineUnderTest.allCases)
    func bytesThatAreNoText(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            while try peer.readRequest() != nil {
                var answer = Data("HTTP/1.1 400 Bad\r\nX-Auth-Error: ".utf8)
                if engine != .urlSession { answer += Data([0xFF, 0xC3, 0x28]) }
                answer += Data("\r\nContent-Length: 4\r\n\r\n".utf8) + Data([0xFF, 0x00, 0xC3, 0x28])
                try peer.send(answer)
            }
        }
        let client = URLSessionHttpClient(
            baseURL: try #require(URL(string: server.url)), engine: try engine.make())
        do {
            try await client.sendVoid(HttpRequest(path: "/"))
            Issue.record("No error")
        } catch let error as MeroError {
            #expect(error.httpStatus == 400)
            #expect(error.refusal == nil)
        }
    }

    /// A small answer that unpacks to a large one is stopped at the limit.
    @Test(arguments: EngineUnderTest.allCases)
    func bombsAreStoppedAtTheLimit(engine: EngineUnderTest) async throws {
        let bomb = try PackedZeros.gzip(megabytes: 200)
        let server = try ScriptedServer { peer in
            while try peer.readRequest() != nil {
                try peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
                try peer.send(bomb)
            }
        }
        let engine = try engine.make()
        let error = await engineError {
            try await engine.perform(EngineRequest(server.url, sink: .memory(limit: 1 << 20)))
        }
        #expect(error?.kind == .tooLarge)
        #expect(server.connections == 1)
    }
}

/// What packs best.
private enum PackedZeros {
    static func gzip(megabytes: Int) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "head -c \(megabytes)M /dev/zero | gzip -1"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data
    }
}
