/// The opening handshake of RFC 6455, section 4, the client's side of it.
struct WebSocketHandshake {
    private let key: String
    private let target: RequestTarget

    init(_ target: WebSocketTarget) {
        self.target = target.http
        key = Base64.encode(SecureRandom.bytes(16))
    }

    /// The request. No `Origin`: that belongs to browsers, and nodes refuse those that they do not know.
    ///
    /// Throws `MeroError.network` for a token that cannot stand in a header.
    func request(token: String) throws -> [UInt8] {
        guard token.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw MeroError.network("The access token holds a character that no header can carry")
        }
        // What stands between the scheme and the path. A query without a path is none that a base URL can lead to.
        let afterScheme = target.url.dropFirst(target.origin.scheme.utf8.count + 3)
        let slash = afterScheme.firstIndex(of: "/") ?? afterScheme.endIndex
        let lines = [
            "GET \(slash == afterScheme.endIndex ? "/" : afterScheme[slash...]) HTTP/1.1",
            "Host: \(afterScheme[..<slash])",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: \(key)",
            "Authorization: Bearer \(token)",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Nil when an answer with the status 101 and these headers opens the connection, else what is wrong with it.
    func problem(with headers: [String: String]) -> String? {
        guard headers["upgrade"]?.lowercased() == "websocket",
            headers["connection"]?.lowercased().split(separator: ",").contains(where: { $0.trimmed == "upgrade" })
                == true
        else { return "The answer switches to another protocol" }
        guard headers["sec-websocket-accept"] == Self.accept(for: key) else {
            return "The answer does not belong to the request for a WebSocket"
        }
        guard headers["sec-websocket-extensions"] == nil, headers["sec-websocket-protocol"] == nil else {
            return "The answer uses an extension that was not offered"
        }
        return nil
    }

    static func accept(for key: String) -> String {
        Base64.encode(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}

private enum Base64 {
    /// The standard alphabet, padded.
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
