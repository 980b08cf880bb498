import Foundation

/// Seals what another engine carries.
///
/// Stands below the retries and above the wire, so that everything above it works as ever: what it returns are the inner
/// answers. Spec: 80, sections 1.3 to 1.10.
final class SealedEngine: HttpEngine {
    private let carrier: any HttpEngine
    private let node: Sealing.Node

    init(carrier: any HttpEngine, node: Sealing.Node) {
        self.carrier = carrier
        self.node = node
    }

    func perform(_ request: EngineRequest) async throws -> EngineResponse {
        try Task.checkCancellation()
        guard let path = node.base.below(request.url) else {
            throw SealedTransportError.outsideBase(url: request.url, base: node.base.text)
        }
        if node.isRelay, needsSession(request, path), node.takesSessionsInTheClear.withLock({ $0 }) {
            return try await carrier.perform(request)
        }
        let head = try SealedRequestHead(method: request.method, path: path, headers: request.headers).json
        guard head.count <= SealedRequestHead.limit else {
            throw SealedTransportError.headTooLarge(limit: SealedRequestHead.limit)
        }
        let body = try await Self.body(of: request.body)
        var session = try await node.sessions.session(over: carrier, timeout: request.inactivityTimeout)
        var answer: EngineResponse
        do {
            answer = try await exchange(request, head, body, session)
        } catch MeroError.http(let refusal)
            where refusal.cameInTheClear && refusal.sealedRefusal?.code == "unknown_session"
        {
            guard mayResend(request) else {
                node.sessions.forget(session)
                throw MeroError.http(refusal)
            }
            session = try await node.sessions.session(
                insteadOf: session, over: carrier, timeout: request.inactivityTimeout)
            request.onResend?()
            answer = try await exchange(request, head, body, session)
        }
        if node.isRelay, answer.isUnguardedRoute, node.isProtectedByTLS {
            if needsSession(request, path) { node.takesSessionsInTheClear.withLock { $0 = true } }
            // Whoever ends TLS may run it and deny it, so that a refusal of this copy decides nothing either.
            request.onResend?()
            return try await carrier.perform(request)
        }
        // It was looked at for the relay's word alone.
        if request.method == "HEAD" { answer.body = Data() }
        return answer
    }

    private func exchange(
        _ request: EngineRequest, _ head: [UInt8], _ body: Data, _ session: SealedSession
    ) async throws -> EngineResponse {
        let sealed = try session.seal(head: head, body: body)
        let exchange = SealedExchange(sealed.reader, for: request, bodySize: body.count)
        var outer = EngineRequest(
            url: node.sessions.base + "/sealed/v2", method: "POST",
            headers: [("Content-Type", SealedSessions.contentType)], body: .bytes(sealed.envelope),
            inactivityTimeout: request.inactivityTimeout,
            // A connection that is used again may die, and the stack may send the same bytes a second time. That is a
            // replay, which the node refuses when it has opened the first: nothing runs twice.
            sendAtMostOnce: false, sink: .stream(exchange))
        // The frames go through a receiver whatever they hold.
        outer.statedSize = request.transferSize
        outer.uploadProgress = exchange.uploads(of: sealed.envelope.count)
        return try await exchange.run(url: request.url) { try await carrier.perform(outer) }
    }

    /// Nobody vouches for the word that a session is unknown: the request may have run. What must not run twice is sent again
    /// only where its sender takes care of that, as a relay client does, whose warrants are refused the second time.
    private func mayResend(_ request: EngineRequest) -> Bool {
        let isRead = request.method == "GET" || request.method == "HEAD"
        return node.resends && (isRead || !request.sendAtMostOnce || request.onResend != nil)
    }

    /// What is in a file has to be in memory to be sealed, which the limit of an envelope bounds.
    private static func body(of body: EngineBody) async throws -> Data {
        switch body {
        case .none: return Data()
        case .bytes(let data): return data
        case .file(let url):
            guard try EngineFile.sizeOfReadable(url) < Int64(SealedSession.envelopeLimit) else {
                throw SealedTransportError.requestTooLarge(limit: SealedSession.envelopeLimit)
            }
            return try await BlockingWork.run { _ in
                do {
                    return try Data(contentsOf: url)
                } catch {
                    throw EngineError(
                        kind: .file, mayHaveReachedNode: false,
                        message: "Cannot read the file \(url.lastPathComponent)")
                }
            }
        }
    }

    private func needsSession(_ request: EngineRequest, _ path: String) -> Bool {
        path.hasPrefix("/auth/") || request.headers.contains { $0.name.lowercased() == "authorization" }
    }
}

extension EngineResponse {
    /// The relay's own, sealed word that this route cannot be reached sealed. Nothing was executed.
    fileprivate var isUnguardedRoute: Bool {
        guard status == 403, let refusal = HTTPError(status: status, url: "", headers: [:], body: body).sealedRefusal
        else { return false }
        return refusal.code == "sealed_route_unguarded"
    }
}
