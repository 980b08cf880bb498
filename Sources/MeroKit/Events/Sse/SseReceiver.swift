/// Takes the bytes of one event stream apart, on the engine's thread, and hands on what they say.
///
/// `@unchecked Sendable`: everything mutable is used in `receive` only, and an engine never calls that twice at once.
final class SseReceiver: EngineBodyReceiver, @unchecked Sendable {
    /// What a stream says about itself.
    enum Signal: Sendable {
        /// Opened with this session, to which nothing may be subscribed yet.
        case connected(sessionId: String)
        /// The node ends it, or it is of no use any more.
        case over
        /// An event did not get through.
        case lost
    }

    private var parser: EventStreamParser
    private var arena = EventArena()
    private let deliver: @Sendable (_ events: [ContextEvent], _ byteCount: Int) -> Void
    private let signal: @Sendable (Signal) -> Void
    private let retryChanged: @Sendable (_ milliseconds: UInt64) -> Void
    private var knownRetry: UInt64?
    private var isOver = false

    /// - Parameter retryChanged: The node asks for another time between connections.
    init(
        frameLimit: Int = EventStreamParser.defaultFrameLimit,
        deliver: @escaping @Sendable (_ events: [ContextEvent], _ byteCount: Int) -> Void,
        signal: @escaping @Sendable (Signal) -> Void,
        retryChanged: @escaping @Sendable (_ milliseconds: UInt64) -> Void
    ) {
        parser = EventStreamParser(frameLimit: frameLimit, keepsNames: false)
        self.deliver = deliver
        self.signal = signal
        self.retryChanged = retryChanged
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> EngineAppetite {
        guard !isOver else { return .more }
        arena.begin(expecting: bytes.count)
        var sink = Sink(arena: arena, signal: signal)
        parser.feed(bytes, into: &sink)
        arena = sink.arena
        isOver = sink.isOver
        if let retry = parser.retryMilliseconds, retry != knownRetry {
            knownRetry = retry
            retryChanged(retry)
        }
        if !sink.events.isEmpty { deliver(sink.events, sink.byteCount) }
        return .more
    }

    /// What one piece of the stream brings.
    private struct Sink: EventStreamSink {
        var arena: EventArena
        let signal: @Sendable (Signal) -> Void
        var events: [ContextEvent] = []
        var byteCount = 0
        var isOver = false

        mutating func frame(data: UnsafeRawBufferPointer, id: [UInt8], event: [UInt8]) {
            guard !isOver else { return }
            switch EventFrame(json: data, into: &arena) {
            case .event(let event):
                events.append(event)
                byteCount += data.count
            case .connect(let sessionId, _): signal(.connected(sessionId: sessionId))
            case .lost: signal(.lost)
            case .ignored: break
            case .close:
                isOver = true
                signal(.over)
            }
        }

        mutating func comment() {}

        mutating func oversized(byteCount: Int) { if !isOver { signal(.lost) } }
    }
}
