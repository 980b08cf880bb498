import Foundation
import Testing

@testable import MeroKit

/// What becomes of calls that get no complete answer.
@Suite("Engine failures") struct EngineFailureTests {
    // MARK: Cuts

    @Test(arguments: EngineUnderTest.allCases, ["GET", "POST"])
    func cutBeforeTheAnswer(engine: EngineUnderTest, method: String) async throws {
        let server = try ScriptedServer { peer in _ = try peer.readRequest() }
        let engine = try engine.make()
        let error = await engineError { try await engine.perform(Self.request(server.url, method)) }
        #expect(error?.kind == .connectionLost)
        #expect(error?.mayHaveReachedNode == true)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: EngineUnderTest.allCases, ["GET", "POST"])
    func resetBeforeTheAnswer(engine: EngineUnderTest, method: String) async throws {
        let server = try ScriptedServer { peer in
            _ = try peer.readRequest()
            peer.reset()
        }
        let engine = try engine.make()
        let error = await engineError { try await engine.perform(Self.request(server.url, method)) }
        #expect(error?.kind == .connectionLost)
        #expect(error?.mayHaveReachedNode == true)
    }

    /// An engine may repeat such a call by itself (only `sendAtMostOnce` forbids it), but it has to come to an end.
    @Test(arguments: EngineUnderTest.allCases, ["GET", "POST"])
    func cutOnAReusedConnection(engine: EngineUnderTest, method: String) async throws {
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest(), request.target == "/warm" {
                try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let engine = try engine.make()
        _ = try await engine.perform(EngineRequest(server.url + "/warm"))
        // Foundation on Linux lets a POST hang here until its time-out.
        let error = await engineError {
            try await engine.perform(Self.request(server.url + "/cut", method, timeout: 2))
        }
        #expect([.connectionLost, .timedOut].contains(error?.kind))
        #expect(error?.mayHaveReachedNode == true)
        #expect(server.requests.first { $0.target == "/cut" }?.connection == 0)
    }

    @Test(arguments: EngineUnderTest.thatSurviveCutHeads)
    func cutInTheHead(engine: EngineUnderTest) async throws {
        let cuts = [
            "HTTP/1.", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
        ]
        let server = try ScriptedServer { peer in
            guard let request = try peer.readRequest() else { return }
            try peer.send(cuts[Int(request.target.dropFirst()) ?? 0])
        }
        let engine = try engine.make()
        for cut in cuts.indices {
            let error = await engineError { try await engine.perform(EngineRequest(server.url + "/\(cut)")) }
            #expect(error?.kind == .connectionLost)
            #expect(error?.mayHaveReachedNode == true)
        }
    }

    @Test(
        arguments: EngineUnderTest.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of it",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n14\r\nhalf of it",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nhalf of it\r\n",
            "HTTP/1.1 404 Not Found\r\nContent-Length: 20\r\n\r\nhalf of it",
        ].map(Bytes.init))
    func cutInTheBody(engine: EngineUnderTest, answer: Bytes) async throws {
        let server = try ScriptedServer { peer in
            guard let request = try peer.readRequest() else { return }
            try peer.send(answer.data)
            if request.target == "/reset" { peer.reset() }
        }
        let engine = try engine.make()
        for target in ["/end", "/reset"] {
            let error = await engineError { try await engine.perform(EngineRequest(server.url + target)) }
            #expect(error?.kind == .connectionLost)
            #expect(error?.mayHaveReachedNode == true)
        }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func cutInAnUpload(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            _ = try peer.readHead()
            peer.reset()
        }
        let engine = try engine.make()
        let error = await engineError {
            try await engine.perform(
                EngineRequest(server.url, method: "POST", body: .bytes(Data(count: 20 << 20))))
        }
        #expect(error?.kind == .connectionLost)
        #expect(error?.mayHaveReachedNode == true)
    }

    // MARK: Time

    enum Stall: String, CaseIterable {
        case accepting, answering, head, body, upload
    }

    @Test(arguments: EngineUnderTest.allCases, Stall.allCases)
    func stallTimesOut(engine: EngineUnderTest, stall: Stall) async throws {
        let server = try ScriptedServer { peer in
            switch stall {
            case .accepting: break
            case .answering: _ = try peer.readRequest()
            case .head:
                _ = try peer.readRequest()
                try peer.send("HTTP/1.1 200 OK\r\nContent-Le")
            case .body:
                _ = try peer.readRequest()
                try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of it")
            case .upload:
                _ = try peer.readHead()
                peer.waitForStop()
            }
            peer.waitForEnd()
        }
        let engine = try engine.make()
        let start = Date()
        let body = stall == .upload ? EngineBody.bytes(Data(count: 20 << 20)) : .none
        let error = await engineError {
            try await engine.perform(
                EngineRequest(server.url, method: stall == .upload ? "POST" : "GET", body: body, timeout: 0.6))
        }
        let elapsed = Date().timeIntervalSince(start)
        #expect(error?.kind == .timedOut)
        #expect(error?.mayHaveReachedNode == true)
        #expect(elapsed > 0.55)
        #expect(elapsed < 30)
        // The connection is not kept. And the server must not be the first to end it: Foundation on Linux aborts the process
        // when that happens within a header line, also while the call is being cancelled.
        if stall != .upload { try await eventually { server.openConnections == 0 } }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func slowIsNotStalled(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            _ = try peer.readRequest()
            try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n")
            // Longer than the time-out in all, and far shorter between bytes: the machine may be busy.
            for _ in 0..<26 {
                Thread.sleep(forTimeInterval: 0.5)
                try peer.send("x")
            }
        }
        let response = try await engine.make().perform(EngineRequest(server.url, timeout: 12))
        #expect(response.body.count == 26)
    }

    // MARK: No connection

    @Test(arguments: EngineUnderTest.allCases)
    func nobodyListens(engine: EngineUnderTest) async throws {
        // Bound, so that no other test is given the port, but not listening.
        let socket = try LoopbackSocket.bound()
        defer { close(socket) }
        let url = "http://127.0.0.1:\(try LoopbackSocket.port(of: socket))"
        let engine = try engine.make()
        for once in [false, true] {
            let error = await engineError { try await engine.perform(EngineRequest(url, once: once)) }
            #expect(error?.kind == .unreachable)
            #expect(error?.mayHaveReachedNode == false)
        }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func unknownHost(engine: EngineUnderTest) async throws {
        let engine = try engine.make()
        let error = await engineError { try await engine.perform(EngineRequest("http://merokit-test.invalid/x")) }
        #expect(error?.kind == .unreachable)
        #expect(error?.mayHaveReachedNode == false)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func plainServerBehindAnHttpsUrl(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readSome()
            try peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            peer.waitForEnd()
        }
        let engine = try engine.make()
        let error = await engineError { try await engine.perform(EngineRequest("https://127.0.0.1:\(server.port)/")) }
        #expect(error?.kind == .unreachable)
        #expect(error?.mayHaveReachedNode == false)
    }

    // MARK: Not HTTP

    @Test(
        arguments: EngineUnderTest.allCases,
        [
            "garbage\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}", "HTTP/9.9 abc def\r\n\r\n", "HTTP/1.1 99 OK\r\n\r\n",
            "HTTP/1.1 000 x\r\n\r\n", "ICY 200 OK\r\n\r\nhi", "SSH-2.0-OpenSSH_9.2\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n",
        ].map(Bytes.init))
    func whatIsNotHttpIsALostConnection(engine: EngineUnderTest, answer: Bytes) async throws {
        let server = try ScriptedServer { peer in
            _ = try peer.readRequest()
            try peer.send(answer.data)
        }
        let engine = try engine.make()
        let error = await engineError { try await engine.perform(EngineRequest(server.url)) }
        #expect(error?.kind == .connectionLost)
        #expect(error?.mayHaveReachedNode == true)
    }

    /// Random answers: whatever comes of them, the process lives on, every call ends, and the engine serves the next.
    @Test(arguments: EngineUnderTest.allCases)
    func noiseIsSurvived(engine: EngineUnderTest) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed)
        let answers = (0..<150).map { _ in engine.noise(&random) }
        let server = try ScriptedServer { peer in
            guard let request = try peer.readRequest() else { return }
            guard let number = Int(request.target.dropFirst()) else {
                return try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            try peer.send(answers[number])
        }
        let engine = try engine.make()
        for number in answers.indices {
            do {
                _ = try await engine.perform(EngineRequest(server.url + "/\(number)"))
            } catch let error as EngineError {
                // A random length may be one that the limit forbids.
                #expect([.connectionLost, .tooLarge].contains(error.kind), "seed \(seed), answer \(number)")
            } catch {
                Issue.record("\(error), seed \(seed), answer \(number)")
            }
        }
        let response = try await engine.perform(EngineRequest(server.url + "/ok"))
        #expect(response.body == Data("ok".utf8), "seed \(seed)")
    }

    private static func request(_ url: String, _ method: String, timeout: TimeInterval = 60) -> EngineRequest {
        EngineRequest(
            url, method: method, body: method == "GET" ? .none : .bytes(Data("hello".utf8)), timeout: timeout)
    }
}

/// Bytes as a test's argument, told in one line.
struct Bytes: Sendable, CustomTestStringConvertible {
    let data: Data
    init(_ text: String) { data = Data(text.utf8) }
    var testDescription: String { String(decoding: data, as: UTF8.self).debugDescription }
}

/// SplitMix64: the same numbers for the same seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
