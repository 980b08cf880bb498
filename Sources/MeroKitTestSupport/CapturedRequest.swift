import Foundation
import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that a test double saw.
public struct CapturedRequest: Sendable {
    /// The HTTP method, in upper case.
    public let method: String
    /// As it stood in the URL, percent-encoding included.
    public let path: String
    /// Without the question mark, nil when there is none.
    public let query: String?
    /// The body, nil when there was none.
    public let body: Data?
    /// The whole `Authorization` header.
    public let authorization: String?

    /// A request, taken apart.
    public init(method: String, path: String, query: String?, body: Data?, authorization: String? = nil) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.authorization = authorization
    }

    /// The body as JSON, nil when it is none.
    public var jsonBody: JSONValue? {
        body.flatMap { try? MeroJSON.decode(JSONValue.self, from: $0) }
    }

    init(_ request: URLRequest) {
        let components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
        let body = request.bodyBytes
        self.init(
            method: request.httpMethod ?? "GET", path: components?.percentEncodedPath ?? "",
            query: components?.percentEncodedQuery, body: body.isEmpty ? nil : body,
            authorization: request.value(forHTTPHeaderField: "Authorization"))
    }
}
