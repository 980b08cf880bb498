#if canImport(CCurl)
    import CCurl
    import Foundation

    /// What libcurl is told about the calls of a handle.
    extension CurlHandle {
        /// What is the same for all calls.
        func setConstants(_ authorities: CurlAuthorities) {
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

            CurlLibrary.setRules(of: easy, authorities)
            merokit_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
            merokit_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
            merokit_curl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            merokit_curl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "")
        }

        /// What differs from the call before.
        func apply(_ request: EngineRequest) throws {
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
            setFresh(request.sendAtMostOnce)
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

        func setFresh(_ isFresh: Bool) {
            guard isFresh != applied.isFresh else { return }
            merokit_curl_set_long(easy, CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
            applied.isFresh = isFresh
        }

        func setForbidsReuse(_ forbids: Bool) {
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
