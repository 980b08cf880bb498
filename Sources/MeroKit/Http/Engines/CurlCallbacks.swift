#if canImport(CCurl)
    import CCurl
    import Glibc

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

        static let beforeRequest: curl_prereq_callback = { context, _, _, _, localPort in
            guard let handle = handle(context), handle.willSend(from: localPort) else { return CURL_PREREQFUNC_ABORT }
            return CURL_PREREQFUNC_OK
        }

        /// A socket that the processes which the program starts do not inherit. Such a process would keep the connection open
        /// when it has been closed here.
        static let openSocket: curl_opensocket_callback = { _, _, address in
            guard let address = address?.pointee else { return CURL_SOCKET_BAD }
            return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.`protocol`)
        }

        static func handle(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
            // The event loop keeps every handle alive for longer than libcurl uses it.
            context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
        }
    }
#endif
