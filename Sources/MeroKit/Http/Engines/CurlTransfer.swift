#if canImport(CCurl)
    import CCurl
    import Foundation

    /// One request on its way through libcurl.
    ///
    /// `@unchecked Sendable`: made by the caller, who hands it over to the loop's thread through a locked queue and then
    /// leaves it alone; from there on only that thread touches it.
    final class CurlTransfer: @unchecked Sendable {
        private let request: EngineRequest
        /// Bodies up to this size are one piece of memory for libcurl; larger ones are read as they are sent.
        private static let smallBody = 256 * 1024

        var continuation: UnsafeContinuation<EngineResponse, any Error>?
        var isCancelled = false
        /// Set while libcurl works on it.
        private(set) var handle: CurlHandle?

        private var status = 0
        private var headerBytes: [UInt8] = []
        private var body = Data()
        private var failure: EngineError?
        private var lastActivity: UInt64 = 0
        private let inactivityLimit: UInt64

        private var upload: UploadSource?
        private var output: EngineFile?
        private var received: Int64 = 0
        private var expected: Int64?
        private var lastProgress: UInt64 = 0

        /// Throws `EngineError` for a request that cannot be sent.
        init(_ request: EngineRequest) throws {
            try Self.check(request)
            self.request = request
            let nanoseconds = max(0, request.inactivityTimeout) * 1_000_000_000
            inactivityLimit = nanoseconds < 9e18 ? UInt64(nanoseconds) : 9_000_000_000_000_000_000
        }

        /// When to give up, unless something moves before.
        var deadline: UInt64 { lastActivity &+ inactivityLimit }

        // MARK: Life

        /// Sets the handle up. Returns why it cannot be used.
        func begin(on handle: CurlHandle) -> EngineError? {
            lastActivity = MonotonicClock.nanoseconds
            var isLarge = false
            do {
                switch request.body {
                case .none: break
                case .bytes(let data) where data.count <= Self.smallBody:
                    upload = .memory(data)
                case .bytes(let data):
                    upload = .stream(data, position: 0)
                    isLarge = true
                case .file(let url):
                    upload = .file(try InputFile(url), position: 0)
                    isLarge = true
                }
            } catch let error as EngineError {
                return error
            } catch {
                return EngineError(kind: .file, mayHaveReachedNode: false, message: error.localizedDescription)
            }
            if case .file = request.sink { isLarge = true }
            guard handle.prepare(request, hasBody: upload != nil, largeBuffers: isLarge) else {
                return EngineError(
                    kind: .invalidRequest, mayHaveReachedNode: false, message: "The request cannot be sent")
            }
            switch upload {
            case nil: break
            case .memory(let data): handle.setBody(data)
            case .stream(let data, _): handle.setStreamedBody(data.count)
            case .file(let file, _): handle.setStreamedBody(file.size)
            }
            self.handle = handle
            handle.transfer = self
            return nil
        }

        /// Gives the handle back.
        func release() {
            handle?.transfer = nil
            handle = nil
            upload = nil
        }

        func finish(_ outcome: Result<EngineResponse, EngineError>) {
            switch outcome {
            case .success(let response):
                continuation?.resume(returning: response)
                continuation = nil
            case .failure(let error): fail(error)
            }
        }

        /// Nil means cancelled.
        func fail(_ error: EngineError?) {
            output?.discard()
            output = nil
            continuation?.resume(throwing: error ?? CancellationError())
            continuation = nil
        }

        // MARK: Callbacks

        func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
            lastActivity = MonotonicClock.nanoseconds
            // Each status line begins anew: a 100 may come before the answer, trailers only after it.
            if line.starts(with: "HTTP/".utf8) {
                headerBytes.removeAll(keepingCapacity: true)
                status = Self.status(of: line)
            }
            headerBytes.append(contentsOf: line)
            return line.count
        }

        func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            lastActivity = MonotonicClock.nanoseconds
            if received == 0 { expected = contentLength }
            received += Int64(bytes.count)
            switch request.sink {
            case .memory(let limit):
                guard body.count + bytes.count <= limit else {
                    failure = EngineError(
                        kind: .tooLarge, mayHaveReachedNode: true,
                        message: "The answer is larger than the limit of \(limit) bytes")
                    return 0
                }
                body.append(contentsOf: bytes)
            case .file(let url):
                guard 200..<300 ~= status else {
                    body.append(contentsOf: bytes.prefix(HTTPError.bodyTextLimit - body.count))
                    break
                }
                do {
                    let file = try output ?? EngineFile(creating: url)
                    output = file
                    try file.write(bytes)
                } catch {
                    failure = error as? EngineError
                    return 0
                }
            }
            report(request.downloadProgress, completed: received, total: expected)
            return bytes.count
        }

        func provideBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            lastActivity = MonotonicClock.nanoseconds
            do {
                guard let count = try upload?.read(into: buffer) else { return 0 }
                report(request.uploadProgress, completed: Int64(upload?.position ?? 0), total: (upload?.size).map(Int64.init))
                return count
            } catch {
                failure = error as? EngineError
                return Int(CURL_READFUNC_ABORT)
            }
        }

        func rewind(to offset: Int) -> Bool {
            // Asked only when libcurl is about to send the request again.
            guard !request.sendAtMostOnce, upload != nil else { return false }
            upload?.position = offset
            return true
        }

        private func report(_ progress: (@Sendable (TransferProgress) -> Void)?, completed: Int64, total: Int64?) {
            guard let progress else { return }
            guard lastActivity &- lastProgress >= 100_000_000 || completed == total else { return }
            lastProgress = lastActivity
            progress(TransferProgress(completed: completed, total: total))
        }

        // MARK: Outcome

        func outcome(_ code: CURLcode) -> Result<EngineResponse, EngineError> {
            if let failure { return .failure(failure) }
            guard code == CURLE_OK else { return .failure(error(code)) }
            guard status >= 200 else {
                return .failure(
                    EngineError(kind: .connectionLost, mayHaveReachedNode: true, message: "Non-HTTP response"))
            }
            if case .file(let url) = request.sink, 200..<300 ~= status {
                do {
                    // An empty body is a file, too.
                    let file = try output ?? EngineFile(creating: url)
                    output = nil
                    try file.close()
                } catch {
                    return .failure(
                        error as? EngineError
                            ?? EngineError(kind: .file, mayHaveReachedNode: true, message: "\(error)"))
                }
            }
            if let progress = request.downloadProgress, received > 0, received != expected {
                progress(TransferProgress(completed: received, total: expected))
            }
            return .success(EngineResponse(status: status, headers: HeaderBlock.parse(headerBytes), body: body))
        }

        var timeoutError: EngineError {
            EngineError(
                kind: .timedOut, mayHaveReachedNode: wasSent,
                message: "Nothing moved for \(request.inactivityTimeout) seconds")
        }

        /// Whether a byte of the request left.
        private var wasSent: Bool {
            guard let handle else { return true }
            var size = 0
            return merokit_curl_get_long(handle.easy, CURLINFO_REQUEST_SIZE, &size) != CURLE_OK || size > 0
        }

        private func error(_ code: CURLcode) -> EngineError {
            let wasSent = wasSent
            let kind: EngineError.Kind
            switch code {
            case CURLE_OPERATION_TIMEDOUT: kind = .timedOut
            case CURLE_URL_MALFORMAT: kind = .invalidRequest
            case CURLE_READ_ERROR, CURLE_ABORTED_BY_CALLBACK, CURLE_WRITE_ERROR: kind = .file
            default: kind = wasSent ? .connectionLost : .unreachable
            }
            return EngineError(kind: kind, mayHaveReachedNode: wasSent, message: String(cString: curl_easy_strerror(code)))
        }

        private var contentLength: Int64? {
            guard let handle else { return nil }
            var length = 0
            guard merokit_curl_get_offset(handle.easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length) == CURLE_OK, length >= 0
            else { return nil }
            return Int64(length)
        }

        private static func status(of line: UnsafeRawBufferPointer) -> Int {
            guard let space = line.firstIndex(of: 0x20), space + 3 < line.count else { return 0 }
            var status = 0
            for byte in line[(space + 1)...(space + 3)] {
                guard 0x30...0x39 ~= byte else { return 0 }
                status = status * 10 + Int(byte - 0x30)
            }
            return status
        }

        /// Whatever could end a header line early, or name another method, would forge a request.
        private static func check(_ request: EngineRequest) throws {
            func isToken(_ text: String) -> Bool {
                !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !#"()<>@,;:\"/[]?={}"#.utf8.contains($0) }
            }
            func isLine(_ text: String) -> Bool { !text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f } }
            let isSound =
                isToken(request.method) && (request.url.hasPrefix("http://") || request.url.hasPrefix("https://"))
                && request.url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
                && request.headers.allSatisfy { isToken($0.name) && isLine($0.value) }
            guard isSound else {
                throw EngineError(
                    kind: .invalidRequest, mayHaveReachedNode: false,
                    message: "The method, URL or a header holds a character that is not allowed there")
            }
        }
    }
#endif
