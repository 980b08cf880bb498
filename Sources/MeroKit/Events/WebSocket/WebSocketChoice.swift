import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Picks what carries WebSockets on this platform.
enum WebSocketChoice {
    /// - Parameters:
    ///   - session: Not used on Linux, where no `URLSession` can carry a WebSocket.
    ///   - baseURL: what the client talks to. Where that is sealed to, there are no WebSockets.
    static func connector(
        session: URLSession?, options: HttpOptions = HttpOptions(), baseURL: URL,
        timing: WebSocketTiming = WebSocketTiming()
    ) -> any WebSocketConnector {
        if let sealing = options.sealing, sealing.applies(to: baseURL) { return NoConnector() }
        #if canImport(CCurl)
            return CurlWebSocketConnector(
                certificateAuthorityFile: options.certificateAuthorityFile, timing: timing)
        #else
            return URLSessionWebSocketConnector(
                session: session, certificateAuthorityFile: options.certificateAuthorityFile, timing: timing)
        #endif
    }

    /// A WebSocket would be readable on its way.
    private struct NoConnector: WebSocketConnector {
        func open(_ target: WebSocketTarget, token: String) async throws -> any WebSocketConnection {
            throw SealedTransportError.webSocket
        }
    }
}
