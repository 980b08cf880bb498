#if canImport(CCurl)
    import CCurl
    import Foundation
    import MeroWebSocket

    /// One WebSocket over libcurl.
    ///
    /// Safe to share: what is constant, `mailbox` among it, may be used from anywhere; everything below "The loop's side" belongs to the loop's thread.
    final class CurlWebSocket: WebSocketConnection, @unchecked Sendable {
        private let mailbox: WebSocketMailbox
        private let target: WebSocketTarget
        private let handshake: WebSocketHandshake
        private let authorities: CurlAuthorities
        private let timing: WebSocketTiming
        private let loop: CurlWebSocketLoop

        /// Throws `MeroError.network` for a token that cannot be sent.
        init(
            _ target: WebSocketTarget, token: String, authorities: CurlAuthorities, timing: WebSocketTiming,
            unreadLimit: Int, loop: CurlWebSocketLoop
        ) throws {
            self.target = target
            self.authorities = authorities
            self.timing = timing
            mailbox = WebSocketMailbox(unreadLimit: unreadLimit)
            self.loop = loop
            handshake = WebSocketHandshake(target)
            output = try handshake.request(token: token)
        }

        // MARK: - From any thread

        func open() async throws {
            guard loop.add(self) else { throw MeroError.network("libcurl cannot be used") }
            try await mailbox.waitUntilOpen { [loop] in loop.wake() }
        }

        func receive() async throws -> [[UInt8]] { try await mailbox.receive { [loop] in loop.wake() } }

        func send(_ text: [UInt8]) throws {
            try mailbox.send(text)
            loop.wake()
        }

        func close() {
            mailbox.close()
            loop.wake()
        }

        // MARK: - The loop's side

        private enum Phase {
            case connecting
            /// The request goes out, the answer comes in.
            case handshaking
            case open
            /// A close frame of ours is out or on its way.
            case closing
            case finished
        }

        private(set) var easy: UnsafeMutableRawPointer?
        private(set) var deadline = UInt64.max
        /// The descriptor has something to read, or room to write, or has failed.
        var isReady = false
        private var phase = Phase.connecting
        private var descriptor: curl_socket_t = -1
        private var answer = WebSocketAnswer()
        private var session: WebSocketSession?
        /// What is being written. It stays as it is until all of it is gone: TLS insists on being given the same bytes in the
        /// same place again after it could not take them.
        private var output: [UInt8]
        private var written = 0
        /// What comes after it.
        private var backlog: [UInt8] = []
        private var hasWritten = false
        private var isReading = false
        private var isPaused = false
        private var mayHoldMore = false
        private var phaseEnd = UInt64.max
        private var nextPing = UInt64.max
        private var lastArrival: UInt64 = 0

        /// Read in one go, before other sockets have their turn.
        private static let readLimit = 1 << 20
        /// More than this waits to be written: nothing more is read, since reading makes the session answer pings.
        private static let outputLimit = 1 << 20

        var isConnecting: Bool { if case .connecting = phase { return true } else { return false } }
        var isFinished: Bool { if case .finished = phase { return true } else { return false } }

        /// What to wait for; nil for nothing.
        var interest: curl_waitfd? {
            guard descriptor >= 0 else { return nil }
            var events: Int32 = 0
            if isReading { events |= CURL_WAIT_POLLIN }
            if written < output.count { events |= CURL_WAIT_POLLOUT }
            // With nothing to wait for, a connection that the other side has closed would wake the thread for ever.
            return events == 0 ? nil : curl_waitfd(fd: descriptor, events: Int16(events), revents: 0)
        }

        /// False when it is over already.
        func begin(_ multi: UnsafeMutableRawPointer) -> Bool {
            if mailbox.isAbandoned { return false }
            guard let easy = curl_easy_init() else {
                mailbox.finish(MeroError.network("libcurl cannot be used"))
                return false
            }
            self.easy = easy
            setOptions(easy)
            phaseEnd = DispatchTime.now().uptimeNanoseconds + nanoseconds(timing.opening)
            curl_multi_add_handle(multi, easy)
            return true
        }

        private func setOptions(_ easy: UnsafeMutableRawPointer) {
            merokit_curl_set_string(easy, CURLOPT_URL, target.http.url)
            merokit_curl_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
            merokit_curl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
            // A proxy would not forward the upgrade of a plain request.
            merokit_curl_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1)
            merokit_curl_set_long(easy, CURLOPT_TCP_NODELAY, 1)
            CurlLibrary.setRules(of: easy, authorities)
        }

        /// libcurl has connected, or has given up.
        func connected(_ code: CURLcode) {
            guard isConnecting, let easy else { return }
            guard code == CURLE_OK, merokit_curl_get_socket(easy, &descriptor) == CURLE_OK, descriptor >= 0 else {
                descriptor = -1
                let text = String(cString: curl_easy_strerror(code))
                return fail(MeroError.network("Cannot connect to \(target.url): \(text)"))
            }
            phase = .handshaking
            isReading = true
        }

        /// Gives everything back to libcurl, which closes the connection.
        func release(_ multi: UnsafeMutableRawPointer) {
            guard let easy else { return }
            curl_multi_remove_handle(multi, easy)
            curl_easy_cleanup(easy)
            self.easy = nil
            descriptor = -1
        }

        func work(_ now: UInt64, _ scratch: inout [UInt8]) {
            obey(now)
            if isReady || mayHoldMore {
                isReady = false
                read(&scratch, now)
            }
            write()
            watch(now)
            setDeadline(now)
        }

        // MARK: Commands

        private func obey(_ now: UInt64) {
            let orders = mailbox.takeOrders()
            if orders.isAbandoned {
                phase = .finished
                return
            }
            if orders.resumes {
                isPaused = false
                isReading = true
                mayHoldMore = true
                // Whoever was not listened to cannot be blamed for silence.
                lastArrival = now
            }
            for message in orders.unsent { session?.send(text: message) }
            if orders.wantsClose {
                guard case .open = phase, let session else {
                    phase = .finished
                    return
                }
                session.close()
                phase = .closing
                isReading = true
                mayHoldMore = true
                phaseEnd = now + nanoseconds(timing.closing)
            }
            takeOutput()
        }

        // MARK: Reading

        private func read(_ scratch: inout [UInt8], _ now: UInt64) {
            mayHoldMore = false
            guard isReading, let easy, descriptor >= 0 else { return }
            var total = 0
            while isReading, !isFinished {
                var count = 0
                let code = curl_easy_recv(easy, &scratch, scratch.count, &count)
                if code == CURLE_AGAIN { return }
                guard code == CURLE_OK, count > 0 else { return ended() }
                lastArrival = now
                scratch.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[..<count]), now) }
                total += count
                if total >= Self.readLimit {
                    // TLS may hold bytes that the descriptor does not tell of.
                    mayHoldMore = true
                    return
                }
            }
        }

        private func take(_ bytes: UnsafeRawBufferPointer, _ now: UInt64) {
            guard case .handshaking = phase else {
                session?.receive(bytes)
                return handOver()
            }
            switch answer.take(bytes) {
            case .incomplete: break
            case .notHTTP: fail(MeroError.network("The answer to the request for a WebSocket is not HTTP"))
            case .refused(let status, let headers, let body):
                fail(HTTPError(status: status, url: target.url, headers: headers, body: body))
            case .switched(let headers, let rest): open(headers, rest, now)
            }
        }

        private func open(_ headers: [String: String], _ rest: [UInt8], _ now: UInt64) {
            if let problem = handshake.problem(with: headers) { return fail(MeroError.network(problem)) }
            guard let session = WebSocketSession(.client, messageLimit: WebSocketLimit.message) else {
                return fail(MeroError.network("Out of memory"))
            }
            self.session = session
            phase = .open
            phaseEnd = .max
            nextPing = now + nanoseconds(timing.pingInterval)
            mailbox.opened()
            session.receive(rest)
            handOver()
        }

        private func handOver() {
            guard let session else { return }
            var messages: [[UInt8]] = []
            var reason: String?
            for event in session.takeEvents() {
                switch event {
                case .text(let bytes): messages.append(bytes)
                case .binary, .ping, .pong: break
                case .close(let code, let text):
                    let detail = [code.map { String($0) } ?? "", text].filter { !$0.isEmpty }.joined(separator: " ")
                    reason = "The other side closed the WebSocket" + (detail.isEmpty ? "" : " (\(detail))")
                case .failed(let code): reason = "The other side broke the WebSocket protocol (\(code))"
                }
            }
            takeOutput()
            if case .open = phase, mailbox.deliver(messages) {
                isPaused = true
                isReading = false
            }
            guard let reason else { return }
            if case .open = phase {
                phase = .closing
                phaseEnd = lastArrival + nanoseconds(timing.closing)
            }
            isReading = session.isReading
            mailbox.finish(MeroError.network(reason))
        }

        /// The other side has closed the connection, or it broke.
        private func ended() {
            if case .handshaking = phase {
                switch answer.take(UnsafeRawBufferPointer(start: nil, count: 0), isAtEnd: true) {
                case .refused(let status, let headers, let body):
                    return fail(HTTPError(status: status, url: target.url, headers: headers, body: body))
                default: break
                }
            }
            fail(MeroError.network("The connection of the WebSocket broke"))
        }

        // MARK: Writing

        private func takeOutput() {
            guard let session, session.outputCount > 0 else { return }
            if backlog.isEmpty { backlog = session.takeOutput() } else { backlog += session.takeOutput() }
        }

        private var unwritten: Int { output.count - written + backlog.count }

        private func write() {
            guard let easy, descriptor >= 0, !isFinished else { return }
            while true {
                if written == output.count {
                    output = backlog
                    written = 0
                    backlog = []
                    if output.isEmpty { break }
                }
                var count = 0
                let code = output.withUnsafeBytes { bytes in
                    curl_easy_send(easy, bytes.baseAddress.map { $0 + written }, bytes.count - written, &count)
                }
                if code == CURLE_AGAIN { return }
                guard code == CURLE_OK else { return fail(MeroError.network("The connection of the WebSocket broke")) }
                written += count
                hasWritten = true
            }
            if hasWritten { mailbox.hasSentAll() }
            hasWritten = false
            // Both have said goodbye.
            if let session, session.isOver, session.hasSentClose, case .closing = phase { phase = .finished }
        }

        // MARK: Time

        private func watch(_ now: UInt64) {
            switch phase {
            case .connecting, .handshaking:
                guard now >= phaseEnd else { return }
                if answer.isRefused { return ended() }
                fail(MeroError.network("The WebSocket did not open within \(timing.opening) seconds"))
            case .open:
                if !isPaused, now >= lastArrival + nanoseconds(timing.silence) {
                    return fail(MeroError.network("Nothing came over the WebSocket for \(timing.silence) seconds"))
                }
                if now >= nextPing {
                    nextPing = now + nanoseconds(timing.pingInterval)
                    // Pings that cannot leave need no company.
                    if unwritten < Self.outputLimit { session?.ping() }
                    takeOutput()
                    write()
                }
                holdBack()
            case .closing:
                if now >= phaseEnd { phase = .finished }
            case .finished: break
            }
        }

        /// Stops reading while the other side does not take what it has made the session answer.
        private func holdBack() {
            let mayRead = !isPaused && unwritten < Self.outputLimit
            if mayRead, !isReading { mayHoldMore = true }
            isReading = mayRead
        }

        private func setDeadline(_ now: UInt64) {
            var deadline = phaseEnd
            if case .open = phase {
                deadline = min(deadline, nextPing)
                if !isPaused { deadline = min(deadline, lastArrival + nanoseconds(timing.silence)) }
            }
            self.deadline = mayHoldMore || isFinished ? now : deadline
        }

        private func fail(_ error: any Error) {
            phase = .finished
            mailbox.finish(error)
        }

        private func nanoseconds(_ seconds: Double) -> UInt64 { .nanoseconds(seconds) }
    }
#endif
