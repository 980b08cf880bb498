import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Picks the HTTP stack: a caller's own session is always used, everywhere; without one it is the platform's default.
enum EngineChoice {
    /// - Parameter baseURL: what the client talks to, which decides whether and to whom requests are sealed.
    static func engine(session: URLSession?, options: HttpOptions, baseURL: URL) -> any HttpEngine {
        let carrier = carrier(session: session, options: options)
        return options.sealing?.engine(over: carrier, baseURL: baseURL) ?? carrier
    }

    /// For streams that stay open: on Linux they have a thread of their own, so that reading a busy stream never holds up a
    /// call.
    ///
    /// - Parameter session: `URLSession.shared` stands for no session of one's own.
    static func streamEngine(
        session: URLSession?, options: HttpOptions = HttpOptions(), baseURL: URL
    ) -> any HttpEngine {
        let session = session === URLSession.shared ? nil : session
        let carrier = streamCarrier(session: session, options: options)
        return options.sealing?.engine(over: carrier, baseURL: baseURL) ?? carrier
    }

    /// What carries requests that are not sealed.
    static func carrier(session: URLSession?, options: HttpOptions) -> any HttpEngine {
        #if canImport(CCurl)
            if session == nil { return CurlEngine.shared(certificateAuthorityFile: options.certificateAuthorityFile) }
        #endif
        do {
            return try URLSessionEngine(session: session, certificateAuthorityFile: options.certificateAuthorityFile)
        } catch {
            return UnusableEngine(reason: error)
        }
    }

    private static func streamCarrier(session: URLSession?, options: HttpOptions) -> any HttpEngine {
        #if canImport(CCurl)
            if session == nil {
                return CurlEngine.shared(
                    certificateAuthorityFile: options.certificateAuthorityFile, purpose: .streams)
            }
        #endif
        return carrier(session: session, options: options)
    }

    /// Stands for an engine whose options cannot be met. Initialisers of clients do not throw, so each call says why.
    private final class UnusableEngine: HttpEngine {
        private let reason: any Error

        init(reason: any Error) { self.reason = reason }

        func perform(_ request: EngineRequest) async throws -> EngineResponse { throw reason }
    }
}
