/// What came in over a WebSocket.
package enum WebSocketEvent: Sendable, Equatable {
    /// A whole text message: well-formed UTF-8, however many frames it came in.
    case text([UInt8])
    /// A whole binary message.
    case binary([UInt8])
    /// A ping, which is answered already.
    case ping([UInt8])
    case pong([UInt8])
    /// The other side closes, which is answered already. The code is nil when it gave none.
    case close(code: UInt16?, reason: String)
    /// The other side broke the protocol. A close frame with this code is on its way out, and nothing more is read.
    case failed(code: UInt16)
}
