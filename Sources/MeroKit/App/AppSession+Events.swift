import Foundation

/// Events of contexts, shared by everything in an app that watches them.
extension AppSession {
    /// The events of a context, for as long as the iteration goes on. There is one stream to the node for a context, however
    /// many watch it.
    ///
    /// It outlives sign-ins: nothing comes while nobody is signed in and while the app is in the background; when the node's
    /// stream is opened again a mark says that events may have been missed (`ContextEvent.isGap`). A watcher that is slow
    /// loses events, and finds a mark as well. `logout()` does not end it: leave the iteration.
    public func events(contextId: String) -> AsyncStream<ContextEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ContextEvent.self, bufferingPolicy: .bufferingOldest(1024))
        let (watcher, isFirst) = hub.add(continuation, to: contextId)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.unwatch(watcher, contextId) }
        }
        if isFirst, let session = machine.session, session.hasReads, !machine.state.isSuspended {
            openStreams(session.number)
        }
        return stream
    }

    private func unwatch(_ watcher: Int, _ contextId: String) async {
        hub.remove(watcher, from: contextId)
        await reportOnline()
    }

    /// Opens what is being watched and not open.
    func openStreams(_ number: Int) {
        guard number == machine.session?.number, let mero = clients[number]?.mero else { return }
        for contextId in hub.closedContexts {
            let stream = hub.newStream()
            // The tasks may overtake each other; each tells what is so by then.
            let news = Locked(StreamNews())
            let events = mero.events(contextIds: [contextId]) { [weak self] status in
                news.withLock { news in
                    news.isOpen = status.isComplete
                    if let error = status.lastError, Self.isUnauthorized(error) { news.isRefused = true }
                }
                Task { await self?.streamChanged(number, stream, contextId, news) }
            }
            hub.open(contextId, stream) { [weak self] in
                do {
                    for try await event in events { await self?.hand(on: event, stream, of: contextId) }
                    await self?.streamEnded(number, stream, contextId, nil)
                } catch {
                    await self?.streamEnded(number, stream, contextId, error)
                }
            }
        }
    }

    private static func isUnauthorized(_ error: any Error) -> Bool {
        guard case MeroError.http(let answer) = error else { return false }
        return answer.status == 401
    }

    private func hand(on event: ContextEvent, _ stream: Int, of contextId: String) {
        if hub.isCurrent(stream, contextId) { hub.deliver(event, to: contextId) }
    }

    private struct StreamNews {
        var isOpen = false
        var isRefused = false
    }

    private func streamChanged(
        _ number: Int, _ stream: Int, _ contextId: String, _ news: Locked<StreamNews>
    ) async {
        // One that was closed still tells so, when another is open for long.
        guard number == machine.session?.number, hub.isCurrent(stream, contextId) else { return }
        let latest = news.withLock { news in
            defer { news.isRefused = false }
            return news
        }
        hub.setOnline(latest.isOpen, contextId)
        await reportOnline()
        if latest.isRefused { await perform(.trouble(session: number, .unauthorized)) }
    }

    private func reportOnline() async {
        guard let number = machine.session?.number else { return }
        await perform(.online(session: number, hub.isOnline))
    }

    private func streamEnded(_ number: Int, _ stream: Int, _ contextId: String, _ error: (any Error)?) async {
        guard number == machine.session?.number, hub.isCurrent(stream, contextId) else { return }
        hub.ended(contextId)
        await reportOnline()
        switch error {
        case MeroError.authRevoked?: await perform(.trouble(session: number, .revoked))
        case MeroError.http(let answer)? where answer.status == 403:
            let lacks = answer.headers["x-auth-error"] == "permission_denied"
            await perform(.trouble(session: number, lacks ? .lacksPermission : .refused))
        case MeroError.http(let answer)? where answer.status == 401:
            await perform(.trouble(session: number, .unauthorized))
        default: break
        }
    }
}

/// Who watches which context, and the streams to the node.
struct AppEventHub {
    private struct Channel {
        var watchers: [Int: AsyncStream<ContextEvent>.Continuation] = [:]
        /// Watchers that have missed something.
        var lagging: Set<Int> = []
        var task: Task<Void, Never>?
        /// The stream of the task.
        var stream = 0
        var isOnline = false
        /// Whether a stream was open before: the next one follows a gap.
        var wasOpen = false
    }

    private var channels: [String: Channel] = [:]
    private var lastWatcher = 0
    private var lastStream = 0

    /// Whether there are streams, and all of them deliver.
    var isOnline: Bool { !channels.isEmpty && channels.values.allSatisfy(\.isOnline) }

    /// What is watched without a stream.
    var closedContexts: [String] { channels.filter { $0.value.task == nil }.keys.sorted() }

    mutating func add(
        _ continuation: AsyncStream<ContextEvent>.Continuation, to contextId: String
    ) -> (watcher: Int, isFirst: Bool) {
        lastWatcher += 1
        let isFirst = channels[contextId]?.task == nil
        channels[contextId, default: Channel()].watchers[lastWatcher] = continuation
        return (lastWatcher, isFirst)
    }

    mutating func remove(_ watcher: Int, from contextId: String) {
        channels[contextId]?.watchers[watcher] = nil
        channels[contextId]?.lagging.remove(watcher)
        guard channels[contextId]?.watchers.isEmpty == true else { return }
        channels.removeValue(forKey: contextId)?.task?.cancel()
    }

    mutating func newStream() -> Int {
        lastStream += 1
        return lastStream
    }

    /// False for a stream that was closed or is over.
    func isCurrent(_ stream: Int, _ contextId: String) -> Bool {
        guard let channel = channels[contextId], channel.task != nil else { return false }
        return channel.stream == stream
    }

    mutating func open(_ contextId: String, _ stream: Int, _ body: @escaping @Sendable () async -> Void) {
        guard channels[contextId] != nil else { return }
        if channels[contextId]?.wasOpen == true { deliver(.gap(contextId: contextId), to: contextId) }
        channels[contextId]?.wasOpen = true
        channels[contextId]?.stream = stream
        channels[contextId]?.task = Task { await body() }
    }

    /// The stream is over by itself.
    mutating func ended(_ contextId: String) {
        channels[contextId]?.task = nil
        channels[contextId]?.isOnline = false
    }

    mutating func setOnline(_ isOnline: Bool, _ contextId: String) {
        guard channels[contextId]?.task != nil else { return }
        channels[contextId]?.isOnline = isOnline
    }

    /// Ends the streams for good.
    func cancel() {
        for channel in channels.values {
            channel.task?.cancel()
            for watcher in channel.watchers.values { watcher.finish() }
        }
    }

    /// Ends the streams; who watches goes on waiting.
    mutating func close() {
        for contextId in channels.keys {
            channels[contextId]?.task?.cancel()
            channels[contextId]?.task = nil
            channels[contextId]?.isOnline = false
        }
    }

    mutating func deliver(_ event: ContextEvent, to contextId: String) {
        guard let channel = channels[contextId] else { return }
        for (watcher, continuation) in channel.watchers {
            if channel.lagging.contains(watcher) {
                guard case .enqueued = continuation.yield(.gap(contextId: contextId)) else { continue }
                channels[contextId]?.lagging.remove(watcher)
            }
            if case .dropped = continuation.yield(event) { channels[contextId]?.lagging.insert(watcher) }
        }
    }
}
