#if canImport(CCurl)
    import CCurl
    import Foundation

    /// One libcurl easy handle, used for one call after another, with the state of the call it carries.
    ///
    /// Setting up a handle costs more than a small call, so what is the same for all calls is set once, and of the rest
    /// only what differs from the call before. Only whoever drives the event loop touches a handle.
    final class CurlHandle {
        let easy: UnsafeMutableRawPointer
        /// Where the handle stands in the event loop's list of those under way.
        var position = 0

        private(set) var transfer: CurlTransfer?
        /// When the last byte of this call moved, on the event loop's clock.
        private(set) var lastActivity: UInt64 = 0
        private(set) var inactivityLimit: UInt64 = 0

        private let clock: CurlClock
        private let errorText: UnsafeMutablePointer<CChar>
        private var applied = Applied()
        private var headerList: UnsafeMutablePointer<curl_slist>?

        private var sendAtMostOnce = false
        private var wasSent = false
        private var headerLines: [UInt8] = []
        /// Of all header lines of the call, interim answers and trailers included.
        private var headerBytes = 0
        private var headerBlockEnded = false
        private var bodyBegan = false
        private var sink = CurlBodySink(.memory(limit: 0))
        private var source: CurlBodySource?
        private var stop: Stop?
        private var progress: CurlProgress?

        /// What this handle is set to at present.
        private struct Applied {
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
        }

        /// Bodies below this size are copied into libcurl, which then sends them together with the request's head.
        private static let smallBody = 64 * 1024
        private static let bulkBuffer = 512 * 1024
        private static let callBuffer = 16 * 1024
        /// Of an idle stream hardly any of it is ever touched, and so resident.
        private static let streamBuffer = 128 * 1024
        /// The most bytes of header lines in one answer.
        private static let headerLimit = 256 * 1024
        /// A server that sends interim answers or trailers for ever would otherwise never be given up.
        private static let headerTotalLimit = 1024 * 1024

        init?(clock: CurlClock, authorities: CurlAuthorities) {
            guard let easy = curl_easy_init() else { return nil }
            self.easy = easy
            self.clock = clock
            errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
            errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            setConstants(authorities)
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
            try apply(request)
            self.transfer = transfer
            transfer.handle = self
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
            let answer = CurlAnswer(status: status, headerLines: headerLines, body: sink.body)
            return end(.success(answer))
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
            // A new array, since the answer has taken this one along.
            headerLines = []
            let completion = CurlCompletion(transfer: transfer, outcome: outcome, progress: progress)
            progress = nil
            transfer?.handle = nil
            transfer = nil
            return completion
        }

        private func failure(_ code: CURLcode) -> EngineError? {
            switch stop {
            case .sink(.enough): return nil
            case .sink(.failed(let error)): return error
            case .source(let message): return error(.file, message)
            case .headersTooLarge: return error(.connectionLost, "The answer's header lines are too long")
            case .wouldSendTwice:
                return error(.connectionLost, "The connection broke, and this request is sent only once")
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
        /// - Returns: false to stop here. A second time for one call means that libcurl is about to repeat it, after the
        ///   connection died or a stream was refused.
        func willSend() -> Bool {
            lastActivity = clock.now
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
            let problem = sink.write(
                bytes, status: status, expected: expected, headers: CurlHeaderLines.parse(headerLines))
            if let problem {
                stop = .sink(problem)
                return false
            }
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

    // MARK: - Options

    extension CurlHandle {
        private func setConstants(_ authorities: CurlAuthorities) {
            let this = Unmanaged.passUnretained(self).toOpaque()
            merokit_curl_set_pointer(easy, CURLOPT_PRIVATE, this)
            merokit_curl_set_pointer(easy, CURLOPT_WRITEDATA, this)
            merokit_curl_set_pointer(easy, CURLOPT_HEADERDATA, this)
            merokit_curl_set_pointer(easy, CURLOPT_READDATA, this)
            merokit_curl_set_pointer(easy, CURLOPT_SEEKDATA, this)
            merokit_curl_set_pointer(easy, CURLOPT_PREREQDATA, this)
            merokit_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
            merokit_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, CurlCallbacks.body)
            merokit_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, CurlCallbacks.header)
            merokit_curl_set_data_callback(easy, CURLOPT_READFUNCTION, CurlCallbacks.upload)
            merokit_curl_set_seek_callback(easy, CurlCallbacks.seek)
            merokit_curl_set_prereq_callback(easy, CurlCallbacks.beforeRequest)

            merokit_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
            // Do not wait for a name look-up that nobody needs any more.
            merokit_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
            merokit_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
            merokit_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
            merokit_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
            // A user and password in the URL are not turned into a header.
            merokit_curl_set_long(easy, CURLOPT_HTTPAUTH, 0)
            merokit_curl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            merokit_curl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "")
            merokit_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            merokit_curl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)

            merokit_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
            merokit_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
            merokit_curl_set_long(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            authorities.apply(to: easy)
        }

        private func apply(_ request: EngineRequest) throws {
            if request.url != applied.url {
                merokit_curl_set_string(easy, CURLOPT_URL, request.url)
                applied.url = request.url
            }
            let customMethod = try applyBody(request)
            if customMethod != applied.method {
                merokit_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, customMethod.isEmpty ? nil : customMethod)
                applied.method = customMethod
            }
            applyHeaders(request.headers)
            // A connection of its own, which then would only pile up beside those of the other calls.
            if request.sendAtMostOnce != applied.isFresh {
                merokit_curl_set_long(easy, CURLOPT_FRESH_CONNECT, request.sendAtMostOnce ? 1 : 0)
                applied.isFresh = request.sendAtMostOnce
            }
            setForbidsReuse(request.sendAtMostOnce)
            let size = request.transferSize
            if size != applied.size {
                merokit_curl_set_long(easy, CURLOPT_BUFFERSIZE, Self.receiveBuffer(size))
                merokit_curl_set_long(
                    easy, CURLOPT_UPLOAD_BUFFERSIZE, size == .large ? Self.bulkBuffer : Self.smallBody)
                applied.size = size
            }
        }

        private static func receiveBuffer(_ size: EngineRequest.TransferSize) -> Int {
            switch size {
            case .small: return callBuffer
            case .stream: return streamBuffer
            case .large: return bulkBuffer
            }
        }

        private func setForbidsReuse(_ forbids: Bool) {
            guard forbids != applied.forbidsReuse else { return }
            merokit_curl_set_long(easy, CURLOPT_FORBID_REUSE, forbids ? 1 : 0)
            applied.forbidsReuse = forbids
        }

        /// - Returns: the method's name where it differs from the one that libcurl derives from the kind of body.
        private func applyBody(_ request: EngineRequest) throws -> String {
            switch request.body {
            case .none:
                switch request.method {
                case "HEAD":
                    merokit_curl_set_long(easy, CURLOPT_NOBODY, 1)
                    return ""
                case "POST", "PUT", "PATCH":
                    // Says Content-Length: 0, as these methods should (RFC 9110, section 8.6).
                    post(Data())
                default:
                    merokit_curl_set_long(easy, CURLOPT_HTTPGET, 1)
                    return request.method == "GET" ? "" : request.method
                }
            case .bytes(let data):
                if data.count < Self.smallBody { post(data) } else { post(CurlBodySource(data)) }
            case .file(let url):
                do {
                    post(try CurlBodySource(file: url))
                } catch {
                    let message = (error as? CurlBodySource.Problem)?.message ?? "Cannot read the file"
                    throw EngineError(kind: .file, mayHaveReachedNode: false, message: message)
                }
            }
            return request.method == "POST" ? "" : request.method
        }

        private func post(_ body: Data) {
            merokit_curl_set_long(easy, CURLOPT_POST, 1)
            merokit_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, body.count)
            if body.isEmpty {
                merokit_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
            } else {
                body.withUnsafeBytes { _ = merokit_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
            }
        }

        private func post(_ body: CurlBodySource) {
            source = body
            merokit_curl_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
            merokit_curl_set_long(easy, CURLOPT_POST, 1)
            merokit_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, body.size)
        }

        /// Nearly all calls of a client carry the same header lines: the list is built anew only when they differ.
        private func applyHeaders(_ headers: [(name: String, value: String)]) {
            let isSame = applied.headers.elementsEqual(headers) { old, new in
                // Strings that only mean the same are not the same line.
                CurlHeaderLines.areSameBytes(old.name, new.name) && CurlHeaderLines.areSameBytes(old.value, new.value)
            }
            if applied.hasHeaderList, isSame { return }
            var list: UnsafeMutablePointer<curl_slist>?
            var given: Set<String> = []
            for (name, value) in headers {
                let lower = name.lowercased()
                given.insert(lower)
                // The length on the wire is the body's, whatever a caller says.
                if lower == "content-length" { continue }
                let isEmpty = value.allSatisfy { $0 == " " || $0 == "\t" }
                list = curl_slist_append(list, isEmpty ? "\(name);" : "\(name): \(value)") ?? list
            }
            // A name without a value takes away the line that libcurl would send by itself.
            for own in ["Accept", "Expect", "Content-Type"] where !given.contains(own.lowercased()) {
                list = curl_slist_append(list, "\(own):") ?? list
            }
            merokit_curl_set_pointer(easy, CURLOPT_HTTPHEADER, list)
            curl_slist_free_all(headerList)
            headerList = list
            applied.headers = headers
            applied.hasHeaderList = true
        }
    }
#endif
