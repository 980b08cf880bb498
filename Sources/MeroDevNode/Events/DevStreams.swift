import Foundation

/// The event connections of a node, and what can go wrong with them: ``DevNode/streams``.
///
/// ```swift
/// node.streams.split(bytes: 1)                    // every byte alone, now and for streams to come
/// node.streams.cutNext(afterFrames: 2)            // the next stream ends abruptly behind its second frame
/// node.streams.refuseNext(status: 403, authError: "token_revoked")
/// node.streams.cutAll()
/// ```
public struct DevStreams: Sendable {
    let registry: StreamRegistry
    let server: DevHttpServer
    let path: String

    /// Connections that are open right now, in the order they opened.
    public var open: [DevStream] {
        registry.open.map { DevStream(id: $0.number, stream: $0.stream, registry: registry) }
    }

    // MARK: - Ends

    /// Drops every connection, without the end of the body, once what was emitted is sent.
    public func cutAll() { for stream in open { stream.cut() } }

    /// Ends every stream properly once what was emitted is sent.
    public func finishAll() { for stream in open { stream.finish() } }

    /// Tells every client to go by a `close` frame, and leaves the connection open.
    public func announceClose(reason: String) { for stream in open { stream.announceClose(reason: reason) } }

    /// Cuts the next stream that opens right behind its n-th frame; the connect frame is the first. Several calls are a
    /// script for as many streams.
    public func cutNext(afterFrames frames: Int) { registry.cutNext(frames: max(0, frames)) }

    /// Cuts the next stream that opens behind this many bytes of its body, in the middle of a frame perhaps.
    public func cutNext(afterBytes bytes: Int) { registry.cutNext(bytes: max(0, bytes)) }

    // MARK: - Bad streams, now and to come

    /// Keeps streams open and sends nothing, not even keepalives, until ``resume()``. What is emitted meanwhile queues up,
    /// and is dropped silently when the queue is full.
    public func stall() { registry.reshape { $0.isStalled = true } }

    /// Ends a stall; what has queued up is sent.
    public func resume() { registry.reshape { $0.isStalled = false } }

    /// Writes at most this many bytes at once, each piece as a chunk of its own; nil writes as much as there is.
    public func split(bytes: Int?) { registry.reshape { $0.pieceLimit = bytes.map { max(1, $0) } } }

    /// Sends every frame this many times, under the same id; 1 is the normal way.
    public func repeatFrames(times: Int) { registry.reshape { $0.copies = max(1, times) } }

    /// Lifts everything but refusals: a stall, splitting, repeating, cuts to come.
    public func behave() {
        registry.forgetCuts()
        registry.reshape { $0 = StreamShape() }
    }

    // MARK: - Refusals

    /// Answers the next `GET /sse` with a status instead of a stream.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - authError: the value of `X-Auth-Error`, such as `token_revoked`.
    ///   - body: what stands in the answer; nil is nothing.
    ///   - times: how many requests; nil means every one until the fault is removed.
    @discardableResult
    public func refuseNext(
        status: Int, authError: String? = nil, body: Data? = nil, times: Int? = 1
    ) -> DevFaultHandle {
        let headers = authError.map { ["x-auth-error": $0] } ?? [:]
        return server.inject(
            .status(status, body: body, headers: headers), on: DevRouteMatch("GET", path), times: times)
    }

    /// Writes bytes as they are into every stream, outside of any frame: a frame of your own, half of one, or nonsense.
    public func send(raw bytes: Data) { for stream in open { stream.send(raw: bytes) } }
}

/// One event connection of a node.
public struct DevStream: Sendable {
    /// How events travel.
    public enum Kind: Sendable, Equatable {
        /// Server-sent events.
        case sse
        /// A WebSocket.
        case webSocket
    }

    /// Counts up over the life of the node.
    public let id: Int
    let stream: any LiveStream
    let registry: StreamRegistry

    /// How events travel.
    public var kind: Kind { stream.kind }

    /// The SSE session it serves; nil for a WebSocket.
    public var sessionId: String? { stream.sessionId }

    /// Drops the connection, without the end of the body, once what was emitted is sent.
    public func cut() { stream.cut() }

    /// Ends properly once what was emitted is sent.
    public func finish() { stream.finish() }

    /// Cuts it behind this many frames more.
    public func cut(afterFrames frames: Int) { registry.cut(id, frames: max(0, frames)) }

    /// Cuts it once this many bytes of its body were sent, counted from the first.
    public func cut(afterBytes bytes: Int) { registry.cut(id, bytes: max(0, bytes)) }

    /// As ``DevStreams/stall()``, for this one.
    public func stall() { registry.reshape(id) { $0.isStalled = true } }

    /// As ``DevStreams/resume()``, for this one.
    public func resume() { registry.reshape(id) { $0.isStalled = false } }

    /// As ``DevStreams/split(bytes:)``, for this one.
    public func split(bytes: Int?) { registry.reshape(id) { $0.pieceLimit = bytes.map { max(1, $0) } } }

    /// As ``DevStreams/repeatFrames(times:)``, for this one.
    public func repeatFrames(times: Int) { registry.reshape(id) { $0.copies = max(1, times) } }

    /// Tells the client to go by a `close` frame, and leaves the connection open.
    public func announceClose(reason: String) { stream.announceClose(reason: reason) }

    /// Writes bytes as they are; false when there is no room or the connection is over.
    @discardableResult
    public func send(raw bytes: Data) -> Bool { stream.send(raw: bytes) }
}
