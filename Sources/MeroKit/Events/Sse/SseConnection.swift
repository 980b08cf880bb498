import Foundation

/// One event stream, kept open: opened again after whatever ends it, with everything subscribed to again in each session.
///
/// Spec: 40, sections 2.1 to 2.7.
final class SseConnection: Sendable {
    /// What becomes of the connection after an attempt.
    enum Outcome {
        case again(after: (any Error)?, immediately: Bool = false, isSignedOut: Bool = false)
        case ended(any Error)
        case cancelled
    }

    struct State {
        var subscriptions = EventSubscriptions()
        var connection = EventStreamStatus.Connection.idle
        var lastError: (any Error)?
        /// Of the session at hand, once it is open.
        var session: Session?
        var retryDelay: TimeInterval
        var task: Task<Void, Never>?
        /// Tells a task that was replaced from the one at work.
        var run = 0
        /// Not told to the observer yet.
        var reports: [EventStreamStatus] = []
        var isReporting = false
    }

    /// One connect frame and all after it.
    struct Session {
        var id: String
        /// The token that the stream was opened with; nil with an authorizer.
        var token: String?
        var signals: SseSignals
    }

    let requests: SseRequests
    let timing: Timing
    let observer: Observer
    let state: Locked<State>

    init(requests: SseRequests, timing: Timing = Timing(), observer: Observer) {
        self.requests = requests
        self.timing = timing
        self.observer = observer
        state = Locked(State(retryDelay: timing.retryDelay))
    }

    // MARK: - From outside

    var status: EventStreamStatus { state.withLock(Self.status) }

    /// Starts, unless it is at work already.
    func start() {
        change { state in
            guard state.task == nil else { return }
            state.run += 1
            state.connection = .connecting
            state.lastError = nil
            let run = state.run
            state.task = Task.detached { await self.work(run) }
        }
    }

    /// Ends it now and tells the observer. Nothing is delivered any more; what was subscribed to stays remembered.
    func stop() {
        var task: Task<Void, Never>?
        change { state in
            task = state.task
            state.task = nil
            state.run += 1
            state.session = nil
            state.connection = .idle
            state.lastError = nil
            state.subscriptions.endSession()
        }
        task?.cancel()
        if task != nil { observer.ended(nil) }
    }

    // MARK: - The work

    private func work(_ run: Int) async {
        var refusals = 0
        while !Task.isCancelled {
            change(run) { $0.connection = .connecting }
            let outcome = await attempt(run)
            if Task.isCancelled { return }
            switch outcome {
            case .cancelled: return
            case .ended(let error):
                change(run) { state in
                    state.connection = .ended
                    state.lastError = error
                    state.session = nil
                    state.task = nil
                    state.subscriptions.endSession()
                }
                if isCurrent(run) { observer.ended(error) }
                return
            case .again(let error, let immediately, let isSignedOut):
                change(run) { state in
                    state.connection = .waiting
                    // No error of the connection's, and so only shown: nobody is signed in.
                    state.lastError = isSignedOut ? MeroError.noCredentials : error
                    state.session = nil
                    state.subscriptions.endSession()
                }
                if let error, isCurrent(run) { observer.failed(error) }
                refusals = immediately ? refusals + 1 : 0
                // A credential that is replaced and refused again and again must not become a busy loop.
                if immediately && refusals == 1 { continue }
                let delay = state.withLock { $0.retryDelay }
                guard (try? await Task.sleep(nanoseconds: .nanoseconds(delay))) != nil else { return }
            }
        }
    }

    /// One connection, from asking for a credential to its end.
    private func attempt(_ run: Int) async -> Outcome {
        let token: String?
        do {
            token = try await requests.credentials.token()
            try Task.checkCancellation()
        } catch {
            return await outcome(of: error, token: nil)
        }
        if case .bearer = requests.credentials.source, token == nil { return .again(after: nil, isSignedOut: true) }
        let signals = SseSignals()
        let receiver = SseReceiver(
            deliver: { [weak self] events, byteCount in
                guard let self, self.isCurrent(run) else { return }
                self.observer.deliver(events, byteCount)
            },
            signal: { signals.put($0) },
            retryChanged: { [weak self] milliseconds in
                self?.state.withLock { $0.retryDelay = Timing.retryDelay(asked: milliseconds) }
            })
        return await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.read(into: receiver, token: token) }
            group.addTask { await self.attend(signals, token: token, run) }
            group.addTask {
                for await _ in signals.end { return .again(after: nil) }
                return nil
            }
            group.addTask { await self.expectOpening(run) }
            var outcome = Outcome.cancelled
            while let first = await group.next() {
                guard let first else { continue }
                outcome = first
                break
            }
            group.cancelAll()
            return outcome
        }
    }

    private func read(into receiver: SseReceiver, token: String?) async -> Outcome {
        do {
            try await requests.open(receiver, token: token, timeout: timing.inactivity)
            // The node, or somebody on the way, ended it.
            return .again(after: nil)
        } catch {
            return await outcome(of: error, token: token)
        }
    }

    /// Ends an attempt that does not get to the stream's first frame.
    private func expectOpening(_ run: Int) async -> Outcome? {
        guard (try? await Task.sleep(nanoseconds: .nanoseconds(timing.opening))) != nil else { return nil }
        let isOpen = state.withLock { $0.run == run && $0.session != nil }
        return isOpen ? nil : .again(after: MeroError.network("The event stream did not open in \(timing.opening) s"))
    }

    /// Does what the stream's own frames ask for.
    private func attend(_ signals: SseSignals, token: String?, _ run: Int) async -> Outcome? {
        var token = token
        for await _ in signals.news {
            let (sessionId, isLost) = signals.take()
            if isLost {
                let marks = gaps()
                if isCurrent(run) { observer.deliver(marks, 0) }
            }
            guard let sessionId else { continue }
            let session = Session(id: sessionId, token: token, signals: signals)
            if isCurrent(run) { requests.credentials.onAccepted(token) }
            change(run) { state in
                state.session = session
                state.connection = .open
                state.lastError = nil
                state.subscriptions.endSession()
            }
            if let outcome = await subscribeToAll(session, &token, run) { return outcome }
        }
        return nil
    }

    /// The credentials' owner wants the stream to end with this error.
    struct StreamEnd: Error { let error: any Error }

    /// Spec: 40, section 2.3.
    func outcome(of error: any Error, token: String?) async -> Outcome {
        if Task.isCancelled || error is CancellationError { return .cancelled }
        switch error {
        case let end as StreamEnd: return .ended(end.error)
        // What did not come out of the seal may be anybody's: a lost connection, and no more.
        case MeroError.http(let answer) where answer.cameInTheClear: return .again(after: error)
        case MeroError.authRevoked(let reason, let answer):
            if answer.status == 401 || answer.status == 403 {
                await requests.credentials.onRevoked(reason, token)
            }
            return .ended(error)
        case MeroError.http(let answer) where answer.status == 403: return .ended(error)
        case MeroError.http(let answer) where answer.status == 401:
            switch await requests.credentials.onRefused(answer, token) {
            case .retryNow: return .again(after: error, immediately: true)
            case .retryAfterDelay: return .again(after: error)
            case .finish(let error): return .ended(error)
            }
        case let refusal as CredentialRefusal: return .ended(refusal.error)
        default: return .again(after: error as? MeroError ?? MeroError.network(error.localizedDescription))
        }
    }

    // MARK: - State

    func isCurrent(_ run: Int) -> Bool { state.withLock { $0.run == run } }

    /// - Parameter run: Whose change it is; one that was stopped meanwhile changes nothing.
    func change(_ run: Int? = nil, _ body: (inout State) -> Void) {
        let mustReport = state.withLock { state -> Bool in
            if let run, run != state.run { return false }
            body(&state)
            state.reports.append(Self.status(state))
            defer { state.isReporting = true }
            return !state.isReporting
        }
        // One thread at a time, so that no report overtakes a later one, and without a lock, since the observer may well
        // answer a report by letting go of the stream, which is a change in turn.
        while mustReport, let status = nextReport() { observer.statusChanged(status) }
    }

    private func nextReport() -> EventStreamStatus? {
        state.withLock { state in
            if state.reports.isEmpty {
                state.isReporting = false
                return nil
            }
            return state.reports.removeFirst()
        }
    }

    private static func status(_ state: inout State) -> EventStreamStatus { status(state) }

    private static func status(_ state: State) -> EventStreamStatus {
        EventStreamStatus(
            connection: state.connection, contexts: state.subscriptions.contexts, groups: state.subscriptions.groups,
            lastError: state.lastError)
    }
}
