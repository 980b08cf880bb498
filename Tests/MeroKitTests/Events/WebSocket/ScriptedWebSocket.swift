import Foundation
import MeroWebSocket

@testable import MeroKit

/// The server's end of a WebSocket on a scripted connection.
final class ScriptedWebSocket {
    struct Ended: Error {}

    let peer: ScriptedPeer
    let head: ScriptedRequest
    private let session: WebSocketSession
    private var events: [WebSocketEvent] = []

    /// Reads the opening handshake and accepts it.
    ///
    /// - Parameter together: sent in one piece with the answer's head.
    init(_ peer: ScriptedPeer, together: [UInt8] = []) throws {
        guard let head = try peer.readHead(), let session = WebSocketSession(.server) else { throw Ended() }
        self.peer = peer
        self.head = head
        self.session = session
        try peer.send(Data(Self.acceptance(of: head).utf8) + Data(together))
    }

    /// Written with the standard's own words, not with the client's code.
    static func acceptance(of head: ScriptedRequest) -> String {
        let key = head.values("Sec-WebSocket-Key").first ?? ""
        let digest = Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(Data(digest).base64EncodedString())\r\n\r\n"
    }

    /// The next thing that comes; throws when the client has left.
    func next() throws -> WebSocketEvent {
        while events.isEmpty {
            guard let data = peer.readSome() else { throw Ended() }
            session.receive(Array(data))
            events = session.takeEvents()
            try flush()
        }
        return events.removeFirst()
    }

    /// The next text message as JSON.
    func nextRequest() throws -> JSONValue {
        while true {
            if case .text(let bytes) = try next() { return try JSONValue(jsonBytes: bytes) }
        }
    }

    func send(_ text: String) throws {
        session.send(text: Array(text.utf8))
        try flush()
    }

    func ping() throws {
        session.ping()
        try flush()
    }

    func close(_ code: UInt16, _ reason: String = "") throws {
        session.close(code: code, reason: reason)
        try flush()
    }

    /// Answers a subscription as a node that grants everything.
    func grant(_ request: JSONValue) throws {
        let id = request["id"]?.intValue ?? -1
        try send(#"{"id":\#(id),"result":{"contextIds":[],"groupIds":[]}}"#)
    }

    private func flush() throws { try peer.send(Data(session.takeOutput())) }

    /// An unmasked frame, written by hand.
    static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        precondition(payload.count < 126)
        return [first, UInt8(payload.count)] + payload
    }

    static func textFrame(_ text: String) -> [UInt8] { frame(0x81, Array(text.utf8)) }
}
