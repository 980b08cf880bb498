#if canImport(CCurl)
    import CCurl

    /// What the easy handles of one engine have in common: the TLS sessions, with which a new connection to a server costs
    /// less than the first. Only whoever drives the event loop comes here, so libcurl needs no locks for it.
    final class CurlShare {
        private let share = curl_share_init()

        init() { merokit_curl_share_set_long(share, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_SSL_SESSION.rawValue)) }

        /// Fails, and changes nothing, while a handle is still joined.
        deinit { curl_share_cleanup(share) }

        func join(_ easy: UnsafeMutableRawPointer) { merokit_curl_set_pointer(easy, CURLOPT_SHARE, share) }
    }
#endif
