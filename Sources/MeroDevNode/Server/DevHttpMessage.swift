import Foundation

/// A request as it arrived, its body read to the end.
package struct DevHttpRequest: Sendable {
    /// As sent; `HEAD` stays `HEAD`.
    package var method: String
    /// Percent-encoded exactly as sent, without the query.
    package var path: String
    /// Decoded (`+` is a space); a name without `=` has no value.
    package var query: [(String, String?)]
    /// The request target as sent, query included.
    package var rawTarget: String
    /// Lower-cased names; values of a repeated name are joined with `", "` (`"; "` for `cookie`).
    package var headers: [String: String]
    /// Empty when the body was spooled.
    package var body: Data
    /// A body larger than the spool threshold. The file is removed once the handler has returned; a handler that wants to
    /// keep it renames it.
    package var bodyFile: URL?
    /// The size of the body wherever it lies.
    package var bodyLength: UInt64
    /// `address:port` of the client.
    package var peer: String
    /// A fault that only the node's logic can act out.
    package var faultHint: DevFaultHint?

    package init(
        method: String, path: String, query: [(String, String?)] = [], rawTarget: String? = nil,
        headers: [String: String] = [:], body: Data = Data(), bodyFile: URL? = nil, bodyLength: UInt64? = nil,
        peer: String = "", faultHint: DevFaultHint? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.rawTarget = rawTarget ?? path
        self.headers = headers
        self.body = body
        self.bodyFile = bodyFile
        self.bodyLength = bodyLength ?? UInt64(body.count)
        self.peer = peer
        self.faultHint = faultHint
    }
}

/// Faults that the server hands on because they need knowledge of tokens.
package enum DevFaultHint: Sendable, Equatable {
    /// Answer 401 with `x-auth-error: token_expired`, whatever the token.
    case tokenExpired
    /// Revoke the key of the caller, then let the guard judge.
    case revokeFamily
}

/// What a handler answers.
package struct DevHttpResponse: Sendable {
    package var status: Int
    /// In order; a name may repeat. `Content-Length` is only taken for an answer to HEAD, else it follows from the body.
    package var headers: [(String, String)]
    package var body: DevHttpBody
    /// False when the request was refused before its effect (guard, unknown route), so that `handlerRuns` stays truthful.
    package var handlerRan: Bool
    /// What else ran, where a request carried another one inside.
    package var innerRun: (method: String, path: String)?

    package init(
        status: Int, headers: [(String, String)] = [], body: DevHttpBody = .none, handlerRan: Bool = true
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.handlerRan = handlerRan
    }
}

extension DevHttpResponse {
    /// As it is written without a server's help, whole, with the connection over behind it.
    var lastOfItsConnection: Data {
        var bytes = Data()
        if case .bytes(let body) = body { bytes = body }
        var head = "HTTP/1.1 \(status) Refused\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += "Connection: close\r\nContent-Length: \(bytes.count)\r\n\r\n"
        return Data(head.utf8) + bytes
    }
}

/// The bytes of an answer.
package enum DevHttpBody: Sendable {
    case none
    case bytes(Data)
    /// Part of a file, opened when the handler has returned; it may be unlinked after that.
    case file(URL, offset: UInt64 = 0, length: UInt64)
    /// Made as it is sent.
    case content(any DevHttpContent)
    /// Chunked, for as long as the producer likes.
    case stream(DevHttpStream)
    /// The connection changes over to another protocol. Only for the status 101, with an `Upgrade` header.
    case upgrade(any DevUpgradedProtocol)
}

/// A body of known length that comes into being as it is sent.
package protocol DevHttpContent: AnyObject, Sendable {
    /// Bytes in all.
    var length: UInt64 { get }

    /// Fills the buffer with the next bytes. Called on the thread that serves all connections, so it must wait for nothing
    /// but a disk.
    ///
    /// - Returns: how many, fewer only at the end; nil drops the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
}
