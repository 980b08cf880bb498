#if canImport(CCurl)
    import CCurl

    /// The library as a whole.
    enum CurlLibrary {
        /// Whether libcurl is set up in this process; the first use sets it up.
        static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

        /// Whether one easy handle may carry call after call.
        ///
        /// Before 8.2 it may not: libcurl keeps pointing at the last header line of the answer before, which it has freed, and
        /// writes there when the next answer's head begins with a folded line. Any server could destroy the heap like that.
        /// A copy of the handle points nowhere.
        static let canReuseHandles: Bool = {
            guard let version = curl_version_info(CURLVERSION_FIRST) else { return false }
            return version.pointee.version_num >= 0x080200
        }()

        /// What holds for every connection, whatever it is for: whom to trust, what may be spoken, and what stays at home.
        static func setRules(of easy: UnsafeMutableRawPointer, _ authorities: CurlAuthorities) {
            merokit_curl_set_socket_callback(easy, CurlCallbacks.openSocket)
            merokit_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
            // Do not wait for a name look-up that nobody needs any more.
            merokit_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
            merokit_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
            // A user and password in the URL are not turned into a header.
            merokit_curl_set_long(easy, CURLOPT_HTTPAUTH, 0)
            merokit_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            merokit_curl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
            merokit_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
            merokit_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
            merokit_curl_set_long(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            authorities.apply(to: easy)
        }
    }
#endif
