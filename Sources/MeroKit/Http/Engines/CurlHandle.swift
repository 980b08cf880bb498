#if canImport(CCurl)
    import CCurl
    import Foundation

    /// A libcurl easy handle that serves one transfer after another.
    ///
    /// What all transfers share is set once; a transfer sets what differs from the one before. Only the loop's thread
    /// touches it.
    final class CurlHandle {
        let easy: UnsafeMutableRawPointer
        /// The transfer that the callbacks work for.
        var transfer: CurlTransfer?
        private var method = ""
        private var isPost: Bool?
        private var headers: [String] = []
        private var headerList: UnsafeMutablePointer<curl_slist>?
        private var isFresh = false
        private var bufferSize = 0

        /// Nil when memory is out.
        init?(certificateAuthorities: String?) {
            guard let easy = curl_easy_init() else { return nil }
            self.easy = easy
            setLong(CURLOPT_NOSIGNAL, 1)
            setLong(CURLOPT_PATH_AS_IS, 1)
            setLong(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
            setLong(CURLOPT_FOLLOWLOCATION, 0)
            setLong(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            setLong(CURLOPT_PIPEWAIT, 1)
            setLong(CURLOPT_TCP_KEEPALIVE, 1)
            setString(CURLOPT_PROTOCOLS_STR, "http,https")
            setString(CURLOPT_ACCEPT_ENCODING, "")
            if let certificateAuthorities { setString(CURLOPT_CAINFO, certificateAuthorities) }
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = merokit_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, CurlCallbacks.header)
            _ = merokit_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
            _ = merokit_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, CurlCallbacks.write)
            _ = merokit_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
            _ = merokit_curl_set_data_callback(easy, CURLOPT_READFUNCTION, CurlCallbacks.read)
            _ = merokit_curl_set_pointer(easy, CURLOPT_READDATA, context)
            _ = merokit_curl_set_seek_callback(easy, CurlCallbacks.seek)
            _ = merokit_curl_set_pointer(easy, CURLOPT_SEEKDATA, context)
        }

        deinit {
            curl_easy_cleanup(easy)
            curl_slist_free_all(headerList)
        }

        /// Prepares the next transfer. False when libcurl refuses the URL or a header.
        func prepare(_ request: EngineRequest, hasBody: Bool, largeBuffers: Bool) -> Bool {
            guard setString(CURLOPT_URL, request.url) else { return false }
            setMethod(request.method, hasBody: hasBody)
            setHeaders(request)
            if isFresh != request.sendAtMostOnce {
                isFresh = request.sendAtMostOnce
                setLong(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
            }
            let size = largeBuffers ? 512 * 1024 : 16 * 1024
            if bufferSize != size {
                bufferSize = size
                setLong(CURLOPT_BUFFERSIZE, size)
                setLong(CURLOPT_UPLOAD_BUFFERSIZE, largeBuffers ? size : 64 * 1024)
            }
            return true
        }

        /// A body always goes as libcurl's POST under the request's own name, which streams it and sends its length.
        private func setMethod(_ method: String, hasBody: Bool) {
            // These three have a body even when it is empty: the other side waits for its length.
            let isPost = hasBody || ["POST", "PUT", "PATCH"].contains(method)
            if self.method != method || self.isPost != isPost {
                self.method = method
                self.isPost = isPost
                setLong(CURLOPT_NOBODY, 0)
                if isPost { setLong(CURLOPT_POST, 1) } else { setLong(CURLOPT_HTTPGET, 1) }
                if method == "HEAD" && !isPost { setLong(CURLOPT_NOBODY, 1) }
                setString(CURLOPT_CUSTOMREQUEST, method)
            }
            if isPost && !hasBody { setBody(Data()) }
        }

        /// A body that libcurl copies, which for a small one is cheaper than calling back.
        func setBody(_ data: Data) {
            _ = merokit_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, data.count)
            data.withUnsafeBytes { bytes in
                // A null address would mean a body read by callback.
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    setString(CURLOPT_COPYPOSTFIELDS, "")
                    return
                }
                _ = merokit_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start)
            }
        }

        /// A body of this many bytes that libcurl asks for as it sends.
        func setStreamedBody(_ size: Int) {
            _ = merokit_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, size)
            _ = merokit_curl_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
        }

        private func setHeaders(_ request: EngineRequest) {
            // A name without a value takes out what libcurl would add by itself.
            var lines = ["Expect:"]
            var hasAccept = false
            var hasContentType = false
            for (name, value) in request.headers {
                lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
                if name.count == 6 { hasAccept = hasAccept || name.lowercased() == "accept" }
                if name.count == 12 { hasContentType = hasContentType || name.lowercased() == "content-type" }
            }
            if !hasAccept { lines.append("Accept:") }
            if !hasContentType { lines.append("Content-Type:") }
            guard lines != headers else { return }
            headers = lines
            curl_slist_free_all(headerList)
            headerList = nil
            for line in lines { headerList = curl_slist_append(headerList, line) ?? headerList }
            _ = merokit_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerList)
        }

        func setLong(_ option: CURLoption, _ value: Int) { _ = merokit_curl_set_long(easy, option, value) }

        @discardableResult
        func setString(_ option: CURLoption, _ value: String) -> Bool {
            merokit_curl_set_string(easy, option, value) == CURLE_OK
        }
    }

    /// What libcurl calls while it works. The context is the `CurlHandle`, which the loop keeps alive meanwhile.
    private enum CurlCallbacks {
        static let header: merokit_curl_data_callback = { bytes, size, count, context in
            guard let transfer = CurlCallbacks.transfer(context), let bytes else { return 0 }
            return transfer.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        static let write: merokit_curl_data_callback = { bytes, size, count, context in
            guard let transfer = CurlCallbacks.transfer(context), let bytes else { return 0 }
            return transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        static let read: merokit_curl_data_callback = { bytes, size, count, context in
            guard let transfer = CurlCallbacks.transfer(context), let bytes else { return Int(CURL_READFUNC_ABORT) }
            return transfer.provideBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        static let seek: merokit_curl_seek_callback = { context, offset, origin in
            guard let transfer = CurlCallbacks.transfer(context), origin == SEEK_SET, transfer.rewind(to: Int(offset))
            else { return Int32(CURL_SEEKFUNC_FAIL) }
            return Int32(CURL_SEEKFUNC_OK)
        }

        private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
            context.flatMap { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue().transfer }
        }
    }
#endif
