import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Events of a node over its event stream (server-sent events).
///
/// Two ways to use it. A stream with a connection of its own:
///
/// ```swift
/// for try await event in sse.events(contextIds: [contextId]) { show(event) }
/// ```
///
/// Or one connection that several parts of an app share:
///
/// ```swift
/// let listener = sse.on { event in show(event) }
/// sse.connect()
/// try await sse.subscribe(contextIds: [contextId])
/// ```
///
/// A connection that ends, however it does, is opened again three seconds later (or after the time the node asks for), and
/// subscribes to everything again. Events are not kept by the node meanwhile: after each reconnect the client delivers a mark
/// for every id, see `ContextEvent.gapKind`. Only a 403, a revoked session, `close()` or the end of the consumer's task end a
/// stream for good. Spec: 40, section 2.
///
/// `@unchecked Sendable` only because the published type is declared so: all of its properties are constants of types that
/// are safe to share.
public final class SseClient: @unchecked Sendable {
    private let requests: SseRequests
    private let timing: SseConnection.Timing
    private let audience: EventAudience
    private let shared: SseConnection

    /// A client that shows a bearer token.
    ///
    /// - Parameters:
    ///   - baseURL: The node's origin, which may have a path prefix.
    ///   - token: Asked once for each connection attempt. Nil is no error: it is asked again after the usual delay.
    ///   - session: One with a configuration to use. `URLSession.shared` stands for the platform's default HTTP stack.
    public convenience init(
        baseURL: URL, token: @escaping @Sendable () async -> String?, session: URLSession = .shared
    ) {
        self.init(
            baseURL: baseURL, credentials: StreamCredentials(source: .bearer(token)),
            engine: EngineChoice.streamEngine(session: session, baseURL: baseURL))
    }

    /// A client whose requests are authorised one by one, such as with a proof by an account's device.
    public convenience init(baseURL: URL, authorize: @escaping SseAuthorizer, session: URLSession = .shared) {
        self.init(
            baseURL: baseURL, credentials: StreamCredentials(source: .authorizer(authorize)),
            engine: EngineChoice.streamEngine(session: session, baseURL: baseURL))
    }

    init(
        baseURL: URL, credentials: StreamCredentials, engine: any HttpEngine,
        timing: SseConnection.Timing = SseConnection.Timing()
    ) {
        let requests = SseRequests(base: BaseURL(baseURL), engine: engine, credentials: credentials)
        let audience = EventAudience()
        self.requests = requests
        self.timing = timing
        self.audience = audience
        shared = SseConnection(
            requests: requests, timing: timing,
            observer: SseConnection.Observer(
                deliver: { audience.deliver($0, byteCount: $1) }, failed: { audience.fail($0) },
                ended: { audience.end(with: $0) }, statusChanged: { audience.report($0) }))
        audience.makeUp = { [weak shared] in shared?.gaps() ?? [] }
    }

    deinit {
        shared.stop()
        audience.end()
    }

    // MARK: - A stream of its own

    /// Events of these contexts and groups, over a connection of their own.
    ///
    /// Work starts at once. The connection is closed when the consuming task is cancelled (the stream then just ends), when
    /// the loop over it is left and nobody holds the stream any more, and when the node refuses for good: with a 403 the
    /// stream throws `MeroError.http`, with a revoked session `MeroError.authRevoked`. Every other failure is followed by a
    /// reconnect and by gap marks.
    ///
    /// Ids that the node does not let this client see are left out by the node without a word; `onStatus` shows them.
    /// Up to 64 MiB of events wait for a slow consumer, then they are dropped in favour of gap marks.
    ///
    /// - Parameters:
    ///   - contextIds: May be empty if `groupIds` is not.
    ///   - groupIds: 64 hexadecimal digits each.
    public func events(
        contextIds: [String], groupIds: [String] = []
    ) -> AsyncThrowingStream<ContextEvent, Error> {
        events(contextIds: contextIds, groupIds: groupIds) { _ in }
    }

    /// The same, telling how the connection and each subscription are doing.
    ///
    /// - Parameters:
    ///   - contextIds: The contexts to follow.
    ///   - groupIds: The groups to follow, namespaces among them.
    ///   - onStatus: Called on every change, in order, from any thread. Be quick.
    public func events(
        contextIds: [String], groupIds: [String] = [], onStatus: @escaping @Sendable (EventStreamStatus) -> Void
    ) -> AsyncThrowingStream<ContextEvent, Error> {
        let connection = Locked<SseConnection?>(nil)
        let queue = EventQueue { connection.withLock { $0?.gaps() } ?? [] }
        let opened = SseConnection(
            requests: requests, timing: timing,
            observer: SseConnection.Observer(
                deliver: { queue.push($0, byteCount: $1) }, ended: { queue.finish(throwing: $0) },
                statusChanged: onStatus))
        connection.withLock { $0 = opened }
        opened.remember(EventIds(contexts: contextIds, groups: groupIds))
        opened.start()
        return queue.stream {
            opened.stop()
            connection.withLock { $0 = nil }
        }
    }

    // MARK: - The shared connection

    /// Opens the shared connection, if it is not open or on its way already. Nothing is waited for.
    @_disfavoredOverload public func connect() { shared.start() }

    /// Adds contexts and groups to the shared connection.
    ///
    /// Without an open connection they are only remembered: every connection subscribes to all that is.
    ///
    /// - Throws: `MeroError` when the node does not take the request. The ids stay remembered and are asked for again with
    ///   the next connection.
    public func subscribe(contextIds: [String], groupIds: [String] = []) async throws {
        try await shared.subscribe(EventIds(contexts: contextIds, groups: groupIds))
    }

    /// Takes contexts and groups out of the shared connection.
    ///
    /// - Throws: `MeroError` when the node does not take the request. The ids are forgotten nonetheless.
    public func unsubscribe(contextIds: [String], groupIds: [String] = []) async throws {
        try await shared.unsubscribe(EventIds(contexts: contextIds, groups: groupIds))
    }

    /// Calls the handler for every event on the shared connection, one after the other, in the order of the stream.
    ///
    /// Handlers run in a task of the client's, never on a network thread. Each gets every event, whoever subscribed to it.
    @discardableResult
    public func on(_ handler: @escaping @Sendable (ContextEvent) -> Void) -> EventListener {
        audience.onEvent(handler)
    }

    /// Calls the handler for what goes wrong on the shared connection, as a `MeroError` or what the authorizer threw.
    ///
    /// `MeroError.authRevoked` and a 403 stop the connection until the next `connect()`. Everything else is told, and then
    /// tried again.
    @discardableResult
    public func onError(_ handler: @escaping @Sendable (any Error) -> Void) -> EventListener {
        audience.onError(handler)
    }

    /// How the shared connection is doing, and each of its subscriptions.
    public var status: EventStreamStatus { shared.status }

    /// Calls the handler whenever `status` changes, in order.
    @discardableResult
    public func onStatus(_ handler: @escaping @Sendable (EventStreamStatus) -> Void) -> EventListener {
        audience.onStatus(handler)
    }

    /// Closes the shared connection now, and forgets what it was subscribed to. Handlers stay attached, and `connect()`
    /// starts anew. Streams made by `events` go on, presence streams end.
    public func close() {
        shared.stop()
        shared.forgetAll()
    }

    /// Calls the handler when the shared connection ends: with an error, or with nil because it was closed.
    func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> Void) -> EventListener { audience.onEnd(handler) }

    /// Subscribes to presence in a context so that the node repeats what it knows, even if somebody else has subscribed
    /// to the context before.
    func subscribeForPresence(_ contextId: String) async throws {
        try await shared.subscribe(EventIds(contexts: [contextId]), again: true)
    }
}

extension SseClient {
    /// The body of a subscription. `groupIds` is left out when empty, so that nodes that do not know it accept the rest.
    static func subscriptionBody(sessionId: String, contextIds: [String], groupIds: [String]) -> [String: Any] {
        let body = SseRequests.body(
            "subscribe", EventIds(contexts: contextIds, groups: groupIds), sessionId: sessionId)
        return body.foundationObject as? [String: Any] ?? [:]
    }
}

extension JSONValue {
    fileprivate var foundationObject: Any {
        switch self {
        case .null: return NSNull()
        case .bool(let value): return value
        case .number(let value): return value
        case .string(let value): return value
        case .array(let values): return values.map(\.foundationObject)
        case .object(let members): return members.mapValues(\.foundationObject)
        }
    }
}
