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
    }
#endif
