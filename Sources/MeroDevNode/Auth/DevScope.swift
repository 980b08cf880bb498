/// A permission as tokens and keys carry it: `category[:action[:sub[:sub]]]`, optionally limited to a resource, a user
/// and a method in brackets.
///
/// Spec: 10, section 7.4.
public struct DevScope: Sendable, Hashable, CustomStringConvertible {
    /// The colon-separated words.
    public let path: [String]
    /// The resource id the scope is limited to; nil is any.
    public let resource: String?
    /// The user the scope is limited to; nil is any.
    public let user: String?
    /// The method the scope is limited to; nil is any.
    public let method: String?

    /// The full administrator scope.
    public static let admin = DevScope(path: ["admin"])

    /// Nil when the text does not follow the grammar or names a scope that no node knows: such an entry grants nothing.
    public init?(_ text: String) {
        var head = Substring(text)
        var parameters: [String] = []
        if let bracket = text.firstIndex(of: "[") {
            guard text.hasSuffix("]") else { return nil }
            let inner = text[text.index(after: bracket)...].dropLast()
            guard !inner.contains("["), !inner.contains("]") else { return nil }
            head = text[..<bracket]
            parameters = inner.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard parameters.count <= 3 else { return nil }
        }
        var path = head.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if path == ["keys", "revoke"] { path = ["keys", "delete"] }
        guard Self.known.contains(path) else { return nil }
        func parameter(_ index: Int) -> String? {
            index < parameters.count && !parameters[index].isEmpty ? parameters[index] : nil
        }
        self.init(path: path, resource: parameter(0), user: parameter(1), method: parameter(2))
    }

    init(path: [String], resource: String? = nil, user: String? = nil, method: String? = nil) {
        self.path = path
        self.resource = resource
        self.user = user
        self.method = method
    }

    /// The text form.
    public var description: String {
        let name = path.joined(separator: ":")
        var parameters = [resource ?? "", user ?? "", method ?? ""]
        while parameters.last == "" { parameters.removeLast() }
        return parameters.isEmpty ? name : "\(name)[\(parameters.joined(separator: ","))]"
    }

    /// True for the two entries that narrow a client key and grant nothing by themselves.
    public var isBinding: Bool { path == ["context"] || path == ["application-binding"] }

    /// Whether holding this scope is enough where `required` is asked for.
    public func covers(_ required: DevScope) -> Bool {
        guard !isBinding, !required.isBinding else { return false }
        if path == ["admin"] { return resource == nil && user == nil && method == nil }
        guard coversPath(of: required) else { return false }
        return Self.covers(resource, required.resource) && Self.covers(user, required.user)
            && Self.covers(method, required.method)
    }

    /// Whether this scope names the same action or an umbrella over it, whatever it is limited to.
    func coversPath(of required: DevScope) -> Bool {
        guard !isBinding else { return false }
        if path == required.path || path == ["admin"] { return true }
        return Self.umbrellas.contains(path) && required.path.starts(with: path)
    }

    private static func covers(_ held: String?, _ required: String?) -> Bool { held == nil || held == required }

    /// The scopes that stand for everything below them. `context` is none.
    private static let umbrellas: Set<[String]> = [
        ["application"], ["package"], ["blob"], ["blob", "add"], ["namespace"], ["group"], ["context", "alias"],
        ["keys"],
    ]

    private static let known: Set<[String]> = {
        var names = [
            "admin", "application", "application:list", "application:install", "application:uninstall",
            "package", "package:list-packages", "package:list-versions", "package:get-latest-version",
            "blob", "blob:add", "blob:add:stream", "blob:add:file", "blob:add:url", "blob:get", "blob:list",
            "blob:remove", "namespace", "namespace:create", "namespace:list", "namespace:manage",
            "namespace:list-own", "group", "group:create", "group:list", "group:manage",
            "context", "context:create", "context:list", "context:delete", "context:leave", "context:invite",
            "context:execute", "context:capabilities:grant", "context:capabilities:revoke",
            "context:application:update", "context:alias", "context:subscribe", "context:query", "context:intent",
            "context:list-own", "keys", "keys:create", "keys:list", "keys:delete", "keys:clients:list",
            "keys:clients:delete", "keys:permissions:get", "keys:permissions:update", "application-binding",
        ]
        for action in ["create", "list", "lookup", "delete"] {
            for kind in ["context", "application", "identity", "device"] {
                names.append("context:alias:\(action):\(kind)")
            }
        }
        return Set(names.map { $0.split(separator: ":").map(String.init) })
    }()
}

/// What a caller may do: an upper bound from its token, narrowed by what the key behind it holds right now.
struct ScopeSet: Sendable {
    private let held: [DevScope]
    private let key: [DevScope]

    init(token: [String], key: [String]) {
        held = token.compactMap(DevScope.init)
        self.key = token == key ? held : key.compactMap(DevScope.init)
    }

    func allows(_ required: DevScope) -> Bool {
        held.contains { $0.covers(required) } && key.contains { $0.covers(required) }
    }

    /// Whether any entry, however limited, is about this action. `/jsonrpc` asks that before it knows the method.
    func allowsSome(_ required: DevScope) -> Bool {
        held.contains { $0.coversPath(of: required) } && key.contains { $0.coversPath(of: required) }
    }

    /// The first context a client key is bound to.
    var contextBinding: DevScope? { (held + key).first { $0.path == ["context"] && $0.resource != nil } }
    /// The first application a client key is bound to.
    var applicationBinding: DevScope? {
        (held + key).first { $0.path == ["application-binding"] && $0.resource != nil }
    }

    /// The entries of either side that the other side covers, and the token's bindings.
    var effective: [String] {
        var names: [String] = []
        let both =
            held.filter { entry in entry.isBinding || key.contains { $0.covers(entry) } }
            + key.filter { entry in held.contains { $0.covers(entry) } }
        for name in both.map(\.description) where !names.contains(name) { names.append(name) }
        return names
    }
}
