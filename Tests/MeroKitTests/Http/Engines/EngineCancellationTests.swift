import Foundation
import Testing

@testable import MeroKit

/// A cancelled call ends at once, with `CancellationError`, and takes its transfer along.
@Suite("Engine cancellation") struct EngineCancellationTests {
    @Test(arguments: EngineUnderTest.allCases, [false, true])
    func beforeTheStart(engine: EngineUnderTest, once: Bool) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        let engine = try engine.make()
        let task = Task {
            // Not before this task has seen its own cancellation.
            while !Task.isCancelled { await Task.yield() }
            return try await engine.perform(EngineRequest(server.url, once: once))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.connections == 0)
    }

    @Test(arguments: EngineUnderTest.allCases, [false, true])
    func whileConnecting(engine: EngineUnderTest, once: Bool) async throws {
        let host = try UnansweringHost()
        let engine = try engine.make()
        let task = Task { try await engine.perform(EngineRequest(host.url, once: once)) }
        try await eventually { host.isAwaitedBySomebody }
        try await cancel(task)
        try await eventually { !host.isAwaitedBySomebody }
    }

    @Test(arguments: EngineUnderTest.allCases, [false, true])
    func whileWaitingForTheAnswer(engine: EngineUnderTest, once: Bool) async throws {
        let ended = Locked(false)
        let server = try ScriptedServer { peer in
            _ = try peer.readRequest()
            peer.waitForEnd()
            ended.withLock { $0 = true }
        }
        let engine = try engine.make()
        let task = Task { try await engine.perform(EngineRequest(server.url, once: once)) }
        try await eventually { server.requests.count == 1 }
        try await cancel(task)
        try await eventually { ended.withLock { $0 } }
    }

    @Test(arguments: EngineUnderTest.allCases, [false, true])
    func inTheMiddleOfTheBody(engine: EngineUnderTest, toFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let ended = Locked(false)
        let server = try ScriptedServer { peer in
            _ = try peer.readRequest()
            try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome")
            peer.waitForEnd()
            ended.withLock { $0 = true }
        }
        let started = Locked(false)
        var request = EngineRequest(server.url, sink: toFile ? .file(folder.file("down")) : .memory(limit: 1000))
        request.downloadProgress = { _ in started.withLock { $0 = true } }
        let engine = try engine.make()
        let task = Task { [request] in try await engine.perform(request) }
        try await eventually { started.withLock { $0 } }
        #expect(folder.contents == (toFile ? ["down"] : []))
        try await cancel(task)
        #expect(folder.contents == [])
        try await eventually { ended.withLock { $0 } }
    }

    @Test(arguments: EngineUnderTest.allCases, [false, true])
    func inTheMiddleOfAnUpload(engine: EngineUnderTest, fromFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let body = Data(count: 20 << 20)
        try body.write(to: folder.file("up"))
        let started = Locked(false)
        let server = try ScriptedServer { peer in
            _ = try peer.readHead()
            started.withLock { $0 = true }
            peer.waitForStop()
        }
        let engine = try engine.make()
        let request = EngineRequest(
            server.url, method: "POST", body: fromFile ? .file(folder.file("up")) : .bytes(body))
        let task = Task { try await engine.perform(request) }
        try await eventually { started.withLock { $0 } }
        try await cancel(task)
    }

    /// Cancelled at any moment, a call ends in one of two ways, and the engine goes on serving.
    @Test(arguments: EngineUnderTest.allCases)
    func atAnyMoment(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        }
        let engine = try engine.make()
        let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let call = Task {
                        try await engine.perform(EngineRequest(server.url, once: number % 5 == 0))
                    }
                    try await Task.sleep(nanoseconds: UInt64.random(in: 0...4_000_000))
                    call.cancel()
                    switch await call.result {
                    case .success(let response):
                        #expect(response.body == Data("ok".utf8))
                        return true
                    case .failure(let error):
                        #expect(error is CancellationError)
                        return false
                    }
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(ends.count == 300)
        let response = try await engine.perform(EngineRequest(server.url))
        #expect(response.status == 200)
    }

    private func cancel(
        _ task: Task<EngineResponse, Error>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let start = Date()
        task.cancel()
        await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { try await task.value }
        #expect(Date().timeIntervalSince(start) < 20, sourceLocation: sourceLocation)
    }
}

/// A loopback port that never completes a connection: nobody accepts there, and its queue is full.
final class UnansweringHost: Sendable {
    let url: String
    private let port: UInt16
    private let listener: Int32
    private let fillers: [Int32]
    private let fillersWaiting: Int

    init() throws {
        listener = try LoopbackSocket.listening(backlog: 0)
        let port = try LoopbackSocket.port(of: listener)
        self.port = port
        url = "http://127.0.0.1:\(port)"
        // A queue of length n takes n + 1 connections; the rest of these wait like everybody after them.
        fillers = try (0..<4).map { _ in try LoopbackSocket.connecting(to: port) }
        // The kernel takes a moment to let the first in; counted before, nobody after them would ever seem to wait.
        var waiting = Self.waiting(for: port)
        for _ in 0..<2_000 where waiting > 3 {
            usleep(1_000)
            waiting = Self.waiting(for: port)
        }
        fillersWaiting = waiting
    }

    deinit { for descriptor in fillers + [listener] { close(descriptor) } }

    /// Whether anybody but the fillers is trying to connect.
    var isAwaitedBySomebody: Bool { Self.waiting(for: port) > fillersWaiting }

    /// Connections to a loopback port that were begun and not answered.
    private static func waiting(for port: UInt16) -> Int {
        // Not by `String(contentsOfFile:)`, which stops after the first part of a file without a size.
        let bytes = try? FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd()
        let table = String(decoding: bytes ?? Data(), as: UTF8.self)
        let target = "0100007F:" + String(format: "%04X", Int(port))
        return table.split(separator: "\n").filter { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[2] == target && columns[3] == "02"
        }.count
    }
}
