#if canImport(CCurl)
    import Foundation

    /// The engine over libcurl, the default on Linux.
    ///
    /// One thread of its own runs all transfers and holds the connections. Letting go of the engine stops the thread
    /// and closes the connections; a call under way keeps its engine alive through its caller.
    final class CurlEngine: HttpEngine {
        private let loop: CurlEventLoop?

        /// - Parameters:
        ///   - certificateAuthorityFile: A PEM file with further authorities to trust.
        ///   - environment: Where `SSL_CERT_FILE` is looked up. The proxy variables are libcurl's own business.
        convenience init(
            certificateAuthorityFile: URL? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
        ) {
            self.init(authorities: CurlAuthorities(file: certificateAuthorityFile, environment: environment))
        }

        private init(authorities: CurlAuthorities) {
            loop = CurlEventLoop(authorities: authorities)
            loop?.start()
        }

        deinit { close() }

        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            try Task.checkCancellation()
            try CurlRequestRules.check(request)
            guard let loop else { throw EngineError.engineClosed }
            let transfer = CurlTransfer(request)
            let answer = try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { loop.submit(transfer, $0) }
            } onCancel: {
                loop.cancel(transfer)
            }
            return answer.response()
        }

        /// Ends calls under way with `.closed`; later ones fail the same way.
        func close() { loop?.close() }

        // MARK: - Sharing

        /// What a shared engine carries.
        enum Purpose { case calls, streams }

        private struct Settings: Hashable {
            let authorities: CurlAuthorities
            let purpose: Purpose
        }

        private struct Weak { weak var engine: CurlEngine? }
        private static let engines = Locked<[Settings: Weak]>([:])

        /// The engine that all clients with these settings share, so that they share its connections too. It lives as
        /// long as one of them holds it.
        static func shared(
            certificateAuthorityFile: URL?, purpose: Purpose = .calls,
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) -> CurlEngine {
            let authorities = CurlAuthorities(file: certificateAuthorityFile, environment: environment)
            let settings = Settings(authorities: authorities, purpose: purpose)
            return engines.withLock { engines in
                if let engine = engines[settings]?.engine, engine.loop?.isClosed == false { return engine }
                let engine = CurlEngine(authorities: authorities)
                engines = engines.filter { $0.value.engine != nil }
                engines[settings] = Weak(engine: engine)
                return engine
            }
        }
    }
#endif
