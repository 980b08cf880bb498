/// The handlers attached to one shared connection.
///
/// Events, errors and changes of status are told in their order by one task, so that no handler holds up the network and none
/// runs twice at once.
final class EventAudience: Sendable {
    private struct State {
        /// In the order in which they were attached.
        var handlers: [(id: Int, handler: Handler)] = []
        var next = 0
        var news: [News] = []
        var cost = 0
        var isTelling = false
        var isOver = false
        var makeUp: (@Sendable () -> [ContextEvent])?
    }

    private enum Handler {
        case event(@Sendable (ContextEvent) -> Void)
        case error(@Sendable (any Error) -> Void)
        case end(@Sendable ((any Error)?) -> Void)
        case status(@Sendable (EventStreamStatus) -> Void)
    }

    private enum News {
        case events([ContextEvent])
        case error(any Error)
        case end((any Error)?)
        case status(EventStreamStatus)
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = EventQueue.defaultLimit) { self.limit = limit }

    /// What stands for events that had to be dropped.
    var makeUp: (@Sendable () -> [ContextEvent])? {
        get { state.withLock { $0.makeUp } }
        set { state.withLock { $0.makeUp = newValue } }
    }

    // MARK: - Handlers

    func onEvent(_ handler: @escaping @Sendable (ContextEvent) -> Void) -> EventListener { add(.event(handler)) }

    func onError(_ handler: @escaping @Sendable (any Error) -> Void) -> EventListener { add(.error(handler)) }

    /// Called when nothing comes any more: with the error that ended the connection, nil when it was closed.
    func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> Void) -> EventListener { add(.end(handler)) }

    func onStatus(_ handler: @escaping @Sendable (EventStreamStatus) -> Void) -> EventListener {
        add(.status(handler))
    }

    private func add(_ handler: Handler) -> EventListener {
        let id = state.withLock { state in
            state.next += 1
            state.handlers.append((state.next, handler))
            return state.next
        }
        return EventListener { [weak self] in self?.state.withLock { $0.handlers.removeAll { $0.id == id } } }
    }

    /// Nobody is told anything any more.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.handlers = []
            state.news = []
        }
    }

    // MARK: - News

    func deliver(_ events: [ContextEvent], byteCount: Int) {
        guard !events.isEmpty else { return }
        let cost = EventQueue.cost(of: events, byteCount: byteCount)
        let makeUp = state.withLock { state in
            state.cost > 0 && state.cost + cost > limit ? state.makeUp ?? { [] } : nil
        }
        guard let makeUp else { return tell(.events(events), cost: cost) }
        // Asked outside of the lock, since the answer takes other locks.
        let marks = makeUp()
        state.withLock { state in
            state.news.removeAll { if case .events = $0 { return true } else { return false } }
            state.cost = 0
        }
        tell(.events(marks + events), cost: cost)
    }

    /// An attempt failed; the next one follows.
    func fail(_ error: any Error) { tell(.error(error)) }

    /// The connection is over, with an error or because it was closed.
    func end(with error: (any Error)?) {
        if let error { tell(.error(error)) }
        tell(.end(error))
    }

    func report(_ status: EventStreamStatus) { tell(.status(status)) }

    private func tell(_ news: News, cost: Int = 0) {
        let mustStart = state.withLock { state -> Bool in
            guard !state.isOver, !state.handlers.isEmpty else { return false }
            state.news.append(news)
            state.cost += cost
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if mustStart { Task.detached { self.tellAll() } }
    }

    private func tellAll() {
        while let news = takeNews() {
            for item in news {
                switch item {
                case .events(let events): for event in events { tell { if case .event(let tell) = $0 { tell(event) } } }
                case .error(let error): tell { if case .error(let tell) = $0 { tell(error) } }
                case .end(let error): tell { if case .end(let tell) = $0 { tell(error) } }
                case .status(let status): tell { if case .status(let tell) = $0 { tell(status) } }
                }
            }
        }
    }

    /// Looks anew who is there each time: a handler that was detached meanwhile is not called any more.
    private func tell(_ body: (Handler) -> Void) {
        for (_, handler) in state.withLock({ $0.handlers }) { body(handler) }
    }

    private func takeNews() -> [News]? {
        state.withLock { state in
            guard !state.news.isEmpty else {
                state.isTelling = false
                return nil
            }
            defer {
                state.news = []
                state.cost = 0
            }
            return state.news
        }
    }
}
