#if canImport(CCurl)
    import Foundation

    /// What may be handed to libcurl. It sends URLs and header lines as they stand, so everything that could break out
    /// of its line is refused here, before anything is sent.
    enum CurlRequestRules {
        static func check(_ request: EngineRequest) throws {
            guard isURL(request.url) else { throw EngineError.invalidRequest("Not an absolute http or https URL") }
            guard CurlHeaderLines.isToken(request.method), request.method != "CONNECT" else {
                throw EngineError.invalidRequest("Not a request method")
            }
            if request.method == "HEAD", request.hasBody {
                throw EngineError.invalidRequest("A HEAD request carries no body")
            }
            for (name, value) in request.headers {
                // The text of a refused header may be a secret: it is not repeated.
                guard CurlHeaderLines.isToken(name) else { throw EngineError.invalidRequest("Not a header name") }
                guard CurlHeaderLines.isValue(value) else {
                    throw EngineError.invalidRequest("The value of the header \(name) holds a line break or a NUL")
                }
            }
        }

        /// The rest of the URL's syntax is libcurl's to judge; it would guess a missing scheme, though.
        private static func isURL(_ url: String) -> Bool {
            guard hasPrefix(url.utf8, "http://") || hasPrefix(url.utf8, "https://") else { return false }
            var url = url
            return url.withUTF8 { bytes in bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
        }

        private static func hasPrefix(_ bytes: String.UTF8View, _ prefix: StaticString) -> Bool {
            prefix.withUTF8Buffer { wanted in
                bytes.prefix(wanted.count).elementsEqual(wanted) { byte, lower in
                    byte == lower || (byte | 0x20 == lower && lower >= UInt8(ascii: "a"))
                }
            }
        }
    }

    extension EngineRequest {
        var hasBody: Bool {
            if case .none = body { return false }
            return true
        }
    }
#endif
