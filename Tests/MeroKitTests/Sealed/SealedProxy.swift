import Foundation
import MeroKit

/// Stands between a sealed client and its node and handles what passes as whole messages: the bodies of requests, and the
/// frames of answers. Keeps all of it.
///
/// Its own answers have no length and end with the connection, so that nothing but the seal says whether they are whole.
final class SealedProxy: Sendable {
    /// What becomes of the exchanges from now on, which are counted from 0. Handshakes pass.
    struct Acts: Sendable {
        /// What the node is sent in place of a request, in order. Nothing ends the connection.
        var request: @Sendable (_ exchange: Int, _ envelope: Data) -> [Data] = { [$1] }
        /// Which of those the client hears the answer to.
        var answered = Int.max
        /// What the client gets in place of a frame, with its length in front; nil cuts the answer off before it.
        var frame: @Sendable (_ exchange: Int, _ index: Int, _ frame: Data) -> [Data]? = { [$2] }
        /// Says nothing behind the end, and waits for the client to leave.
        var staysSilent = false
    }

    /// One request to the node, and the frames of its answer.
    struct Exchange: Sendable {
        var envelope: Data
        var frames: [Data] = []
    }

    private struct State {
        var acts = Acts()
        var next = 0
        var exchanges: [Exchange] = []
        var seen = Data()
    }

    private let server: ScriptedServer
    private let state: Locked<State>

    var url: URL { URL(string: server.url) ?? URL(fileURLWithPath: "/") }
    /// All bodies in both directions.
    var seen: Data { state.withLock { $0.seen } }
    /// Those since the last `set`, by their number.
    var exchanges: [Exchange] { state.withLock { $0.exchanges } }
    var openConnections: Int { server.openConnections }

    func set(_ acts: Acts) {
        state.withLock { state in
            state.acts = acts
            state.next = 0
            state.exchanges = []
        }
    }

    func stop() { server.stop() }

    init(to port: UInt16) throws {
        let state = Locked(State())
        self.state = state
        server = try ScriptedServer { peer in
            guard let request = try peer.readRequest() else { return }
            state.withLock { $0.seen += request.body }
            guard request.target.hasSuffix("/sealed/v2") else {
                return try Self.pass(request, request.body, to: port) { try peer.send($0) }
            }
            let (acts, number) = state.withLock { state in
                defer { state.next += 1 }
                state.exchanges.append(Exchange(envelope: request.body))
                return (state.acts, state.next)
            }
            let envelopes = acts.request(number, request.body)
            let answered = min(acts.answered, envelopes.count - 1)
            for (index, envelope) in envelopes.enumerated() {
                if index == answered {
                    try Self.answer(request, envelope, to: port, peer, state, acts, number)
                } else {
                    try Self.pass(request, envelope, to: port) { _ in }
                }
            }
            if acts.staysSilent { peer.waitForEnd() }
        }
    }

    private static func pass(
        _ request: ScriptedRequest, _ body: Data, to port: UInt16, _ take: (Data) throws -> Void
    ) throws {
        let upstream = try Upstream(port, request, body)
        while let bytes = upstream.rest() { try take(bytes) }
    }

    private static func answer(
        _ request: ScriptedRequest, _ body: Data, to port: UInt16, _ peer: ScriptedPeer, _ state: Locked<State>,
        _ acts: Acts, _ number: Int
    ) throws {
        let upstream = try Upstream(port, request, body)
        let head = try upstream.head()
        guard head.lowercased().contains("content-type: application/vnd.calimero.sealed") else {
            try peer.send(head)
            while let bytes = upstream.rest() { try peer.send(bytes) }
            return
        }
        try peer.send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.calimero.sealed\r\nConnection: close\r\n\r\n")
        var pending = Data()
        var index = 0
        while let piece = try upstream.piece() {
            pending += piece
            while pending.count >= 4 {
                let size = 4 + pending.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                guard pending.count >= size else { break }
                let frame = Data(pending.prefix(size))
                pending = Data(pending.dropFirst(size))
                state.withLock { state in
                    state.seen += frame
                    if state.exchanges.indices.contains(number) { state.exchanges[number].frames.append(frame) }
                }
                guard let frames = acts.frame(number, index, frame) else { return }
                index += 1
                for frame in frames { try peer.send(frame) }
            }
        }
    }
}

/// One request to a server, and what it answers.
private final class Upstream {
    private let descriptor: Int32
    private var buffer = Data()
    private var isChunked = false
    private var left: Int?

    init(_ port: UInt16, _ request: ScriptedRequest, _ body: Data) throws {
        descriptor = try LoopbackSocket.connected(to: port)
        var head = "\(request.method) \(request.target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        for header in request.headers where header.name.lowercased() == "content-type" {
            head += "\(header.name): \(header.value)\r\n"
        }
        head += "Content-Length: \(body.count)\r\n\r\n"
        _ = LoopbackSocket.send(Data(head.utf8) + body, to: descriptor)
    }

    deinit { close(descriptor) }

    /// Whatever comes; nil at the end.
    func rest() -> Data? {
        if buffer.isEmpty { return LoopbackSocket.receive(from: descriptor) }
        defer { buffer = Data() }
        return buffer
    }

    /// With the empty line behind it.
    func head() throws -> String {
        while true {
            if let end = buffer.range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: buffer[..<end.upperBound], as: UTF8.self)
                buffer = Data(buffer[end.upperBound...])
                let lowered = head.lowercased()
                isChunked = lowered.contains("transfer-encoding: chunked")
                if let length = lowered.range(of: "content-length: ") {
                    left = Int(lowered[length.upperBound...].prefix { $0.isNumber })
                }
                return head
            }
            try more()
        }
    }

    /// Some of the body; nil at its end.
    func piece() throws -> Data? {
        if isChunked {
            guard let size = Int(try line(), radix: 16) else { throw ScriptedServer.Failure() }
            let chunk = try exactly(size)
            _ = try line()
            return size == 0 ? nil : chunk
        }
        guard left != 0, let bytes = rest() else { return nil }
        if let left { self.left = max(0, left - bytes.count) }
        return bytes
    }

    private func line() throws -> String {
        while true {
            if let end = buffer.range(of: Data("\r\n".utf8)) {
                let line = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer = Data(buffer[end.upperBound...])
                return line
            }
            try more()
        }
    }

    private func exactly(_ count: Int) throws -> Data {
        while buffer.count < count { try more() }
        let bytes = Data(buffer.prefix(count))
        buffer = Data(buffer.dropFirst(count))
        return bytes
    }

    private func more() throws {
        guard let bytes = LoopbackSocket.receive(from: descriptor) else { throw ScriptedServer.Failure() }
        buffer += bytes
    }
}
