#if canImport(CCurl)
    import Foundation

    /// Opens WebSockets over libcurl, which brings the connection: names, proxies, TLS. One thread serves all of them; it
    /// runs for as long as there is one.
    struct CurlWebSocketConnector: WebSocketConnector {
        private let authorities: CurlAuthorities
        private let timing: WebSocketTiming
        private let unreadLimit: Int
        private let loop: CurlWebSocketLoop

        init(
            certificateAuthorityFile: URL? = nil, timing: WebSocketTiming = WebSocketTiming(),
            unreadLimit: Int = WebSocketLimit.unread, loop: CurlWebSocketLoop = .shared,
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) {
            authorities = CurlAuthorities(file: certificateAuthorityFile, environment: environment)
            self.timing = timing
            self.unreadLimit = unreadLimit
            self.loop = loop
        }

        func open(_ target: WebSocketTarget, token: String) async throws -> any WebSocketConnection {
            try Task.checkCancellation()
            let socket = try CurlWebSocket(
                target, token: token, authorities: authorities, timing: timing, unreadLimit: unreadLimit,
                loop: loop)
            try await socket.open()
            return socket
        }
    }
#endif
