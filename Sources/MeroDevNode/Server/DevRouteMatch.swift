/// Which requests a fault or a count speaks of.
///
/// ```swift
/// node.inject(.status(503), on: "POST /jsonrpc")
/// node.inject(.stall, on: "/auth/*")
/// node.inject(.cutAfterHandler, on: "POST /admin-api/contexts/*/intents")
/// ```
public struct DevRouteMatch: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The method, or nil for every method.
    public let method: String?
    /// The percent-encoded path without query; a trailing `*` stands for any rest, a segment `*` before it for any one
    /// segment.
    public let path: String

    /// Every request.
    public static var any: DevRouteMatch { DevRouteMatch(nil, "*") }

    /// - Parameters:
    ///   - method: upper case, or nil for every method.
    ///   - path: percent-encoded as on the wire, exact or with `*` (see ``path``).
    public init(_ method: String?, _ path: String) {
        self.method = method
        self.path = path
    }

    /// `"METHOD /path"` or `"/path"`, the path as in ``init(_:_:)``.
    public init(stringLiteral value: String) {
        if let space = value.firstIndex(of: " ") {
            self.init(String(value[..<space]), String(value[value.index(after: space)...]))
        } else {
            self.init(nil, value)
        }
    }

    var isExact: Bool { method != nil && !path.hasSuffix("*") && !path.contains("/*/") }

    func matches(method other: String, path otherPath: String) -> Bool {
        if let method, method != other { return false }
        guard path.contains("/*/") else {
            return path.hasSuffix("*") ? otherPath.hasPrefix(path.dropLast()) : path == otherPath
        }
        let wanted = path.split(separator: "/", omittingEmptySubsequences: false)
        let given = otherPath.split(separator: "/", omittingEmptySubsequences: false)
        let isOpen = path.hasSuffix("*")
        guard isOpen ? given.count >= wanted.count : given.count == wanted.count else { return false }
        return zip(wanted, given).enumerated().allSatisfy { index, pair in
            if isOpen && index == wanted.count - 1 { return pair.1.hasPrefix(pair.0.dropLast()) }
            return pair.0 == "*" ? !pair.1.isEmpty : pair.0 == pair.1
        }
    }
}
