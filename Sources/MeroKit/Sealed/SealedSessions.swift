import Foundation

/// The session that all requests to one node share: opened by the first, renewed before its end, replaced when the node
/// has forgotten it.
///
/// Spec: 80, section 1.6.
final class SealedSessions: Sendable {
    static let contentType = "application/vnd.calimero.sealed"
    /// Seconds. A node that asks for more is asked again after these.
    private static let longestWait: TimeInterval = 5

    let base: String
    private let source: TransportKeySource
    private let clock: SealedClock
    private let current = Locked<SealedSession?>(nil)
    private let openings = SingleFlight<SealedSession>()
    /// The attested key, until a node says that it is another's.
    private let key = Locked<Data?>(nil)

    /// - Parameter base: scheme, host, port and path prefix, without a slash at the end.
    init(base: String, source: TransportKeySource, clock: SealedClock = SealedClock()) {
        self.base = base
        self.source = source
        self.clock = clock
    }

    /// The session at hand, or a new one.
    ///
    /// Those who need a new one at the same time share one handshake. One of them being cancelled does not end it.
    ///
    /// - Parameters:
    ///   - stale: a session that the node does not know any more.
    ///   - engine: carries the handshake, if there is one.
    func session(insteadOf stale: SealedSession? = nil, over engine: any HttpEngine, timeout: TimeInterval) async throws
        -> SealedSession
    {
        while true {
            if let session = usable(insteadOf: stale) { return session }
            let (session, joined) = try await openings.value { [self] in
                // Asked again inside the flight: the one before may have ended just before this one began.
                if let session = usable(insteadOf: stale) { return session }
                let session = try await open(over: engine, timeout: timeout)
                current.withLock { $0 = session }
                return session
            }
            // The flight joined may have been one for an older session, and have brought the one that is stale now.
            if joined && session === stale { continue }
            return session
        }
    }

    /// The next request opens another one.
    func forget(_ session: SealedSession) { current.withLock { if $0 === session { $0 = nil } } }

    private func usable(insteadOf stale: SealedSession?) -> SealedSession? {
        let now = clock.now()
        return current.withLock { current in
            guard let session = current, session !== stale, session.isUsable(at: now) else { return nil }
            session.use(at: now)
            return session
        }
    }

    private func open(over engine: any HttpEngine, timeout: TimeInterval) async throws -> SealedSession {
        var hasWaited = false
        var hasAttestedAnew = false
        while true {
            do {
                return try await handshake(over: engine, timeout: timeout)
            } catch MeroError.http(let answer) where answer.cameInTheClear {
                switch (answer.status, answer.sealedRefusal?.code) {
                case (_, "stale_transport_key"?):
                    key.withLock { $0 = nil }
                    guard case .attested = source, !hasAttestedAnew else { throw MeroError.http(answer) }
                    hasAttestedAnew = true
                case (503, "busy"?):
                    guard !hasWaited else { throw MeroError.http(answer) }
                    hasWaited = true
                    let asked = retryAfter(of: MeroError.http(answer), now: Date()) ?? 1
                    try await clock.sleep(min(asked, Self.longestWait))
                default: throw MeroError.http(answer)
                }
            }
        }
    }

    private func handshake(over engine: any HttpEngine, timeout: TimeInterval) async throws -> SealedSession {
        let handshake = try NoiseHandshake(transportKey: Array(await transportKey()))
        let request = EngineRequest(
            url: base + "/sealed/v2/handshake", method: "POST", headers: [("Content-Type", Self.contentType)],
            body: .bytes(Data(handshake.request)), inactivityTimeout: timeout, sendAtMostOnce: true,
            sink: .memory(limit: HTTPError.bodyTextLimit))
        let answer: EngineResponse
        do {
            // Nobody who answers for the node, byte by byte, holds up all who wait for the session.
            answer = try await TimeBudget(timeout * TimeBudget.timeouts).spend { try await engine.perform(request) }
        } catch let error as EngineError {
            // Whatever the handshake reached: the request that waits for it has reached nobody.
            throw EngineError(kind: error.kind, mayHaveReachedNode: false, message: error.message)
        }
        guard answer.isSealed else { throw Self.refusal(answer, url: request.url) }
        guard answer.body.count <= NoiseHandshake.replyLimit else { throw SealedTransportError.handshake }
        return SealedSession(try handshake.finish(Array(answer.body)), now: clock.now())
    }

    private func transportKey() async throws -> Data {
        switch source {
        case .fixed(let key): return key
        case .attested(let attest):
            if let known = key.withLock({ $0 }) { return known }
            let fresh: Data
            do {
                fresh = try await attest()
            } catch {
                throw Self.unvouched(error)
            }
            key.withLock { $0 = fresh }
            return fresh
        }
    }

    /// An attestation is asked for in the clear: an answer in its place is as little the node's word about the request that
    /// waits for the key as a refusal in place of a sealed answer.
    private static func unvouched(_ error: any Error) -> any Error {
        switch error {
        case MeroError.http(let answer), MeroError.authRevoked(_, let answer): return MeroError.http(answer.unvouched)
        default: return error
        }
    }

    /// What stands in the clear instead of a sealed answer. A success can only be somebody else's.
    static func refusal(_ answer: EngineResponse, url: String) -> any Error {
        if 200..<300 ~= answer.status { return SealedTransportError.notSealed(status: answer.status) }
        return MeroError.http(
            HTTPError(status: answer.status, url: url, headers: answer.headers, body: answer.body).unvouched)
    }
}

extension HTTPError {
    /// The same as one that nobody vouches for, so that it must neither end a session nor lead a request elsewhere.
    fileprivate var unvouched: HTTPError {
        var error = HTTPError(
            status: status, statusText: statusText, url: url,
            headers: headers.filter { $0.key != "x-auth-error" && $0.key != "location" }, bodyText: bodyText)
        error.cameInTheClear = true
        return error
    }
}

extension EngineResponse {
    /// Whether it says to be sealed. That it is, only its frames prove.
    var isSealed: Bool { headers["content-type"] == SealedSessions.contentType }
}

/// The time that sessions live by; tests give their own.
struct SealedClock: Sendable {
    /// Seconds since any moment; goes on while the device sleeps, where the system has such a clock.
    var now: @Sendable () -> TimeInterval = {
        #if os(Linux)
            let clock = CLOCK_BOOTTIME
        #else
            let clock = CLOCK_MONOTONIC
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
    }
    var sleep: @Sendable (TimeInterval) async throws -> Void = {
        try await Task.sleep(nanoseconds: .nanoseconds($0))
    }
}
