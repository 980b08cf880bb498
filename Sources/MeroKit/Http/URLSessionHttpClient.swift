import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The built-in HTTP client: bearer token, one shared refresh on an expired token, retries and typed errors over the
/// platform's HTTP stack. Reach a `Mero`'s own as `mero.http`.
///
/// Given a `URLSession`, requests go through a session of the same configuration. Given none, they go through the
/// platform's default stack: URLSession on Apple systems, libcurl on Linux. Both behave the same.
///
/// Spec: 10, sections 2 to 4.
public final class URLSessionHttpClient: HttpClient {
    let base: BaseURL
    let engine: any HttpEngine
    private let timeout: TimeInterval
    private let hooks: TransportHooks
    private let retryPolicy: RetryPolicy
    private let options: HttpOptions
    private let refreshes = SingleFlight<String>()

    /// - Parameters:
    ///   - baseURL: The node's origin, which may have a path prefix.
    ///   - timeout: Seconds without progress before one attempt fails.
    ///   - hooks: Where tokens come from and go to.
    ///   - session: Nil takes the platform's default stack.
    ///   - retryPolicy: Which failures are answered by sending again.
    ///   - options: Limits and trust.
    public convenience init(
        baseURL: URL, timeout: TimeInterval = 10, hooks: TransportHooks = TransportHooks(),
        session: URLSession? = nil, retryPolicy: RetryPolicy = .documented, options: HttpOptions = HttpOptions()
    ) {
        self.init(
            baseURL: baseURL, timeout: timeout, hooks: hooks,
            engine: EngineChoice.engine(session: session, options: options, baseURL: baseURL),
            retryPolicy: retryPolicy, options: options)
    }

    init(
        baseURL: URL, timeout: TimeInterval = 10, hooks: TransportHooks = TransportHooks(), engine: any HttpEngine,
        retryPolicy: RetryPolicy = .documented, options: HttpOptions = HttpOptions()
    ) {
        self.base = BaseURL(baseURL)
        self.engine = engine
        self.timeout = timeout
        self.hooks = hooks
        self.retryPolicy = retryPolicy
        self.options = options
    }

    public func send<T: Decodable>(_ req: HttpRequest) async throws -> T {
        let response = try await perform(req)
        return try ReplyDecoding.decode(T.self, from: response, path: req.path)
    }

    public func sendVoid(_ req: HttpRequest) async throws {
        _ = try await perform(req)
    }

    public func sendRaw(_ req: HttpRequest) async throws -> (Data, HeadResult) {
        let response = try await perform(req)
        return (response.body, HeadResult(status: response.status, headers: response.headers))
    }

    public func head(_ path: String, headers: [String: String]) async throws -> HeadResult {
        var request = HttpRequest(path: path, method: .head, headers: headers)
        request.isBrief = true
        let response = try await perform(request)
        return HeadResult(status: response.status, headers: response.headers)
    }

    public func download(_ req: HttpRequest, to fileURL: URL) async throws -> HeadResult {
        // Beside its final place, so that moving it there is one step and never a copy.
        let partial = fileURL.deletingLastPathComponent()
            .appendingPathComponent(".\(fileURL.lastPathComponent).\(Hex.encode(SecureRandom.bytes(6))).part")
        try Self.checkReplaceable(fileURL)
        do {
            let response = try await perform(req, sink: .file(partial))
            try Self.checkReplaceable(fileURL)
            guard rename(partial.path, fileURL.path) == 0 else {
                throw MeroError.network("Cannot write \(fileURL.path): \(String(cString: strerror(errno)))")
            }
            return HeadResult(status: response.status, headers: response.headers)
        } catch {
            unlink(partial.path)
            throw MeroError.naming(fileURL, insteadOf: partial, in: error)
        }
    }
}

extension URLSessionHttpClient {
    /// Only a file gives way to a downloaded one. Throws `MeroError.network`.
    static func checkReplaceable(_ file: URL) throws {
        do {
            try EngineFile.checkReplaceable(file)
        } catch let error as EngineError {
            throw MeroError.network(error.message)
        }
    }
}

// MARK: - One call

extension URLSessionHttpClient {
    /// Runs attempts until there is a 2xx answer. Throws `MeroError` or `CancellationError`, nothing else.
    private func perform(_ req: HttpRequest, sink: EngineSink? = nil) async throws -> EngineResponse {
        try Task.checkCancellation()
        let target = try base.target(for: req.path)
        let call = Call(
            request: req, target: target, sink: sink ?? .memory(limit: options.replyLimit),
            timeout: req.timeout ?? timeout, withinBase: base.relativePath(of: target).map(String.init),
            sendAtMostOnce: req.sendOnce || retryPolicy != .documented)
        do {
            let mayRetry: (any Error) -> Bool
            switch req.sendOnce ? .never : retryPolicy {
            case .never: return try await attempt(call)
            case .documented: mayRetry = { isRetryable($0) && req.mayBeRetried(after: $0) }
            case .onlyIfUnsent: mayRetry = { ($0 as? EngineError)?.mayHaveReachedNode == false && isRetryable($0) }
            }
            return try await withRetry(retryIf: mayRetry) { try await attempt(call) }
        } catch let error as EngineError {
            throw MeroError.network(error.message)
        } catch let error where Task.isCancelled && !(error is MeroError) {
            throw CancellationError()
        }
    }

    /// What stays the same over all attempts of one call.
    private struct Call {
        let request: HttpRequest
        let target: RequestTarget
        let sink: EngineSink
        let timeout: TimeInterval
        /// The path below the base URL, nil elsewhere.
        let withinBase: String?
        let sendAtMostOnce: Bool
        let ownAuthorization: Bool
        let ownHeaders: [(lowercased: String, name: String, value: String)]

        init(
            request: HttpRequest, target: RequestTarget, sink: EngineSink, timeout: TimeInterval, withinBase: String?,
            sendAtMostOnce: Bool
        ) {
            self.request = request
            self.target = target
            self.sink = sink
            self.timeout = timeout
            self.withinBase = withinBase
            self.sendAtMostOnce = sendAtMostOnce
            ownHeaders = request.headers.map { ($0.key.lowercased(), $0.key, $0.value) }
            ownAuthorization = ownHeaders.contains { $0.lowercased == "authorization" }
        }

        /// The requests that a refresh itself consists of, or that end a session, never start one.
        var isSessionRequest: Bool {
            switch withinBase {
            case "/auth/token", "/auth/refresh", "/auth/logout", "/auth/challenge": return true
            default: return false
            }
        }
    }

    /// One attempt: at most one refresh and one repetition belong to it.
    private func attempt(_ call: Call) async throws -> EngineResponse {
        // Another origin never sees this client's token.
        let carriesToken = call.target.origin == base.origin && !call.ownAuthorization
        var presented = carriesToken ? await hooks.currentToken() : nil
        var refreshed = false
        while true {
            let (response, last) = try await exchange(call, token: presented)
            if 200..<300 ~= response.status { return response }
            let error = HTTPError(
                status: response.status, url: last.url, headers: response.headers, body: response.body)
            let reason = response.headers["x-auth-error"]
            // An answer from elsewhere says nothing about this client's token, which it never saw.
            let judgesToken = carriesToken && last.origin == base.origin
            if response.status == 401 || response.status == 403, reason == "token_reuse" || reason == "token_revoked" {
                if judgesToken && !call.isSessionRequest { await tokenWasRefused(reason ?? "", presented: presented) }
                throw MeroError.authRevoked(reason: reason ?? "", http: error)
            }
            guard response.status == 401, reason == "token_expired", !refreshed, judgesToken, !call.isSessionRequest,
                hooks.refreshToken != nil
            else { throw MeroError.http(error) }
            guard let token = try await token(insteadOf: presented) else { throw MeroError.http(error) }
            presented = token
            refreshed = true
        }
    }

    /// One request and the redirects it leads to. Returns the answer and where it came from.
    private func exchange(_ call: Call, token: String?) async throws -> (EngineResponse, RequestTarget) {
        var target = call.target
        var hops = 0
        let budget = call.request.isBrief ? TimeBudget(call.timeout * TimeBudget.timeouts) : nil
        while true {
            var request = engineRequest(call, target: target, token: token)
            // Here, since every request has to be signed anew, also one that repeats another.
            if let authorize = hooks.authorize, !call.ownAuthorization, target.origin == base.origin {
                let headers = try await authorize(call.request.method.rawValue, target.path, call.request.body)
                request.headers += headers.map { (name: $0.key, value: $0.value) }
            }
            let response: EngineResponse
            if case .file = call.sink {
                response = try await engine.perform(request)
            } else {
                let sent = request
                response = try await ConnectionGate.shared.run(call.target.origin, limit: options.connectionsPerHost) {
                    guard let budget else { return try await engine.perform(sent) }
                    return try await budget.spend { [engine] in try await engine.perform(sent) }
                }
            }
            guard hops < RedirectRule.limit,
                let next = RedirectRule.next(after: response, method: call.request.method, from: target)
            else { return (response, target) }
            target = next
            hops += 1
            call.request.onResend?()
        }
    }

    private func engineRequest(_ call: Call, target: RequestTarget, token: String?) -> EngineRequest {
        var headers: [(name: String, value: String)] = []
        let atHome = target.origin == call.target.origin
        if let token, target.origin == base.origin { headers.append(("Authorization", "Bearer \(token)")) }
        var body = EngineBody.none
        switch call.request.body {
        case .json(let data):
            headers.append(("Content-Type", "application/json"))
            body = .bytes(data)
        case .data(let data, let contentType):
            headers.append(("Content-Type", contentType))
            body = .bytes(data)
        case .file(let url, let contentType):
            headers.append(("Content-Type", contentType))
            body = .file(url)
        case nil: break
        }
        for (lowercased, name, value) in call.ownHeaders {
            // Of the client's own there are no others.
            if lowercased == "content-type" || lowercased == "authorization" {
                headers.removeAll { $0.name.lowercased() == lowercased }
            }
            if lowercased == "authorization" && !atHome { continue }
            headers.append((name, value))
        }
        return EngineRequest(
            url: target.url, method: call.request.method.rawValue, headers: headers, body: body,
            inactivityTimeout: call.timeout, sendAtMostOnce: call.sendAtMostOnce, sink: call.sink,
            uploadProgress: call.request.uploadProgress, downloadProgress: call.request.downloadProgress,
            onResend: call.request.onResend)
    }
}

// MARK: - Tokens

extension URLSessionHttpClient {
    /// A token other than the one just called expired: the current one if somebody was faster, else that of the one
    /// refresh under way. Nil when the session has no token any more.
    ///
    /// Event streams use it, too, so that they share the flight. Spec: 10, section 4.3.
    func token(insteadOf presented: String?) async throws -> String? {
        guard let refresh = hooks.refreshToken else { return nil }
        while true {
            if let current = await hooks.currentToken(), current != presented { return current }
            let (token, joined) = try await refreshes.value { [hooks] in
                // Asked again inside the flight: the previous one may have ended just before this one began.
                if let current = await hooks.currentToken(), current != presented { return current }
                let token = try await refresh()
                if !token.isBlank { await hooks.onTokenRefresh?(token) }
                return token
            }
            if token.isBlank { return nil }
            // The flight joined was one for an older token, and brought the one this caller has already shown.
            if joined && token == presented { continue }
            return token
        }
    }

    /// A terminal answer came for this token. A session that was rotated or replaced meanwhile is not touched.
    ///
    /// Spec: 10, section 4.5.
    func tokenWasRefused(_ reason: String, presented: String?) async {
        if let current = await hooks.currentToken(), current != presented { return }
        refreshes.forget()
        if let onTokenRefused = hooks.onTokenRefused {
            await onTokenRefused(reason, presented)
        } else {
            await hooks.onAuthRevoked?()
        }
    }
}

extension HttpRequest {
    /// A login that was told to slow down is not repeated by itself, a relay's call never.
    fileprivate func mayBeRetried(after error: any Error) -> Bool {
        guard isRetried else { return false }
        guard !retriesWhenThrottled, case MeroError.http(let answer) = error else { return true }
        return answer.status != 429
    }
}
