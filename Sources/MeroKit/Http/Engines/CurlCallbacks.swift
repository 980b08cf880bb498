#if canImport(CCurl)
    import CCurl

    /// The functions that libcurl calls, each with the handle it was given. All run on the thread that drives the loop.
    enum CurlCallbacks {
        static let body: merokit_curl_data_callback = { bytes, size, count, context in
            let length = size * count
            guard let bytes, let handle = handle(context),
                handle.received(UnsafeRawBufferPointer(start: bytes, count: length))
            else { return length == 0 ? 1 : 0 }
            return length
        }

        static let header: merokit_curl_data_callback = { bytes, size, count, context in
            let length = size * count
            guard let bytes, let handle = handle(context) else { return 0 }
            return bytes.withMemoryRebound(to: UInt8.self, capacity: length) { line in
                handle.received(headerLine: UnsafeBufferPointer(start: line, count: length)) ? length : 0
            }
        }

        static let upload: merokit_curl_data_callback = { buffer, size, count, context in
            guard let buffer, let handle = handle(context),
                let length = handle.send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
            else { return Int(CURL_READFUNC_ABORT) }
            return length
        }

        static let seek: merokit_curl_seek_callback = { context, offset, origin in
            guard origin == SEEK_SET, let handle = handle(context), handle.rewind(to: Int(offset)) else {
                return CURL_SEEKFUNC_FAIL
            }
            return CURL_SEEKFUNC_OK
        }

        static let beforeRequest: curl_prereq_callback = { context, _, _, _, _ in
            guard let handle = handle(context), handle.willSend() else { return CURL_PREREQFUNC_ABORT }
            return CURL_PREREQFUNC_OK
        }

        static func handle(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
            // The event loop keeps every handle alive for longer than libcurl uses it.
            context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
        }
    }
#endif
