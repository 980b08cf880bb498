#if canImport(CCurl)
    import CCurl
    import Foundation

    /// The engine over libcurl: one thread, one pool of connections, any number of requests at once.
    final class CurlEngine: HttpEngine {
        private let loop: CurlEventLoop

        /// - Parameters:
        ///   - certificateAuthorityFile: A PEM file that replaces the system's list of trusted authorities.
        ///   - environment: Where `SSL_CERT_FILE` is looked up. Proxy variables are libcurl's own business.
        init(
            certificateAuthorityFile: URL? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
        ) {
            // libcurl itself does not look at the variable, only its command does.
            let authorities = certificateAuthorityFile?.path ?? environment["SSL_CERT_FILE"]
            loop = CurlEventLoop(certificateAuthorities: authorities.flatMap { $0.isEmpty ? nil : $0 })
        }

        deinit { loop.stop() }

        private static let cache = Locked<[URL?: WeakEngine]>([:])

        private struct WeakEngine {
            weak var engine: CurlEngine?
        }

        /// The engine that all clients with these options share. It ends with the last of them.
        static func shared(certificateAuthorityFile: URL?) -> CurlEngine {
            cache.withLock { cache in
                if let engine = cache[certificateAuthorityFile]?.engine { return engine }
                let engine = CurlEngine(certificateAuthorityFile: certificateAuthorityFile)
                cache[certificateAuthorityFile] = WeakEngine(engine: engine)
                return engine
            }
        }

        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            try Task.checkCancellation()
            let transfer = try CurlTransfer(request)
            return try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { continuation in
                    // The loop's thread resumes it, once: at completion, at cancellation, or when the engine ends.
                    transfer.continuation = continuation
                    loop.submit(.start(transfer))
                }
            } onCancel: {
                loop.submit(.cancel(transfer))
            }
        }
    }
#endif
