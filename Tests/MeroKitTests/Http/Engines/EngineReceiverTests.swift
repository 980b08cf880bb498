import Foundation
import Testing

@testable import MeroKit

/// A body that is handed on as it arrives, to somebody who may have enough of it.
@Suite("Bodies that are handed on") struct EngineReceiverTests {
    /// Has enough with one byte, and none of it with another.
    private final class Receiver: EngineBodyReceiver {
        static let enough = UInt8(ascii: "E")
        static let stop = UInt8(ascii: "S")

        private let received = Locked(Data())

        var bytes: Data { received.withLock { $0 } }

        func receive(_ bytes: UnsafeRawBufferPointer) -> EngineAppetite {
            received.withLock { received in
                received.append(contentsOf: bytes)
                if received.contains(Self.stop) { return .stop }
                return received.contains(Self.enough) ? .enough : .more
            }
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nX-Name: value\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String {
        text.isEmpty ? "0\r\n\r\n" : "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }

    /// Sends what is enough, and nothing behind it.
    private static func unending() throws -> ScriptedServer {
        try ScriptedServer { peer in
            guard try peer.readRequest() != nil else { return }
            try peer.send(head + chunk("E"))
            peer.waitForEnd()
        }
    }

    private static func call(_ engine: any HttpEngine, _ url: String) async throws -> (EngineResponse, Receiver) {
        let receiver = Receiver()
        return (try await engine.perform(EngineRequest(url, sink: .stream(receiver))), receiver)
    }

    /// The caller is answered at once, and the connection serves the next call if it comes to its end in time.
    @Test(arguments: EngineUnderTest.allCases) func enough(engine: EngineUnderTest) async throws {
        let goesOn = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { peer in
            while try peer.readRequest() != nil {
                try peer.send(Self.head + Self.chunk("abE"))
                goesOn.wait()
                try peer.send(Self.chunk("c") + Self.chunk(""))
            }
        }
        let engine = try engine.make()
        var isReused = false
        // A machine that is busy may be too late for some of them.
        for _ in 0..<20 where !isReused {
            // Nothing has ended it yet.
            let (answer, receiver) = try await Self.call(engine, server.url)
            #expect(answer.status == 200 && answer.headers["x-name"] == "value" && answer.body.isEmpty)
            #expect(receiver.bytes.starts(with: Data("abE".utf8)))
            goesOn.signal()
            // Foundation has nothing to tell of a call that is over.
            guard !(engine is URLSessionEngine) else { continue }
            try await eventually { receiver.bytes == Data("abEc".utf8) || server.openConnections == 0 }
            isReused = server.connections < server.requests.count
        }
        #expect(isReused || engine is URLSessionEngine)
        server.stop()
    }

    /// A connection that does not end is closed, whether it is silent or drips.
    @Test(arguments: EngineUnderTest.allCases, [false, true])
    func aConnectionThatDoesNotEnd(engine: EngineUnderTest, drips: Bool) async throws {
        let server = try ScriptedServer { peer in
            guard try peer.readRequest() != nil else { return }
            try peer.send(Self.head + Self.chunk("E"))
            if drips {
                // Bytes that are none of the body.
                try peer.send("1;")
                while true {
                    try peer.send("x")
                    usleep(20_000)
                }
            }
            peer.waitForEnd()
        }
        let engine = try engine.make()
        _ = try await Self.call(engine, server.url)
        try await eventually { server.openConnections == 0 }
        server.stop()
    }

    @Test(arguments: EngineUnderTest.allCases) func stop(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            guard try peer.readRequest() != nil else { return }
            try peer.send(Self.head + Self.chunk("aS"))
            peer.waitForEnd()
        }
        let engine = try engine.make()
        let (answer, receiver) = try await Self.call(engine, server.url)
        #expect(answer.status == 200 && answer.headers["x-name"] == "value")
        try await eventually { server.openConnections == 0 }
        #expect(receiver.bytes == Data("aS".utf8))
        server.stop()
    }

    /// An answer that breaks off behind what was wanted has been answered.
    @Test(arguments: EngineUnderTest.allCases) func aConnectionThatBreaks(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            guard try peer.readRequest() != nil else { return }
            try peer.send(Self.head + Self.chunk("E"))
        }
        let engine = try engine.make()
        for _ in 0..<20 {
            let (answer, receiver) = try await Self.call(engine, server.url)
            #expect(answer.status == 200 && receiver.bytes == Data("E".utf8))
        }
        server.stop()
    }

    /// Connections that do not end are not gathered, and every caller is answered.
    @Test(arguments: EngineUnderTest.allCases) func manyThatDoNotEnd(engine: EngineUnderTest) async throws {
        let server = try Self.unending()
        let engine = try engine.make()
        let url = server.url
        let most = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var most = 0
                    for _ in 0..<40 {
                        _ = try await Self.call(engine, url)
                        most = max(most, server.openConnections)
                    }
                    return most
                }
            }
            return try await group.reduce(0, max)
        }
        // One that was given up is counted until the server has noticed.
        #expect(most < EngineFarewell.most + 64)
        try await eventually { server.openConnections == 0 }
        server.stop()
    }

    /// A call whose connection has come to its end is forgotten, with all that it held, and not only when the time for
    /// that is over.
    @Test(arguments: EngineUnderTest.allCases) func aCallThatIsOver(engine: EngineUnderTest) async throws {
        let silent = try Self.unending()
        let server = try ScriptedServer { peer in
            while try peer.readRequest() != nil { try peer.send(Self.head + Self.chunk("E") + Self.chunk("")) }
        }
        let engine = try engine.make()
        var isForgotten = false
        // A machine that is busy may be too late for one of them.
        for _ in 0..<10 where !isForgotten {
            // One that came before, whose time is over first.
            _ = try await Self.call(engine, silent.url)
            weak var receiver: Receiver?
            do { receiver = try await Self.call(engine, server.url).1 }
            try await eventually {
                let isOver = silent.openConnections == 0
                isForgotten = receiver == nil && !isOver
                return isForgotten || isOver
            }
            try await eventually { silent.openConnections == 0 }
        }
        #expect(isForgotten)
        silent.stop()
        server.stop()
    }

    /// A client that is let go of takes the connections with it that it was still waiting for.
    @Test(arguments: EngineUnderTest.allCases) func theEnd(engine: EngineUnderTest) async throws {
        let server = try Self.unending()
        do {
            let engine = try engine.make()
            _ = try await Self.call(engine, server.url)
        }
        try await eventually { server.openConnections == 0 }
        server.stop()
    }
}
