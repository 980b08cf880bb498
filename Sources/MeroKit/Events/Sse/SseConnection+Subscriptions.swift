import Foundation

/// What the stream is subscribed to. Spec: 40, sections 2.4 to 2.6.
extension SseConnection {
    /// Remembers the ids for the connections to come; nothing is sent.
    func remember(_ ids: EventIds) { change { _ = $0.subscriptions.add(ids) } }

    /// Remembers the ids, and asks the node for those that are new where a session is open.
    ///
    /// - Parameter again: Ask for those that are not new as well: the node then repeats the presence in them.
    /// - Throws: The `MeroError` of the request, or `CancellationError`. The ids stay remembered.
    func subscribe(_ ids: EventIds, again: Bool = false) async throws {
        var fresh = EventIds()
        var session: Session?
        change { state in
            fresh = state.subscriptions.add(ids)
            session = state.session
        }
        let wanted = again ? ids : fresh
        guard let session, !wanted.isEmpty else { return }
        try await request(in: session) { try await subscribe(wanted, in: session) }
    }

    /// Forgets the ids, and tells the node of those that were known where a session is open.
    func unsubscribe(_ ids: EventIds) async throws {
        var known = EventIds()
        var session: Session?
        change { state in
            known = state.subscriptions.remove(ids)
            session = state.session
        }
        guard let session, !known.isEmpty else { return }
        try await request(in: session) {
            var token = session.token
            _ = try await withFreshToken(&token) { token in
                try await requests.post(
                    "unsubscribe", known, sessionId: session.id, token: token, timeout: timing.opening)
            }
        }
    }

    /// Runs a request that the app waits for.
    private func request(in session: Session, _ send: () async throws -> Void) async throws {
        do {
            try await send()
        } catch let end as StreamEnd {
            throw end.error
        } catch let refusal as CredentialRefusal {
            throw refusal.error
        } catch MeroError.http(let answer) where answer.status == 404 && !answer.cameInTheClear {
            // The node knows the session no more: the stream has to be opened anew.
            session.signals.put(.over)
            throw MeroError.http(answer)
        }
    }

    /// Forgets all ids; nothing is sent.
    func forgetAll() { change { $0.subscriptions = EventSubscriptions() } }

    /// Marks for all that is subscribed to.
    func gaps() -> [ContextEvent] { state.withLock { $0.subscriptions.gaps() } }

    // MARK: - In a session

    /// Subscribes to everything until it is done, another session takes this one's place, or something ends the connection.
    func subscribeToAll(_ session: Session, _ token: inout String?, _ run: Int) async -> Outcome? {
        // In parts once the node has refused the whole: one id that is none must not cost the others.
        var parts = [state.withLock { $0.subscriptions.all }]
        while let ids = parts.last, !Task.isCancelled {
            if ids.isEmpty {
                parts.removeLast()
                continue
            }
            do {
                try await subscribe(ids, in: session)
                parts.removeLast()
            } catch {
                if case .http(let answer) = error as? MeroError, !answer.cameInTheClear {
                    // The session is gone: only a new one helps.
                    if answer.status == 404 { return .again(after: error) }
                    if answer.status == 400 || answer.status == 422 {
                        parts.removeLast()
                        if let (first, second) = ids.halves {
                            parts += [second, first]
                        } else {
                            change(run) { state in
                                _ = state.subscriptions.confirm(ids, granted: EventIds())
                                state.lastError = error
                            }
                            if isCurrent(run) { observer.failed(error) }
                        }
                        continue
                    }
                    if answer.status < 500 && answer.status != 429 { return await outcome(of: error, token: token) }
                } else if !(error is MeroError) || error.isRevocation {
                    return await outcome(of: error, token: token)
                }
                change(run) { $0.lastError = error }
                if isCurrent(run) { observer.failed(error) }
                if session.signals.hasSession { return nil }
                let delay = state.withLock { $0.retryDelay }
                guard (try? await Task.sleep(nanoseconds: .nanoseconds(delay))) != nil else { return nil }
            }
        }
        return nil
    }

    private func subscribe(_ ids: EventIds, in session: Session) async throws {
        var token = session.token
        let granted: EventIds?
        setAsked(true, ids, in: session)
        do {
            granted = try await withFreshToken(&token) { token in
                try await requests.post("subscribe", ids, sessionId: session.id, token: token, timeout: timing.opening)
            }
        } catch {
            // Without an answer the node may have heard the request all the same.
            if error.isAnswer { setAsked(false, ids, in: session) }
            throw error
        }
        var marks: [ContextEvent] = []
        change { state in
            guard state.session?.id == session.id else { return }
            state.session?.token = token
            state.lastError = nil
            marks = state.subscriptions.confirm(ids, granted: granted)
        }
        // After the answer, since only from here on nothing is missed that the app does not read now.
        observer.deliver(marks, 0)
    }

    private func setAsked(_ isAsked: Bool, _ ids: EventIds, in session: Session) {
        state.withLock { state in
            if state.session?.id == session.id { state.subscriptions.setAsked(isAsked, ids) }
        }
    }

    /// Sends, and once more if the node refused the token and another is to be had.
    private func withFreshToken<Value>(
        _ token: inout String?, _ send: (String?) async throws -> Value
    ) async throws -> Value {
        do {
            return try await send(token)
        } catch MeroError.http(let answer) where answer.status == 401 && !answer.cameInTheClear {
            switch await requests.credentials.onRefused(answer, token) {
            case .retryNow:
                if let fresh = try await requests.credentials.token() { token = fresh }
                return try await send(token)
            case .retryAfterDelay: throw MeroError.http(answer)
            case .finish(let error): throw StreamEnd(error: error)
            }
        }
    }
}

extension Error {
    /// The node's, in place of what was asked for.
    fileprivate var isAnswer: Bool { (self as? MeroError)?.httpStatus != nil || self is SseConnection.StreamEnd }

    fileprivate var isRevocation: Bool {
        if case .authRevoked? = self as? MeroError { return true }
        return false
    }
}
