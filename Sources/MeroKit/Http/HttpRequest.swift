import Foundation

/// The HTTP methods that a node answers. Raw values are upper case.
public enum HTTPMethod: String, Sendable {
    /// Reads.
    case get = "GET"
    /// Runs something.
    case post = "POST"
    /// Stores or replaces.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
    /// Status and headers alone.
    case head = "HEAD"
}

/// What a request carries.
public enum HttpBody: Sendable {
    /// JSON bytes, already encoded. Sent as `application/json`.
    case json(Data)
    /// Raw bytes of the given content type.
    case data(Data, contentType: String)
    /// A file, read from disk while it is sent and never held in memory as a whole.
    case file(URL, contentType: String)
}

/// How far a transfer has come.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes moved so far.
    public let completed: Int64
    /// Bytes to move in all, nil while unknown.
    public let total: Int64?

    /// Bytes moved, of how many.
    public init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }
}

/// One request, relative to a client's base URL.
///
/// Spec: 10, section 2.1.
public struct HttpRequest: Sendable {
    /// The path under the base URL, query included and already percent-encoded. A full `http://` or `https://` URL is
    /// taken as it is.
    public var path: String
    /// The HTTP method.
    public var method: HTTPMethod
    /// What the request carries; nil is nothing.
    public var body: HttpBody?
    /// Applied last; a name given here wins over the client's own header of that name, whatever its case.
    public var headers: [String: String]
    /// Seconds without any progress before an attempt fails. Nil: the client's own.
    public var timeout: TimeInterval?
    /// True: this request leaves the client exactly once. Neither the retry engine nor the HTTP stack repeats it; the
    /// 401 refresh still does, since a 401 means that the handler did not run.
    public var sendOnce: Bool = false
    /// Called now and then while the body is sent, on no particular thread.
    public var uploadProgress: (@Sendable (TransferProgress) -> Void)?
    /// Called now and then while the answer's body arrives, on no particular thread.
    public var downloadProgress: (@Sendable (TransferProgress) -> Void)?

    /// False for a login: told to slow down (429), it is not repeated by itself.
    var retriesWhenThrottled = true
    /// False for the calls of a relay client, which has rules of its own for what is sent again.
    var isRetried = true
    /// True where the answer is known to be small: the request as a whole takes no longer than `TimeBudget.timeouts`
    /// time-outs. Never for streams, files, or what a contract runs.
    var isBrief = false
    /// Called when the request is sent once more without its caller's doing: to where an answer redirects it, or by the
    /// sealed transport.
    var onResend: (@Sendable () -> Void)?

    /// A request; `sendOnce` and the progress closures are set afterwards.
    public init(
        path: String, method: HTTPMethod = .get, body: HttpBody? = nil, headers: [String: String] = [:],
        timeout: TimeInterval? = nil
    ) {
        self.path = path
        self.method = method
        self.body = body
        self.headers = headers
        self.timeout = timeout
    }
}

/// Status and headers of an answer.
public struct HeadResult: Sendable {
    /// The HTTP status.
    public let status: Int
    /// Names in lower case.
    public let headers: [String: String]

    /// Status, and headers with names in lower case.
    public init(status: Int, headers: [String: String]) {
        self.status = status
        self.headers = headers
    }
}
