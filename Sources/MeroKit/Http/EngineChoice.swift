import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Picks the HTTP stack: a caller's own session is always used, everywhere; without one it is the platform's default.
enum EngineChoice {
    static func engine(session: URLSession?, options: HttpOptions) -> any HttpEngine {
        #if canImport(CCurl)
            if session == nil { return CurlEngine.shared(certificateAuthorityFile: options.certificateAuthorityFile) }
        #endif
        do {
            return try URLSessionEngine(session: session, certificateAuthorityFile: options.certificateAuthorityFile)
        } catch {
            return UnusableEngine(reason: error)
        }
    }

    /// Stands for an engine whose options cannot be met. Initialisers of clients do not throw, so each call says why.
    private final class UnusableEngine: HttpEngine {
        private let reason: any Error

        init(reason: any Error) { self.reason = reason }

        func perform(_ request: EngineRequest) async throws -> EngineResponse { throw reason }
    }
}
