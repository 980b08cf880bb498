import Foundation

extension DevHttpResponse {
    static func json(_ status: Int, _ tree: JsonTree, headers: [(String, String)] = []) -> DevHttpResponse {
        DevHttpResponse(
            status: status, headers: [("Content-Type", "application/json")] + headers, body: .bytes(tree.data))
    }

    static func text(_ status: Int, _ text: String) -> DevHttpResponse {
        DevHttpResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Data(text.utf8)))
    }

    /// What the guard and the router answer: a status, perhaps a header, never a body.
    static func refused(_ status: Int, authError: String? = nil) -> DevHttpResponse {
        DevHttpResponse(
            status: status, headers: authError.map { [("x-auth-error", $0)] } ?? [], body: .none, handlerRan: false)
    }

    /// What a client key hears that is bound to something else. Spec: 30, section 12.3.
    static func outOfBinding(_ what: String) -> DevHttpResponse {
        var response = json(
            403, ["error": .string("This key is not permitted to act on this \(what)")],
            headers: [("x-auth-error", "permission_denied")])
        response.handlerRan = false
        return response
    }

    static let bodyTooLarge: DevHttpResponse = {
        var response = text(413, "Failed to buffer the request body: length limit exceeded")
        response.handlerRan = false
        return response
    }()
}

extension DevHttpRequest {
    /// The bytes of the body wherever they lie; nil when a spooled file cannot be read.
    var wholeBody: Data? {
        guard let bodyFile else { return body }
        return try? Data(contentsOf: bodyFile)
    }

    /// The client's address without its port.
    var peerAddress: String {
        guard let colon = peer.lastIndex(of: ":") else { return peer }
        return String(peer[..<colon])
    }

    /// A body that has to be JSON, or the answer to one that is none.
    enum JsonBody {
        case tree(JsonTree)
        case refused(DevHttpResponse)
    }

    /// The body as JSON, checked in the node's order: its type, its length, its text.
    ///
    /// - Parameter limit: How many bytes it may have, nil for what the server takes at all.
    func jsonBody(limit: Int? = nil) -> JsonBody {
        guard hasJsonContentType else {
            return .refused(.text(415, "Expected request with `Content-Type: application/json`"))
        }
        if let limit, bodyLength > UInt64(limit) { return .refused(.bodyTooLarge) }
        guard let body = wholeBody else { return .refused(.text(400, "Failed to buffer the request body")) }
        do {
            return .tree(try JsonParser.parse(body))
        } catch {
            return .refused(.text(400, "Failed to parse the request body as JSON: \(error)"))
        }
    }

    /// `application/json` or a type with the `+json` suffix, parameters aside.
    var hasJsonContentType: Bool {
        guard let header = headers["content-type"] else { return false }
        if header == "application/json" { return true }
        let essence = header.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        return essence == "application/json" || (essence.hasPrefix("application/") && essence.hasSuffix("+json"))
    }

    /// The value of a bearer `Authorization` header; nil for another scheme or an empty token.
    var bearerToken: String? { headers["authorization"].flatMap(Self.bearerToken(in:)) }

    /// Byte by byte: this stands before every call, and Foundation's way takes longer than all the rest of many.
    static func bearerToken(in header: String) -> String? {
        let bytes = header.utf8
        guard bytes.count > 7, bytes.prefix(7).elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 }) else {
            return nil
        }
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = bytes.dropFirst(7).drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return nil }
        return String(start[...last])
    }
}
