#if canImport(CCurl)
    import CCurl
    import Foundation

    /// One libcurl easy handle, used for one call after another, with the state of the call it carries.
    ///
    /// Setting up a handle costs more than a small call, so what is the same for all calls is set once, and of the rest
    /// only what differs from the call before. Only whoever drives the event loop touches a handle.
    final class CurlHandle {
        private(set) var easy: UnsafeMutableRawPointer
        /// Where the handle stands in the event loop's list of those under way.
        var position = 0

        private(set) var transfer: CurlTransfer?
        /// When the last byte of this call moved, on the event loop's clock.
        private(set) var lastActivity: UInt64 = 0
        private(set) var inactivityLimit: UInt64 = 0
        /// When a connection is given up whose caller has been answered; nil for one whose caller waits.
        private(set) var farewellEnd: UInt64?
        private let farewells: CurlFarewells

        /// Whether libcurl has carried a call with `easy`.
        private(set) var wasUsed = false
        private let clock: CurlClock
        private let sockets: CurlSockets
        private let shared: CurlShare
        let errorText: UnsafeMutablePointer<CChar>
        var applied = Applied()
        var headerList: UnsafeMutablePointer<curl_slist>?

        private var sendAtMostOnce = false
        private var wasSent = false
        private var headerLines: [UInt8] = []
        /// Of all header lines of the call, interim answers and trailers included.
        private var headerBytes = 0
        private var headerBlockEnded = false
        private var bodyBegan = false
        private var sink = CurlBodySink(.memory(limit: 0))
        var source: CurlBodySource?
        private var stop: Stop?
        private var progress: CurlProgress?

        /// What this handle is set to at present.
        struct Applied {
            var url = ""
            var method = ""
            var headers: [(name: String, value: String)] = []
            var hasHeaderList = false
            var isFresh = false
            var size = EngineRequest.TransferSize.small
            var forbidsReuse = false
        }

        /// Why a callback ended the transfer; libcurl itself only knows that one did.
        private enum Stop {
            case sink(CurlBodySink.Stop)
            case source(String)
            case headersTooLarge
            case wouldSendTwice
            case unaskedBytes
        }

        /// Bodies below this size are copied into libcurl, which then sends them together with the request's head.
        static let smallBody = 64 * 1024
        static let bulkBuffer = 512 * 1024
        static let callBuffer = 16 * 1024
        /// Of an idle stream hardly any of it is ever touched, and so resident.
        static let streamBuffer = 128 * 1024
        /// The most bytes of header lines in one answer.
        private static let headerLimit = 256 * 1024
        /// A server that sends interim answers or trailers for ever would otherwise never be given up.
        private static let headerTotalLimit = 1024 * 1024

        init?(
            clock: CurlClock, sockets: CurlSockets, shared: CurlShare, farewells: CurlFarewells,
            authorities: CurlAuthorities
        ) {
            guard let easy = curl_easy_init() else { return nil }
            self.farewells = farewells
            self.easy = easy
            self.clock = clock
            self.sockets = sockets
            self.shared = shared
            errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
            errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            setConstants(authorities)
            shared.join(easy)
        }

        deinit {
            curl_easy_cleanup(easy)
            curl_slist_free_all(headerList)
            errorText.deallocate()
        }

        // MARK: - One call

        /// Takes on a call. Throws `EngineError` when it cannot even begin.
        func begin(_ transfer: CurlTransfer) throws {
            let request = transfer.request
            headerLines.reserveCapacity(1024)
            headerBytes = 0
            headerBlockEnded = false
            bodyBegan = false
            wasSent = false
            stop = nil
            errorText[0] = 0
            sendAtMostOnce = request.sendAtMostOnce
            sink = CurlBodySink(request.sink)
            progress = CurlProgress(request)
            // Never zero.
            inactivityLimit = max(.nanoseconds(request.inactivityTimeout), 1_000_000)
            lastActivity = clock.now
            farewellEnd = nil
            try renew()
            wasUsed = true
            try apply(request)
            self.transfer = transfer
            transfer.handle = self
        }

        /// Takes a copy of the easy handle in the place of one that libcurl must not use again.
        func renew(keepingBody: Bool = false) throws {
            guard wasUsed, !CurlLibrary.canReuseHandles else { return }
            // The body of the call before would only be copied to be replaced.
            if !keepingBody { merokit_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, nil) }
            guard let copy = curl_easy_duphandle(easy) else {
                throw EngineError(kind: .unreachable, mayHaveReachedNode: false, message: "Out of memory")
            }
            curl_easy_cleanup(easy)
            easy = copy
            shared.join(copy)
            wasUsed = keepingBody
        }

        /// Ends the call and forgets it.
        ///
        /// - Returns: the transfer and its outcome, for the event loop to hand over.
        func end(_ code: CURLcode) -> CurlCompletion {
            var status = 0
            merokit_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
            if code == CURLE_OK, headerBlockEnded, stop == nil, let problem = sink.finish(status: status) {
                stop = .sink(problem)
            }
            if let error = failure(code) { return end(.failure(error)) }
            progress?.finish(easy)
            return end(.success(CurlAnswer(status: status, headerLines: headerLines, body: sink.body)))
        }

        /// Lets go of the caller, whose receiver has enough, and leaves what is still to come to libcurl. Nil when the call has
        /// ended by itself.
        func endEarly() -> CurlCompletion? {
            guard transfer != nil else { return nil }
            var status = 0
            merokit_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
            progress?.finish(easy)
            farewellEnd = clock.now + .nanoseconds(EngineFarewell.time)
            return letGo(.success(CurlAnswer(status: status, headerLines: headerLines, body: sink.body)))
        }

        /// When the call is over unless something moves.
        var due: UInt64 { min(lastActivity + inactivityLimit, farewellEnd ?? .max) }

        /// Whether nothing was sent, since the connection at hand was not fit for it: another one has to carry the call.
        var needsFreshConnection: Bool {
            if case .unaskedBytes = stop { return true }
            return false
        }

        /// Begins the call once more, on a connection of its own. Throws `EngineError` when it cannot.
        func beginAnew() throws {
            stop = nil
            errorText[0] = 0
            try renew(keepingBody: true)
            setFresh(true)
        }

        /// Ends a call that libcurl has let go of before it was complete.
        func end(_ reason: EndReason) -> CurlCompletion {
            switch reason {
            case .cancelled: return end(.failure(CancellationError()))
            case .closed:
                return end(.failure(error(.closed, "The HTTP engine was closed")))
            case .timedOut:
                let seconds = Double(inactivityLimit) / 1e9
                return end(.failure(error(.timedOut, "No byte moved for \(seconds) seconds")))
            }
        }

        enum EndReason { case cancelled, closed, timedOut }

        private func end(_ outcome: CurlTransfer.Outcome) -> CurlCompletion {
            if case .failure = outcome { sink.discard() }
            sink = CurlBodySink(.memory(limit: 0))
            source?.end()
            source = nil
            return letGo(outcome)
        }

        private func letGo(_ outcome: CurlTransfer.Outcome) -> CurlCompletion {
            // A new array, since the answer has taken this one along.
            headerLines = []
            let completion = CurlCompletion(transfer: transfer, outcome: outcome, progress: progress)
            progress = nil
            transfer?.handle = nil
            transfer = nil
            return completion
        }

        private func failure(_ code: CURLcode) -> EngineError? {
            // Whose receiver has enough has been answered, whatever happens to the connection.
            if sink.isSated { return nil }
            switch stop {
            case .sink(.enough): return nil
            case .sink(.failed(let error)): return error
            case .source(let message): return error(.file, message)
            case .headersTooLarge: return error(.connectionLost, "The answer's header lines are too long")
            case .wouldSendTwice:
                return error(.connectionLost, "The connection broke, and this request is sent only once")
            case .unaskedBytes:
                return error(.connectionLost, "The connection held bytes that belong to no answer")
            case nil:
                if code == CURLE_OK {
                    // libcurl takes a connection that ends within the head for an answer without a body.
                    return headerBlockEnded ? nil : error(.connectionLost, "The answer was cut short")
                }
                return EngineError(curlCode: code, wasSent: wasSent, detail: String(cString: errorText))
            }
        }

        private func error(_ kind: EngineError.Kind, _ message: String) -> EngineError {
            EngineError(kind: kind, mayHaveReachedNode: wasSent, message: message)
        }

        /// To be called before a call is taken away from libcurl because nothing moved: its connection may be dead, and
        /// the next call must not be given to it.
        func abandonConnection() { setForbidsReuse(true) }

        // MARK: - Callbacks of libcurl

        /// Everything is connected, the request goes out now.
        ///
        /// - Parameter localPort: of the connection.
        /// - Returns: false to stop here. A second time for one call means that libcurl is about to repeat it, after the
        ///   connection died or a stream was refused.
        func willSend(from localPort: Int32) -> Bool {
            lastActivity = clock.now
            if !wasSent, !applied.isFresh, sockets.holdBytes(localPort) {
                stop = .unaskedBytes
                return false
            }
            if wasSent, sendAtMostOnce {
                stop = .wouldSendTwice
                return false
            }
            wasSent = true
            return true
        }

        func received(headerLine line: UnsafeBufferPointer<UInt8>) -> Bool {
            lastActivity = clock.now
            headerBytes += line.count
            guard headerBytes <= Self.headerTotalLimit else {
                stop = .headersTooLarge
                return false
            }
            // Trailers, after the body, are of no interest.
            if bodyBegan { return true }
            if headerBlockEnded {
                guard line.starts(with: Self.statusLineStart) else { return true }
                // The block before was a 1xx answer.
                headerLines.removeAll(keepingCapacity: true)
                headerBlockEnded = false
            }
            guard headerLines.count + line.count <= Self.headerLimit else {
                stop = .headersTooLarge
                return false
            }
            headerLines.append(contentsOf: line)
            if line.count <= 2, line.last == UInt8(ascii: "\n"), line.first == line.last || line.first == 0x0D {
                headerBlockEnded = true
            }
            return true
        }

        func received(_ bytes: UnsafeRawBufferPointer) -> Bool {
            lastActivity = clock.now
            var status = 0
            var expected = -1
            if !bodyBegan {
                bodyBegan = true
                merokit_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
                merokit_curl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &expected)
            }
            let wasSated = sink.isSated
            if let problem = sink.write(bytes, status: status, expected: expected) {
                stop = .sink(problem)
                return false
            }
            if sink.isSated, !wasSated { farewells.note(self) }
            progress?.received(easy, now: clock.now)
            return true
        }

        /// - Returns: nil when the body cannot be read any further.
        func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            lastActivity = clock.now
            do {
                let count = try source?.read(into: buffer) ?? 0
                progress?.sent(easy, now: clock.now)
                return count
            } catch {
                stop = .source((error as? CurlBodySource.Problem)?.message ?? "Cannot read the file")
                return nil
            }
        }

        func rewind(to offset: Int) -> Bool { source?.seek(to: offset) ?? false }

        private static let statusLineStart = Array("HTTP/".utf8)
    }
#endif
