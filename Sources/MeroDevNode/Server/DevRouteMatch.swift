/// Which requests a fault or a count speaks of.
///
/// ```swift
/// node.inject(.status(503), on: "POST /jsonrpc")
/// node.inject(.stall, on: "/auth/*")
/// ```
public struct DevRouteMatch: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The method, or nil for every method.
    public let method: String?
    /// The percent-encoded path without query; a trailing `*` stands for any rest.
    public let path: String

    /// Every request.
    public static var any: DevRouteMatch { DevRouteMatch(nil, "*") }

    /// - Parameters:
    ///   - method: upper case, or nil for every method.
    ///   - path: percent-encoded as on the wire, exact or with a trailing `*`.
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

    var isExact: Bool { method != nil && !path.hasSuffix("*") }

    func matches(method other: String, path otherPath: String) -> Bool {
        if let method, method != other { return false }
        return path.hasSuffix("*") ? otherPath.hasPrefix(path.dropLast()) : path == otherPath
    }
}
