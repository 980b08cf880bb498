import Foundation

/// A connection that events leave by, as faults see it.
protocol LiveStream: AnyObject, Sendable {
    var kind: DevStream.Kind { get }
    /// The SSE session; nil for a WebSocket.
    var sessionId: String? { get }

    /// Changes how frames leave from now on.
    func apply(_ shape: StreamShape)
    /// Sends what is queued, then drops the connection without a proper end.
    func cut()
    /// Sends what is queued, then ends properly.
    func finish()
    /// Sends bytes as they are, outside of any frame; false when there is no room.
    func send(raw bytes: Data) -> Bool
    /// Tells the client to go; the connection stays open.
    func announceClose(reason: String)
}

/// What is wrong with a stream on purpose.
struct StreamShape: Sendable, Equatable {
    /// Nothing is sent, not even keepalives; frames queue up and are dropped beyond that.
    var isStalled = false
    /// The largest piece written at once.
    var pieceLimit: Int?
    /// How often each frame is sent.
    var copies = 1
    /// The connection is cut after this many more frames, or once this many bytes were sent since it opened.
    var cutAfterFrames: Int?
    var cutAfterBytes: Int?
}
