import Foundation
import MeroKit

/// What a sealed request holds: a head as JSON behind its length, and the body.
///
/// Spec: 80, sections 1.3 and 1.8.
struct SealedInnerRequest {
    private let method: String
    private let target: String
    private let headers: [(String, String)]
    private let body: Data

    private static let largestHead = 65_536
    /// The outer request's count, or nobody's.
    private static let outer = ["host", "x-forwarded-host", "origin"]
    /// Hops, those of the outer request, and what only a proxy may say of the caller.
    private static let dropped = Set(
        ["connection", "content-length", "host", "transfer-encoding"] + outer
            + ["x-auth-user", "x-auth-permissions", "x-auth-account", "x-auth-device"])

    init(_ bytes: [UInt8]) throws {
        guard bytes.count >= 4 else { throw Self.malformed("no head") }
        let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.largestHead, length <= bytes.count - 4 else { throw Self.malformed("the head's length") }
        guard let tree = try? JsonParser.parse(Data(bytes[4..<(4 + length)])),
            let fields = try? JsonFields(tree, allowed: ["method", "path", "headers"]),
            let method = try? fields.string("method"), let target = try? fields.string("path")
        else { throw Self.malformed("the head is not JSON of its form") }
        guard target.hasPrefix("/") else { throw Self.malformed("the path has no slash") }
        guard !method.isEmpty, Self.holds(method, only: { 0x21...0x7e ~= $0 }),
            Self.holds(target, only: { 0x21...0x7e ~= $0 })
        else { throw Self.malformed("the method or the path cannot be sent") }
        var headers: [(String, String)] = []
        if let list = fields.optional("headers") {
            guard case .array(let pairs) = list else { throw Self.malformed("headers are a list") }
            for pair in pairs {
                guard case .array(let parts) = pair, parts.count == 2, let name = parts[0].stringValue,
                    let value = parts[1].stringValue, !name.isEmpty
                else { throw Self.malformed("a header is a name and a value") }
                guard Self.holds(value, only: { 0x20...0x7e ~= $0 || $0 == 0x09 }) else {
                    throw Self.malformed("a header is not ASCII")
                }
                headers.append((name.lowercased(), value))
            }
        }
        self.method = method
        self.target = target
        self.headers = headers
        body = Data(bytes[(4 + length)...])
    }

    func request(within outer: DevHttpRequest, prefix: String) -> DevHttpRequest {
        var own: [String: String] = [:]
        for (name, value) in headers where !Self.dropped.contains(name) {
            own[name] = own[name].map { $0 + (name == "cookie" ? "; " : ", ") + value } ?? value
        }
        for name in Self.outer { own[name] = outer.headers[name] }
        own["content-length"] = String(body.count)
        let (path, query) = RequestHead.split(prefix + target)
        return DevHttpRequest(
            method: method, path: path, query: query.map(RequestHead.decodeQuery) ?? [], rawTarget: prefix + target,
            headers: own, body: body, peer: outer.peer, faultHint: outer.faultHint)
    }

    private static func holds(_ text: String, only isAllowed: (UInt8) -> Bool) -> Bool {
        var text = text
        return text.withUTF8 { $0.allSatisfy(isAllowed) }
    }

    private static func malformed(_ what: String) -> SealedRefusal { SealedRefusal(400, "malformed", what) }
}
