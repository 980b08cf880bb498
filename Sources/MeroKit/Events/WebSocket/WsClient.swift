import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Follows contexts and groups over a node's WebSocket.
///
/// Prefer `SseClient`, which a node serves in every mode; the WebSocket is for programs that want requests and events on
/// one connection. Events have the same form on both.
///
/// ```swift
/// let client = WsClient(baseURL: url) { await session.token }
/// for try await event in client.events(contextIds: [contextId]) { print(event) }
/// ```
///
/// or, with one connection for a changing set of ids:
///
/// ```swift
/// let listener = client.on { event in print(event) }
/// client.connect()
/// try await client.subscribe(contextIds: [contextId])
/// // …
/// listener.cancel()
/// client.close()
/// ```
///
/// A connection that ends is opened again, after 1, 2, 4, 8, 16 and then every 30 seconds, and everything is subscribed to
/// again. What happened in between never comes: there is a mark for each id then, see `ContextEvent.gapKind`. Only a refusal for good (403, or a revoked
/// token) ends it. What came is kept until it is taken; beyond 64 MiB the node is no longer listened to, which slows it down and
/// in the end makes it drop events or the connection.
///
/// Spec: 40, section 4.
public final class WsClient: @unchecked Sendable {
    // Safe to share: all stored properties are constant and `Sendable`. The mark is part of the published declaration.
    private let settings: WsSettings
    private let handlers = WsHandlers()
    private let link: WsLink

    /// - Parameters:
    ///   - baseURL: The node's origin, `http` or `https`, which may have a path prefix.
    ///   - token: Asked for an access token before each attempt to connect. Nil makes the attempt fail.
    ///   - session: Carries the WebSocket on Apple systems. On Linux, where `URLSession` cannot, it is not used.
    public convenience init(
        baseURL: URL, token: @escaping @Sendable () async -> String?, session: URLSession = .shared
    ) {
        self.init(
            baseURL: baseURL, token: token, connector: WebSocketChoice.connector(session: session, baseURL: baseURL))
    }

    /// - Parameters:
    ///   - refused: Asked after a 401 that is not the end of the session.
    ///   - revoked: Told of one that is, with the reason and the token that was shown.
    ///   - accepted: Told of a token with which the connection opened.
    init(
        baseURL: URL, token: @escaping @Sendable () async throws -> String?, connector: any WebSocketConnector,
        refused: @escaping StreamRefusal.Hook = { _, _ in .retryAfterDelay },
        revoked: @escaping @Sendable (_ reason: String, _ presented: String?) async -> Void = { _, _ in },
        accepted: @escaping @Sendable (_ presented: String?) -> Void = { _ in },
        timing: WebSocketTiming = WebSocketTiming()
    ) {
        let handlers = handlers
        settings = WsSettings(
            base: BaseURL(baseURL), token: token, refused: refused, revoked: revoked, accepted: accepted,
            connector: connector, timing: timing)
        link = WsLink(
            settings, deliver: { events, _ in handlers.handle(events) }, report: { handlers.handle(error: $0) },
            ended: { handlers.handle(error: $0) })
    }

    deinit { link.stop() }

    /// The events of these contexts and groups, over a connection of their own that is opened at once.
    ///
    /// The stream throws `MeroError.authRevoked`, or `MeroError.http` for any other 403; every other failure is met by
    /// connecting again. It ends without an error when the iterating task is cancelled, and its connection is closed then, as it is when the
    /// stream is let go of. Ids that the node refuses are left out without a word.
    public func events(
        contextIds: [String], groupIds: [String] = []
    ) -> AsyncThrowingStream<ContextEvent, Error> {
        let buffer = WsEventBuffer()
        let link = WsLink(
            settings, wanted: EventIds(contexts: contextIds, groups: groupIds),
            deliver: { events, bytes in await buffer.put(events, bytes: bytes) },
            ended: { buffer.finish(throwing: $0) })
        link.start()
        let source = WsEventSource(link: link, buffer: buffer)
        return AsyncThrowingStream { try await source.next() }
    }

    /// Opens the connection that `subscribe` and `on` speak of, and keeps it open. Does nothing when it is.
    @_disfavoredOverload public func connect() { link.start() }

    /// Adds contexts and groups to those that the connection follows.
    ///
    /// They are remembered whatever happens, and subscribed to on every connect. Before the connection is open that is all. On an
    /// open connection the call waits for the node's reply about the ids that are new.
    ///
    /// - Throws: `MeroError.rpc` when the node refuses the request, `MeroError.network` when no reply came within 10 seconds
    ///   or the connection was lost; `CancellationError`.
    public func subscribe(contextIds: [String], groupIds: [String] = []) async throws {
        try await link.subscribe(EventIds(contexts: contextIds, groups: groupIds))
    }

    /// Takes contexts and groups away from those that the connection follows. Throws like `subscribe`; the ids are forgotten
    /// even then.
    public func unsubscribe(contextIds: [String], groupIds: [String] = []) async throws {
        try await link.unsubscribe(EventIds(contexts: contextIds, groups: groupIds))
    }

    /// Calls the handler for each event, in order, until the listener is cancelled or the client goes away.
    ///
    /// The connection waits while a handler runs, so it should be quick. It must not block for long.
    @discardableResult
    public func on(_ handler: @escaping @Sendable (ContextEvent) -> Void) -> EventListener {
        handlers.add(handler)
    }

    /// Calls the handler for everything that goes wrong with the connection.
    ///
    /// `MeroError.authRevoked` and a 403 `MeroError.http` end it, until `connect` is called again; after any other error it is
    /// opened again. Without a handler errors are dropped.
    @discardableResult
    public func onError(_ handler: @escaping @Sendable (any Error) -> Void) -> EventListener {
        handlers.addError(handler)
    }

    /// Closes the connection and forgets what it followed. Streams that `events` made go on. `connect` opens it again.
    public func close() {
        link.stop()
        link.forgetSubscriptions()
    }

    /// Runs a method over the connection and decodes what it returns, like `RpcClient.execute`.
    ///
    /// - Throws: `MeroError.network` also when the connection is not open, or when no reply came within 10 seconds; the
    ///   method may have run then.
    public func execute<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue] = [:]
    ) async throws -> T {
        let reply = try await link.execute(
            contextId: contextId, method: method, arguments: RequestEncoding.encode(object: argsJson))
        return try JsonRpcAnswer.output(of: reply)
    }
}

/// The handlers of a client.
private final class WsHandlers: Sendable {
    private struct State {
        var next = 0
        var events: [(id: Int, call: @Sendable (ContextEvent) -> Void)] = []
        var errors: [(id: Int, call: @Sendable (any Error) -> Void)] = []
    }

    private let state = Locked(State())

    func add(_ handler: @escaping @Sendable (ContextEvent) -> Void) -> EventListener {
        let id = state.withLock { state in
            state.next += 1
            state.events.append((state.next, handler))
            return state.next
        }
        return EventListener { [weak self] in self?.state.withLock { $0.events.removeAll { $0.id == id } } }
    }

    func addError(_ handler: @escaping @Sendable (any Error) -> Void) -> EventListener {
        let id = state.withLock { state in
            state.next += 1
            state.errors.append((state.next, handler))
            return state.next
        }
        return EventListener { [weak self] in self?.state.withLock { $0.errors.removeAll { $0.id == id } } }
    }

    func handle(_ events: [ContextEvent]) {
        for event in events {
            for handler in state.withLock({ $0.events }) { handler.call(event) }
        }
    }

    func handle(error: any Error) {
        for handler in state.withLock({ $0.errors }) { handler.call(error) }
    }
}

/// What an iteration of `events` holds on to: when the last of it is gone, so is the connection.
private final class WsEventSource: Sendable {
    private let link: WsLink
    private let buffer: WsEventBuffer

    init(link: WsLink, buffer: WsEventBuffer) {
        self.link = link
        self.buffer = buffer
    }

    deinit { stop() }

    func next() async throws -> ContextEvent? {
        let event = try await buffer.next()
        if event == nil { stop() }
        return event
    }

    private func stop() {
        link.stop()
        buffer.finish()
    }
}
