import Foundation
import Testing

@testable import MeroKit

/// A node as far as its event stream goes, played by a test: it opens streams, takes subscriptions, and sends what it is told.
final class ScriptedEventNode: Sendable {
    /// One `GET /sse` that was answered with a stream.
    final class Stream: Sendable {
        let request: ScriptedRequest
        private let peer: ScriptedPeer
        private let isOpen = Locked(true)

        fileprivate init(_ request: ScriptedRequest, _ peer: ScriptedPeer) {
            self.request = request
            self.peer = peer
        }

        /// False once the client has left, or the test has ended the stream.
        var isAlive: Bool { isOpen.withLock { $0 } }

        /// Sends text as it stands, as one chunk.
        func send(_ text: String) throws {
            let bytes = Data(text.utf8)
            try isOpen.withLock { isOpen in
                guard isOpen else { throw ScriptedServer.Failure() }
                try peer.send(Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8))
            }
        }

        func send(event: String) throws { try send("event: message\ndata: \(event)\n\n") }

        /// Ends the answer as it should be ended.
        func end() throws {
            try isOpen.withLock { isOpen in
                guard isOpen else { return }
                try peer.send("0\r\n\r\n")
                isOpen = false
                peer.endSending()
            }
        }

        /// Drops the connection.
        func cut() {
            isOpen.withLock { isOpen in
                guard isOpen else { return }
                isOpen = false
                peer.endSending()
            }
        }

        fileprivate func waitForEnd() {
            peer.waitForEnd()
            isOpen.withLock { $0 = false }
        }
    }

    private struct State {
        var streams: [Int: Stream] = [:]
        var opened = 0
        /// Answers to the next requests for a stream, instead of one.
        var refusals: [String] = []
        var subscriptions: [JSONValue] = []
        var sendsConnectFrame = true
    }

    private let state: Locked<State>
    private let server: ScriptedServer

    /// - Parameter answer: To a subscription, given its body; by default what a node says that grants everything.
    init(
        _ answer: @escaping @Sendable (JSONValue) -> String = { ScriptedEventNode.granting($0) }
    ) throws {
        let state = Locked(State())
        self.state = state
        server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                if request.target.hasSuffix("/sse/subscription") {
                    let body = try JSONValue(jsonBytes: request.body)
                    state.withLock { $0.subscriptions.append(body) }
                    try peer.send(answer(body))
                    continue
                }
                let refusal = state.withLock { $0.refusals.isEmpty ? nil : $0.refusals.removeFirst() }
                if let refusal {
                    try peer.send(refusal)
                    continue
                }
                try peer.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
                let stream = Stream(request, peer)
                let (number, sendsConnectFrame) = state.withLock { state in
                    state.opened += 1
                    return (state.opened, state.sendsConnectFrame)
                }
                if sendsConnectFrame {
                    try stream.send("id: s\(number)-0\nretry: 100\n")
                    try stream.send(
                        event: #"{"type":"connect","session_id":"s\#(number)","reconnect":false}"#)
                }
                state.withLock { $0.streams[number - 1] = stream }
                stream.waitForEnd()
                return
            }
        }
    }

    var url: String { server.url }
    var baseURL: URL { URL(string: server.url) ?? URL(fileURLWithPath: "/") }
    var requests: [ScriptedRequest] { server.requests }
    var openStreams: Int { state.withLock { $0.streams }.values.filter(\.isAlive).count }
    /// Bodies of subscriptions so far.
    var subscriptions: [JSONValue] { state.withLock { $0.subscriptions } }
    var streamCount: Int { state.withLock { $0.streams.count } }

    func stop() { server.stop() }

    /// Streams open without a word from now on.
    func stayMute() { state.withLock { $0.sendsConnectFrame = false } }

    /// The next request for a stream gets this answer.
    func refuse(_ status: String, headers: String = "", body: String = "") {
        state.withLock {
            $0.refusals.append("HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    /// Waits for the stream with this number, counted from 0.
    func stream(_ number: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Stream {
        try await eventually(sourceLocation: sourceLocation) { state.withLock { $0.streams[number] != nil } }
        return try #require(state.withLock { $0.streams[number] }, sourceLocation: sourceLocation)
    }

    /// Waits until so many subscriptions were asked for.
    func subscriptions(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [JSONValue] {
        try await eventually(sourceLocation: sourceLocation) { subscriptions.count >= count }
        return subscriptions
    }

    static func json(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// The answer of a node that grants what is asked for, but for the ids named.
    static func granting(_ body: JSONValue, except refused: Set<String> = []) -> String {
        func ids(_ key: String) -> String {
            guard case .array(let ids)? = body["params"]?[key] else { return "" }
            return ids.compactMap(\.stringValue).filter { !refused.contains($0) }.map { "\"\($0)\"" }
                .joined(separator: ",")
        }
        let result = #"{"status":"subscribed","contexts":[\#(ids("contextIds"))],"groups":[\#(ids("groupIds"))]}"#
        return json("200 OK", #"{"result":\#(result)}"#)
    }
}
