import Foundation

/// An absolute URL, kept as the text that goes on the wire, with the parts that decide where credentials may go.
struct RequestTarget: Sendable, Equatable {
    let url: String
    let origin: Origin
    /// The path without query, as it stands in `url`.
    let path: String

    /// Scheme, host and port; two URLs with the same origin may see the same credentials.
    struct Origin: Sendable, Hashable {
        let scheme: String
        let host: String
        let port: Int
    }

    /// Takes an absolute `http` or `https` URL apart; nil when it is none, or could not be sent as it stands.
    init?(_ url: String) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        let scheme: String
        let rest: Substring
        if url.hasPrefix("https://") {
            scheme = "https"
            rest = url.dropFirst(8)
        } else if url.hasPrefix("http://") {
            scheme = "http"
            rest = url.dropFirst(7)
        } else {
            return nil
        }
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        guard let (host, port) = Self.hostAndPort(rest[..<authorityEnd]) else { return nil }
        self.origin = Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80))
        let tail = rest[authorityEnd...]
        let pathEnd = tail.firstIndex { $0 == "?" || $0 == "#" } ?? tail.endIndex
        self.path = String(tail[..<pathEnd])
        // A fragment never goes on the wire.
        self.url = url.firstIndex(of: "#").map { String(url[..<$0]) } ?? url
    }

    /// Credentials in the authority are refused: they would end up in error texts.
    private static func hostAndPort(_ authority: Substring) -> (String, Int?)? {
        guard !authority.contains("@"), !authority.isEmpty else { return nil }
        var host = authority
        var port: Int?
        let bracket = authority.lastIndex(of: "]")
        if let colon = authority.lastIndex(of: ":"), bracket.map({ colon > $0 }) ?? true {
            let digits = authority[authority.index(after: colon)...]
            host = authority[..<colon]
            if !digits.isEmpty {
                guard let number = Int(digits), (1...65_535).contains(number) else { return nil }
                port = number
            }
        }
        guard !host.isEmpty, bracket != nil || !host.contains(":") else { return nil }
        guard host.utf8.allSatisfy({ !#""<>\^`{|}%"#.utf8.contains($0) }) else { return nil }
        return (host.lowercased(), port)
    }
}

/// A client's base URL: where relative paths lead and where its credentials may go.
struct BaseURL: Sendable {
    /// Without its one trailing slash.
    private let text: String
    private let prefix: String
    let origin: RequestTarget.Origin?

    init(_ url: URL) {
        let string = url.absoluteString
        text = string.hasSuffix("/") ? String(string.dropLast()) : string
        let target = RequestTarget(text)
        origin = target?.origin
        prefix = target?.path ?? ""
    }

    /// Joins as strings, without re-encoding and without resolving `..`; an absolute path is taken as it is.
    /// Throws `MeroError.network("Invalid URL: <path>")`. Spec: 10, section 2.2.
    func target(for path: String) throws -> RequestTarget {
        let isAbsolute = path.hasPrefix("http://") || path.hasPrefix("https://")
        let url = isAbsolute ? path : path.hasPrefix("/") ? text + path : text + "/" + path
        guard let target = RequestTarget(url) else { throw MeroError.network("Invalid URL: \(path)") }
        return target
    }

    /// The path below the base URL's own prefix, nil when the target lies elsewhere.
    func relativePath(of target: RequestTarget) -> Substring? {
        guard target.origin == origin, target.path.hasPrefix(prefix) else { return nil }
        return target.path.dropFirst(prefix.count)
    }
}
