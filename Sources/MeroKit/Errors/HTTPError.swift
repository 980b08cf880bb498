import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An HTTP answer that is not a success.
///
/// Spec: 10, section 1.2.
public struct HTTPError: Error, Sendable, Equatable {
    /// The HTTP status code.
    public let status: Int
    /// The English reason phrase, the same in every locale (`"Not Found"`).
    public let statusText: String
    /// The absolute URL that was requested. It never carries a token.
    public let url: String
    /// The response headers, names in lower case.
    public let headers: [String: String]
    /// The first 65,536 bytes of the body as UTF-8 (invalid bytes replaced), nil when the body is empty.
    public let bodyText: String?
    /// True when a sealed transport got this answer unsealed: anybody on the way may have written it, so that nothing may
    /// be concluded from it but that the call failed. Spec: 80, section 1.7.
    public internal(set) var cameInTheClear = false

    /// `"HTTP <status> <statusText>"`.
    public var message: String { "HTTP \(status) \(statusText)" }

    /// An answer; `url` must not hold credentials, since errors are logged.
    public init(status: Int, statusText: String, url: String, headers: [String: String], bodyText: String? = nil) {
        self.status = status
        self.statusText = statusText
        self.url = url
        self.headers = headers
        self.bodyText = bodyText
    }
}

extension HTTPError {
    /// What the node said in the body, nil when the body is not a JSON object with a refusal in it.
    public var refusal: ErrorRefusal? { cameInTheClear ? nil : bodyText.flatMap(ErrorRefusal.init(bodyText:)) }

    /// How much of an error body is kept.
    static let bodyTextLimit = 65_536

    /// Builds the error from an answer, keeping the beginning of its body.
    init(status: Int, url: String, headers: [String: String], body: Data) {
        self.init(
            status: status, statusText: Self.reasonPhrase(for: status), url: url, headers: headers,
            bodyText: body.isEmpty ? nil : String(decoding: body.prefix(Self.bodyTextLimit), as: UTF8.self))
    }

    /// A fixed English table: Foundation's phrase depends on the locale and, for some codes, on the platform.
    static func reasonPhrase(for status: Int) -> String {
        switch status {
        case 400: return "Bad Request"
        case 401: return "Unauthorized"
        case 403: return "Forbidden"
        case 404: return "Not Found"
        case 405: return "Method Not Allowed"
        case 409: return "Conflict"
        case 410: return "Gone"
        case 413: return "Payload Too Large"
        case 415: return "Unsupported Media Type"
        case 422: return "Unprocessable Entity"
        case 426: return "Upgrade Required"
        case 429: return "Too Many Requests"
        case 500: return "Internal Server Error"
        case 501: return "Not Implemented"
        case 502: return "Bad Gateway"
        case 503: return "Service Unavailable"
        case 504: return "Gateway Timeout"
        default: return HTTPURLResponse.localizedString(forStatusCode: status).capitalized
        }
    }
}
