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
    private var items: [EventStreamItem] = []
    private var names = EventNames()
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
        parser = EventStreamParser(frameLimit: frameLimit)
        self.deliver = deliver
        self.signal = signal
        self.retryChanged = retryChanged
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        parser.feed(bytes, into: &items)
        if let retry = parser.retryMilliseconds, retry != knownRetry {
            knownRetry = retry
            retryChanged(retry)
        }
        guard !items.isEmpty else { return }
        var events: [ContextEvent] = []
        events.reserveCapacity(items.count)
        var byteCount = 0
        for item in items {
            switch item {
            case .comment: break
            case .oversized: signal(.lost)
            case .frame(let frame):
                switch EventFrame(frame, names: &names) {
                case .event(let event):
                    events.append(event)
                    byteCount += frame.bytes.count
                case .connect(let sessionId, _): signal(.connected(sessionId: sessionId))
                case .lost: signal(.lost)
                case .ignored: break
                case .close:
                    isOver = true
                    signal(.over)
                }
            }
            if isOver { break }
        }
        items.removeAll(keepingCapacity: items.count <= 1024)
        deliver(events, byteCount)
    }
}
