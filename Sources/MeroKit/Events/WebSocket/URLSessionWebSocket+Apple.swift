#if !canImport(CCurl)
    import Foundation

    /// Opens WebSockets over `URLSession`, where the system's can.
    struct URLSessionWebSocketConnector: WebSocketConnector {
        /// Its configuration is copied. Nil: one without cookies and cache.
        var session: URLSession?
        /// A PEM file with authorities to trust besides the system's.
        var certificateAuthorityFile: URL?
        var timing = WebSocketTiming()

        func open(_ target: WebSocketTarget, token: String) async throws -> any WebSocketConnection {
            guard let url = URL(string: target.url) else { throw MeroError.network("Invalid URL: \(target.url)") }
            var request = URLRequest(url: url, timeoutInterval: timing.opening)
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            let configuration = session?.configuration.copy() as? URLSessionConfiguration ?? .ephemeral
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            let socket = URLSessionWebSocket(request, url: target.url, configuration, try anchors(), timing)
            try await socket.open()
            return socket
        }

        private func anchors() throws -> [Data] {
            guard let certificateAuthorityFile else { return [] }
            do {
                return try PemCertificates.read(certificateAuthorityFile)
            } catch {
                throw MeroError.network((error as? EngineError)?.message ?? error.localizedDescription)
            }
        }
    }

    /// One WebSocket over `URLSession`, in a session of its own.
    final class URLSessionWebSocket: NSObject, WebSocketConnection, URLSessionWebSocketDelegate, @unchecked Sendable {
        // Safe to share: all is constant after `init`, `state` has a lock, and a task of URLSession takes calls from any thread.
        private struct State {
            var opening: CheckedContinuation<Void, any Error>?
            var isOpen = false
            var end: (any Error)?
            var unsentBytes = 0
            var lastArrival = Date()
            var pings: Task<Void, Never>?
        }

        private let state = Locked(State())
        private let url: String
        private let timing: WebSocketTiming
        private let request: URLRequest
        private let configuration: URLSessionConfiguration
        private let anchors: [Data]
        private let task = Locked<URLSessionWebSocketTask?>(nil)

        init(
            _ request: URLRequest, url: String, _ configuration: URLSessionConfiguration, _ anchors: [Data],
            _ timing: WebSocketTiming
        ) {
            self.request = request
            self.url = url
            self.configuration = configuration
            self.anchors = anchors
            self.timing = timing
        }

        func open() async throws {
            // The session keeps this object alive until it is invalidated, which every end does.
            let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
            let socket = session.webSocketTask(with: request)
            socket.maximumMessageSize = WebSocketLimit.message
            task.withLock { $0 = socket }
            session.finishTasksAndInvalidate()
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let end = state.withLock { state -> (any Error)? in
                        if state.end == nil { state.opening = continuation }
                        return state.end
                    }
                    if let end { return continuation.resume(throwing: end) }
                    socket.resume()
                }
            } onCancel: {
                finish(CancellationError())
            }
            let pings = Task { [weak self, timing] in
                while !Task.isCancelled {
                    try? await Task.sleep(nanoseconds: .nanoseconds(timing.pingInterval))
                    guard let self else { return }
                    self.ping()
                }
            }
            let isOver = state.withLock { state in
                state.pings = pings
                return state.end != nil
            }
            if isOver { pings.cancel() }
        }

        func receive() async throws -> [[UInt8]] {
            guard let socket = task.withLock({ $0 }) else { throw MeroError.network("The WebSocket was closed") }
            return try await withTaskCancellationHandler {
                while true {
                    try Task.checkCancellation()
                    do {
                        let message = try await socket.receive()
                        state.withLock { $0.lastArrival = Date() }
                        if case .string(let text) = message { return [Array(text.utf8)] }
                    } catch {
                        finish(MeroError.network(error.localizedDescription))
                        try Task.checkCancellation()
                        throw state.withLock { $0.end } ?? error
                    }
                }
            } onCancel: {
                finish(CancellationError())
            }
        }

        func send(_ text: [UInt8]) throws {
            try state.withLock { state in
                if let end = state.end { throw end }
                guard state.unsentBytes == 0 || state.unsentBytes + text.count <= WebSocketLimit.unsent else {
                    throw MeroError.network("Too much waits to be sent over the WebSocket")
                }
                state.unsentBytes += text.count
            }
            task.withLock { $0 }?.send(.string(String(decoding: text, as: UTF8.self))) { [weak self] error in
                self?.state.withLock { $0.unsentBytes -= text.count }
                if let error { self?.finish(MeroError.network(error.localizedDescription)) }
            }
        }

        func close() { finish(MeroError.network("The WebSocket was closed"), code: .normalClosure) }

        private func ping() {
            let silent = state.withLock { Date().timeIntervalSince($0.lastArrival) }
            if silent >= timing.silence {
                return finish(MeroError.network("Nothing came over the WebSocket for \(timing.silence) seconds"))
            }
            task.withLock { $0 }?.sendPing { [weak self] error in
                if error == nil { self?.state.withLock { $0.lastArrival = Date() } }
            }
        }

        /// The first reason counts.
        private func finish(_ error: any Error, code: URLSessionWebSocketTask.CloseCode = .goingAway) {
            let (opening, pings) = state.withLock { state in
                if state.end == nil { state.end = error }
                defer {
                    state.opening = nil
                    state.pings = nil
                }
                return (state.opening, state.pings)
            }
            pings?.cancel()
            opening?.resume(throwing: error)
            task.withLock { $0 }?.cancel(with: code, reason: nil)
        }

        // MARK: - Delegate

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
        ) {
            state.withLock { state in
                state.isOpen = true
                state.lastArrival = Date()
                defer { state.opening = nil }
                return state.opening
            }?.resume()
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {
            let text = reason.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
            // What came before may still wait to be received, so nothing is cancelled here.
            state.withLock { state in
                guard state.end == nil else { return }
                state.end = MeroError.network("The other side closed the WebSocket (\(closeCode.rawValue)\(text))")
            }
        }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let (disposition, credential) = URLSessionTransferDelegate.answer(to: challenge, anchors: anchors)
            completionHandler(disposition, credential)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let isOpen = state.withLock { $0.isOpen }
            if !isOpen, let answer = task.response as? HTTPURLResponse, answer.statusCode != 101 {
                var headers: [String: String] = [:]
                for (name, value) in answer.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
                // The body of such an answer cannot be had here.
                finish(HTTPError(status: answer.statusCode, url: url, headers: headers, body: Data()))
            } else {
                finish(MeroError.network(error?.localizedDescription ?? "The WebSocket was closed"))
            }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
#endif
