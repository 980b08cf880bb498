import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Picks what carries WebSockets on this platform.
enum WebSocketChoice {
    /// - Parameter session: Not used on Linux, where no `URLSession` can carry a WebSocket.
    static func connector(
        session: URLSession?, options: HttpOptions = HttpOptions(), timing: WebSocketTiming = WebSocketTiming()
    ) -> any WebSocketConnector {
        #if canImport(CCurl)
            return CurlWebSocketConnector(
                certificateAuthorityFile: options.certificateAuthorityFile, timing: timing)
        #else
            return URLSessionWebSocketConnector(
                session: session, certificateAuthorityFile: options.certificateAuthorityFile, timing: timing)
        #endif
    }
}
