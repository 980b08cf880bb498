import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension EngineRequest {
    /// The request in Foundation's form, without its body.
    ///
    /// - Throws: `EngineError.Kind.invalidRequest` for anything that would not be sent as it stands.
    func urlRequest() throws -> URLRequest {
        guard let url = URL(string: url), url.absoluteString == self.url, let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", url.host?.isEmpty == false
        else { throw EngineError.invalidRequest("The URL cannot be sent as it stands") }
        guard Self.isToken(method) else { throw EngineError.invalidRequest("Not an HTTP method") }
        for (name, value) in headers {
            guard Self.isToken(name) else { throw EngineError.invalidRequest("Not a header name") }
            guard !value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw EngineError.invalidRequest("The header \(name) holds a line break or a NUL")
            }
        }
        if case .none = body {
        } else if method == "GET" || method == "HEAD" {
            throw EngineError.invalidRequest("\(method) cannot carry a body")
        }
        var result = URLRequest(url: url)
        result.httpMethod = method
        result.httpShouldHandleCookies = false
        result.cachePolicy = .useProtocolCachePolicy
        // Whole seconds on Linux, and only a second line behind the engine's own timer.
        result.timeoutInterval = inactivityTimeout.rounded(.up) + 60
        for (name, value) in headers { result.addValue(value, forHTTPHeaderField: name) }
        if case .none = body {
        } else if result.value(forHTTPHeaderField: "Content-Type") == nil {
            // Otherwise Foundation says that the body is a web form.
            result.setValue("", forHTTPHeaderField: "Content-Type")
        }
        return result
    }

    /// Whether `text` is a token of RFC 9110, section 5.6.2: what methods and header names are made of.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    return true
                default:
                    return "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
