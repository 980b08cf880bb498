#if canImport(CCurl)
    import CCurl
    import Foundation

    /// Which certificate authorities an engine trusts.
    enum CurlAuthorities: Hashable, Sendable {
        /// The system's own list.
        case system
        /// The system's, and those of this PEM file.
        case additional(path: String)
        /// Those of this PEM file instead of the system's.
        case only(path: String)

        /// An explicit file wins over `SSL_CERT_FILE`, which libcurl itself does not read.
        init(file: URL?, environment: [String: String]) {
            if let file {
                self = .additional(path: file.path)
            } else if let path = environment["SSL_CERT_FILE"], !path.isEmpty {
                self = .only(path: path)
            } else {
                self = .system
            }
        }

        func apply(to easy: UnsafeMutableRawPointer) {
            switch self {
            case .system:
                // libcurl keeps a parsed list for later connections only when no folder is set beside it, and reading
                // the system's list takes longer than the rest of a handshake.
                var file: UnsafeMutablePointer<CChar>?
                merokit_curl_get_string(easy, CURLINFO_CAINFO, &file)
                if let file, access(file, R_OK) == 0 { merokit_curl_set_string(easy, CURLOPT_CAPATH, nil) }
            case .additional(let path):
                // The system's own authorities are still found through its folder of certificates.
                merokit_curl_set_string(easy, CURLOPT_CAINFO, path)
            case .only(let path):
                merokit_curl_set_string(easy, CURLOPT_CAINFO, path)
                merokit_curl_set_string(easy, CURLOPT_CAPATH, nil)
            }
        }
    }
#endif
