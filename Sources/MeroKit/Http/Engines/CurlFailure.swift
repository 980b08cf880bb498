#if canImport(CCurl)
    import CCurl

    extension EngineError {
        /// What a libcurl error means to the layer above.
        ///
        /// - Parameters:
        ///   - wasSent: whether libcurl had begun to send the request; before that no byte of it can have arrived.
        ///   - detail: libcurl's own text on the failure, empty if it gave none.
        init(curlCode code: CURLcode, wasSent: Bool, detail: String) {
            let kind: Kind
            switch code {
            case CURLE_OPERATION_TIMEDOUT:
                kind = .timedOut
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT:
                // After sending, "unsupported protocol" speaks of the answer: HTTP/0.9 or no HTTP at all.
                kind = wasSent ? .connectionLost : .invalidRequest
            default:
                kind = wasSent ? .connectionLost : .unreachable
            }
            let message = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
            self.init(kind: kind, mayHaveReachedNode: wasSent, message: message)
        }
    }
#endif
