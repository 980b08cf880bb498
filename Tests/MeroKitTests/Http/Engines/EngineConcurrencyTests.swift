import Foundation
import Testing

@testable import MeroKit

/// Many calls at once, calls that may be sent only once, and what is left when an engine is gone.
@Suite("Engine concurrency") struct EngineConcurrencyTests {
    /// All of them are on their way before the first one is answered.
    @Test(arguments: EngineUnderTest.allCases)
    func twoHundredAtOnce(engine: EngineUnderTest) async throws {
        let count = 200
        let waiting = NSCondition()
        let arrived = Locked(0)
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                waiting.lock()
                arrived.withLock { $0 += 1 }
                waiting.broadcast()
                while arrived.withLock({ $0 }) < count { waiting.wait() }
                waiting.unlock()
                try peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.target.count)\r\n\r\n\(request.target)")
            }
        }
        let engine = try engine.make()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    let response = try await engine.perform(EngineRequest(server.url + "/\(number)"))
                    #expect(response.body == Data("/\(number)".utf8))
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == count)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func manyTasksShareAnEngine(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                try peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                try peer.send(request.body)
            }
        }
        let engine = try engine.make()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for call in 0..<20 {
                        let body = Data("\(task).\(call)".utf8)
                        let response = try await engine.perform(
                            EngineRequest(server.url, method: "POST", body: .bytes(body), once: call == 7))
                        #expect(response.body == body)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 320)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func connectionsAreReused(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        let engine = try engine.make()
        for _ in 0..<10 { _ = try await engine.perform(EngineRequest(server.url)) }
        #expect(server.connections == 1)
    }

    // MARK: At most once

    enum Sent: String, CaseIterable {
        case get, post, postFile
    }

    /// The handler runs, then the connection breaks: the request must not be seen a second time, although an idle
    /// connection was there to be reused.
    @Test(arguments: EngineUnderTest.allCases, Sent.allCases)
    func atMostOnce(engine: EngineUnderTest, sent: Sent) async throws {
        let folder = try TemporaryFolder()
        try Data("hello".utf8).write(to: folder.file("up"))
        let heads = Locked(0)
        let server = try ScriptedServer { peer in
            while let head = try peer.readHead() {
                if head.target == "/once" {
                    heads.withLock { $0 += 1 }
                    return
                }
                try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let engine = try engine.make()
        for _ in 0..<3 { _ = try await engine.perform(EngineRequest(server.url + "/warm")) }
        let request =
            switch sent {
            case .get: EngineRequest(server.url + "/once", once: true)
            case .post:
                EngineRequest(server.url + "/once", method: "POST", body: .bytes(Data("hello".utf8)), once: true)
            case .postFile:
                EngineRequest(server.url + "/once", method: "POST", body: .file(folder.file("up")), once: true)
            }
        let error = await engineError { try await engine.perform(request) }
        #expect(error?.kind == .connectionLost)
        #expect(error?.mayHaveReachedNode == true)
        // A request that is on its way now would have been sent before this one.
        _ = try await engine.perform(EngineRequest(server.url + "/after"))
        #expect(heads.withLock { $0 } == 1)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func atMostOnceIsAnsweredLikeAnyOther(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                try peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                try peer.send(request.body)
            }
        }
        let engine = try engine.make()
        for number in 0..<5 {
            let body = Data("\(number)".utf8)
            let response = try await engine.perform(
                EngineRequest(server.url, method: "POST", body: .bytes(body), once: true))
            #expect(response.body == body)
        }
        #expect(server.requests.count == 5)
    }

    // MARK: What is left

    @Test(arguments: EngineUnderTest.allCases)
    func aReleasedEngineIsGoneWithItsConnections(engine: EngineUnderTest) async throws {
        let open = Locked(0)
        let server = try ScriptedServer { peer in
            open.withLock { $0 += 1 }
            while try peer.readRequest() != nil { try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
            open.withLock { $0 -= 1 }
        }
        weak var released: (any HttpEngine)?
        do {
            let engine = try engine.make()
            released = engine
            _ = try await engine.perform(EngineRequest(server.url))
            _ = try await engine.perform(EngineRequest(server.url, once: true))
        }
        try await eventually { released == nil && open.withLock { $0 } == 0 }
    }

    #if os(Linux)
        /// In a process of its own, where nobody else opens descriptors and threads.
        @Test(arguments: EngineUnderTest.allCases)
        func nothingLeaks(engine: EngineUnderTest) async throws {
            await #expect(processExitsWith: .success) { [engine] in
                let folder = try TemporaryFolder()
                try Data(count: 1000).write(to: folder.file("up"))
                let server = try ScriptedServer { peer in
                    while let request = try peer.readRequest() {
                        switch request.target {
                        case "/cut": return
                        case "/stall": peer.waitForEnd()
                        default: try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                        }
                        try peer.send(Data(count: 1000))
                    }
                }

                func rounds(_ count: Int) async throws {
                    let engine = try engine.make()
                    for number in 0..<count {
                        let sink = EngineSink.file(folder.file("down"))
                        switch number % 6 {
                        case 0: _ = try await engine.perform(EngineRequest(server.url))
                        case 1: _ = try await engine.perform(EngineRequest(server.url, once: true))
                        case 2: _ = try? await engine.perform(EngineRequest(server.url + "/cut", timeout: 1))
                        case 3: _ = try await engine.perform(EngineRequest(server.url, sink: sink))
                        case 4:
                            let call = Task {
                                try await engine.perform(EngineRequest(server.url + "/stall", once: true))
                            }
                            try await Task.sleep(nanoseconds: 3_000_000)
                            call.cancel()
                            _ = await call.result
                        default:
                            _ = try await engine.perform(
                                EngineRequest(server.url, method: "POST", body: .file(folder.file("up"))))
                        }
                    }
                }

                func entries(_ path: String) -> Int {
                    (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
                }

                // Once beforehand, since libraries and the thread pool keep some for good.
                try await rounds(30)
                try await eventually { server.openConnections == 0 }
                let files = entries("/proc/self/fd")
                let threads = entries("/proc/self/task")
                try await rounds(300)
                try await eventually { server.openConnections == 0 }
                try await eventually { entries("/proc/self/fd") <= files + 3 }
                try await eventually { entries("/proc/self/task") <= threads + 8 }
            }
        }

        /// 200 MB through a file each way, in a process of its own, whose memory then has a peak to look at.
        @Test(arguments: EngineUnderTest.allCases)
        func filesAreStreamed(engine: EngineUnderTest) async throws {
            let size = 200 << 20
            let server = try ScriptedServer { peer in
                let head = try peer.readHead()
                if head?.target == "/small" {
                    try peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                } else if head?.method == "GET" {
                    try peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                    for _ in 0..<200 {
                        try peer.send(Data(count: 1 << 20))
                        // No faster than a slow disk: Foundation on Linux takes in what it cannot hand on yet.
                        Thread.sleep(forTimeInterval: 0.01)
                    }
                } else {
                    var received = 0
                    while received < size { received += peer.readSome()?.count ?? size }
                    // Whatever ends the body is not waited for: the answer ends the call.
                    try peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                    peer.waitForEnd()
                }
            }
            await #expect(processExitsWith: .success) { [engine, size = size as Int, url = server.url as String] in
                let folder = try TemporaryFolder()
                // A file of zeros that takes no space.
                try Data().write(to: folder.file("up"))
                try FileHandle(forWritingTo: folder.file("up")).truncate(atOffset: UInt64(size))
                let engine = try engine.make()
                _ = try await engine.perform(EngineRequest(url + "/small"))
                let before = try #require(Self.peakMemory())
                let up = try await engine.perform(
                    EngineRequest(url, method: "POST", body: .file(folder.file("up"))))
                #expect(up.status == 200)
                #expect(try #require(Self.peakMemory()) - before < 30_000 || Self.isSanitized)
                let down = try await engine.perform(EngineRequest(url, sink: .file(folder.file("down"))))
                #expect(down.status == 200)
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("down").path)
                #expect((attributes[.size] as? NSNumber)?.intValue == size)
                #expect(try #require(Self.peakMemory()) - before < 100_000 || Self.isSanitized)
            }
        }

        /// Memory that was freed is kept for a while by the runtime of the address sanitizer.
        private static let isSanitized = ProcessInfo.processInfo.environment["MEROKIT_SANITIZED"] != nil

        /// The most memory that this process has held, in kilobytes.
        private static func peakMemory() -> Int? {
            let status = try? FileHandle(forReadingAtPath: "/proc/self/status")?.readToEnd()
            return String(decoding: status ?? Data(), as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.filter(\.isNumber)) }
        }
    #endif
}
