import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The engine over `URLSession`: the default on Apple systems, and everywhere the one that serves a caller's own session.
///
/// The caller's session itself sends nothing. The engine makes a session of its own from a copy of that session's
/// configuration, because only a session's own delegate can refuse redirects and stream bodies on every platform. What
/// the configuration carries (custom `URLProtocol` classes, proxies, additional headers) stays in force; cookies, cache
/// and stored credentials are switched off, since no answer of a node may depend on them.
///
/// Measured on Linux, and outside this type's reach: Foundation aborts the process when a connection ends in the midst of
/// an answer's header line, or when a chunked answer carries trailers.
final class URLSessionEngine: HttpEngine {
    private let session: URLSession
    private let delegate: URLSessionTransferDelegate
    /// Every delegate call and all state of every transfer live on this serial queue.
    private let queue = DispatchQueue(label: "MeroKit.URLSessionEngine", target: URLSessionEngine.lane())
    private let delegateQueue = OperationQueue()
    /// Tasks whose callers have been answered before their end.
    private let farewells = Locked(0)

    /// - Parameter session: Its configuration is copied and never changed. Nil: a configuration without cookies and
    ///   cache. A background session's configuration cannot be used.
    convenience init(session: URLSession?) {
        self.init(session: session, anchors: [])
    }

    /// - Parameter certificateAuthorityFile: A PEM file with authorities to trust besides the system's. Nil: none.
    /// - Throws: `.file` if the file cannot be read, `.invalidRequest` if it holds no certificate. On Linux
    ///   always `.invalidRequest` when a file is given: no session there can be told whom to trust.
    convenience init(session: URLSession?, certificateAuthorityFile: URL?) throws {
        guard let certificateAuthorityFile else {
            self.init(session: session, anchors: [])
            return
        }
        #if canImport(Security)
            self.init(session: session, anchors: try PemCertificates.read(certificateAuthorityFile))
        #else
            throw EngineError(
                kind: .invalidRequest, mayHaveReachedNode: false,
                message: "URLSession cannot be given a certificate authority file on this platform; "
                    + "use the default client without a session of your own")
        #endif
    }

    private init(session: URLSession?, anchors: [Data]) {
        // Foundation on Linux hands out the session's own configuration, not a copy as elsewhere.
        let configuration =
            session?.configuration.copy() as? URLSessionConfiguration ?? Self.defaultConfiguration()
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .useProtocolCachePolicy
        configuration.urlCredentialStorage = nil
        delegateQueue.maxConcurrentOperationCount = 1
        delegateQueue.underlyingQueue = queue
        delegate = URLSessionTransferDelegate(anchors: anchors)
        self.session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }

    /// The queue that an engine's own stands on; nil for one of the system's.
    private static func lane() -> DispatchQueue? {
        #if canImport(FoundationNetworking)
            // Foundation on Linux makes the thread that starts a task wait for another one. Hundreds of engines that start
            // tasks at once would leave none of the system's threads to wait for, and stand still for good.
            lanes.randomElement()
        #else
            nil
        #endif
    }

    #if canImport(FoundationNetworking)
        private static let lanes = (0..<8).map { DispatchQueue(label: "MeroKit.URLSessionEngine.lane\($0)") }
    #endif

    deinit {
        // A session keeps its delegate alive until it is invalidated.
        session.invalidateAndCancel()
    }

    func perform(_ request: EngineRequest) async throws -> EngineResponse {
        try Task.checkCancellation()
        let urlRequest = try request.urlRequest()
        let transfer = URLSessionTransfer(
            request: request, uploadSize: try await size(of: request.body), queue: queue, farewells: farewells)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    guard transfer.begin(continuation) else { return }
                    start(transfer, urlRequest)
                }
            }
        } onCancel: {
            queue.async { transfer.cancel() }
        }
    }

    private func start(_ transfer: URLSessionTransfer, _ urlRequest: URLRequest) {
        guard transfer.request.sendAtMostOnce else {
            delegate.run(transfer, urlRequest, in: session)
            return
        }
        // A new session has no connection to reuse, and only a reused connection makes Foundation send twice.
        let single = URLSessionTransferDelegate(anchors: delegate.anchors)
        let session = URLSession(configuration: session.configuration, delegate: single, delegateQueue: delegateQueue)
        single.run(transfer, urlRequest, in: session)
        session.finishTasksAndInvalidate()
    }

    private func size(of body: EngineBody) async throws -> Int64 {
        switch body {
        case .none: return 0
        case .bytes(let data): return Int64(data.count)
        case .file(let url):
            // The file system may make its callers wait, which is not for the pool that this task runs on.
            return try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try EngineFile.sizeOfReadable(url) }) }
            }
        }
    }

    private static func defaultConfiguration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        // The pipeline above limits the calls to a host; a second, lower limit here would count as a call's inactivity.
        configuration.httpMaximumConnectionsPerHost = 256
        return configuration
    }
}
