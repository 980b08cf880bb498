import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Picks the HTTP stack: a caller's own session is always used, everywhere; without one it is the platform's default.
enum EngineChoice {
    static func engine(session: URLSession?, options: HttpOptions) -> any HttpEngine {
        CurlEngine.shared(certificateAuthorityFile: options.certificateAuthorityFile)
    }
}
