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
        // Either case, as the standard for URLs has it.
        let scheme = url.prefix(8).lowercased().hasPrefix("https://") ? "https" : "http"
        guard url.prefix(scheme.count + 3).lowercased() == scheme + "://" else { return nil }
        let rest = url.dropFirst(scheme.count + 3)
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        guard let (host, port) = Self.hostAndPort(rest[..<authorityEnd]) else { return nil }
        self.init(
            prefix: "\(scheme)://\(rest[..<authorityEnd])", tail: String(rest[authorityEnd...]),
            origin: Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80)))
    }

    /// Joins an authority that was checked before with a path, query included; nil when it could not be sent.
    init?(prefix: String, tail: String, origin: Origin) {
        var end = tail.utf8.endIndex
        var pathEnd: String.Index?
        for index in tail.utf8.indices {
            let byte = tail.utf8[index]
            guard byte > 0x20 && byte < 0x7f else { return nil }
            if byte == UInt8(ascii: "#") {
                // A fragment never goes on the wire.
                end = index
                break
            }
            if byte == UInt8(ascii: "?"), pathEnd == nil { pathEnd = index }
        }
        self.url = prefix + tail[..<end]
        self.path = String(tail[..<(pathEnd ?? end)])
        self.origin = origin
    }

    /// Path and query, as they stand in `url`.
    var tail: Substring {
        let rest = url.dropFirst(origin.scheme.count + 3)
        return rest[(rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex)...]
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
    /// Scheme and authority, as they stand in the URL.
    private let authority: String
    /// The base's own path, without its one trailing slash.
    private let prefix: String
    /// Nil when the base is no `http` or `https` URL, or has more than a path: then every call fails with `Invalid URL`.
    let origin: RequestTarget.Origin?

    /// Bytes. No node reads one so long, and what an HTTP stack says to it is hard to understand.
    private static let longestPath = 1 << 20

    init(_ url: URL) {
        let string = url.absoluteString
        let text = string.hasSuffix("/") ? String(string.dropLast()) : string
        // Whatever followed a query would be part of it.
        let target = text.contains { $0 == "?" || $0 == "#" } ? nil : RequestTarget(text)
        origin = target?.origin
        prefix = target?.path ?? ""
        authority = target.map { String($0.url.dropLast($0.path.count)) } ?? ""
        self.text = authority + prefix
    }

    /// Joins as strings, without re-encoding and without resolving `..`; an absolute path is taken as it is.
    /// Throws `MeroError.network("Invalid URL: <path>")`. Spec: 10, section 2.2.
    func target(for path: String) throws -> RequestTarget {
        guard path.utf8.count <= Self.longestPath else {
            throw MeroError.network("The URL is too long: \(path.utf8.count) bytes, at most \(Self.longestPath)")
        }
        let target: RequestTarget?
        if path.hasPrefix("http://") || path.hasPrefix("https://") {
            target = RequestTarget(path)
        } else if let origin {
            let tail = prefix + (path.hasPrefix("/") ? path : "/" + path)
            target = RequestTarget(prefix: authority, tail: tail, origin: origin)
        } else {
            target = nil
        }
        guard let target else { throw MeroError.network("Invalid URL: \(path)") }
        return target
    }

    /// The base as text, without a slash at the end.
    let text: String

    /// Path and query below the base, beginning with a slash; nil when the absolute URL leads elsewhere.
    func below(_ url: String) -> String? {
        if let tail = plainTail(of: url) { return tail }
        guard let target = RequestTarget(url), target.origin == origin, target.path.hasPrefix(prefix + "/") else {
            return nil
        }
        return String(target.tail.dropFirst(prefix.count))
    }

    /// The same for what `target(for:)` has joined to this base, which is nearly every URL, without taking it apart again.
    private func plainTail(of url: String) -> String? {
        guard origin != nil, url.utf8.starts(with: text.utf8) else { return nil }
        let tail = url.utf8.dropFirst(text.utf8.count)
        guard tail.first == UInt8(ascii: "/"), tail.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") })
        else { return nil }
        return String(tail)
    }

    /// The path below the base URL's own prefix, nil when the target lies elsewhere.
    func relativePath(of target: RequestTarget) -> Substring? {
        guard target.origin == origin, target.path.hasPrefix(prefix) else { return nil }
        return target.path.dropFirst(prefix.count)
    }
}
