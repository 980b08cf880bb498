/// What a route asks of its caller.
enum RouteAccess: Sendable, Equatable {
    /// Anyone.
    case open
    /// The guard in front of `/admin-api`, `/jsonrpc`, `/sse` and `/ws`.
    case node(RoutePermission)
    /// The auth service's own middleware in front of `/admin`.
    case authAdmin(RoutePermission)
}

enum RoutePermission: Sendable, Equatable {
    case anyToken
    /// The scope, limited to the path parameter named `resource` when there is one.
    /// An account's session, which sees only its own, may hold `own` instead.
    case scope(DevScope, resource: String? = nil, own: DevScope? = nil)
    /// Any scope about this action, however limited; the handler asks the rest.
    case some(DevScope)

    func required(_ parameters: [String: String]) -> DevScope? {
        guard case .scope(let scope, let resource?, _) = self else { return nil }
        return DevScope(path: scope.path, resource: parameters[resource])
    }

    func isMet(by caller: Caller, parameters: [String: String]) -> Bool {
        switch self {
        case .anyToken: return true
        case .some(let scope): return caller.scopes.allowsSome(scope)
        case .scope(let scope, _, let own):
            if caller.scopes.allows(required(parameters) ?? scope) { return true }
            return caller.account != nil && own.map(caller.scopes.allows) ?? false
        }
    }
}

struct RouteCall: Sendable {
    var request: DevHttpRequest
    var parameters: [String: String] = [:]
    /// Who asks; nil on an open route.
    var caller: Caller?
}

/// One row of the node's route table.
struct NodeRoute: Sendable {
    let method: String
    let template: PathTemplate
    let access: RouteAccess
    let handler: @Sendable (RouteCall) async -> DevHttpResponse

    init(
        _ method: String, _ template: String, _ access: RouteAccess,
        _ handler: @escaping @Sendable (RouteCall) async -> DevHttpResponse
    ) {
        self.method = method
        self.template = PathTemplate(template)
        self.access = access
        self.handler = handler
    }
}

/// The node's routes as a table that can be enumerated.
struct NodeRouter: Sendable {
    enum Match: Sendable {
        case route(NodeRoute, [String: String])
        case wrongMethod(allowed: [String])
        case none
    }

    let routes: [NodeRoute]
    private let literal: [String: [NodeRoute]]
    private let patterns: [NodeRoute]

    init(_ routes: [NodeRoute]) {
        self.routes = routes
        literal = Dictionary(grouping: routes.filter(\.template.isLiteral), by: \.template.text)
        patterns = routes.filter { !$0.template.isLiteral }
            .sorted { $0.template.literalPrefix > $1.template.literalPrefix }
    }

    func match(method: String, path: String) -> Match {
        if let candidates = literal[path] { return choose(candidates.map { ($0, [:]) }, method: method) }
        let segments = PathTemplate.split(path)
        var winner: PathTemplate?
        var candidates: [(NodeRoute, [String: String])] = []
        for route in patterns where winner == nil || route.template == winner {
            guard let parameters = route.template.match(segments) else { continue }
            winner = route.template
            candidates.append((route, parameters))
        }
        return candidates.isEmpty ? .none : choose(candidates, method: method)
    }

    private func choose(_ candidates: [(NodeRoute, [String: String])], method: String) -> Match {
        let wanted = method == "HEAD" && !candidates.contains { $0.0.method == "HEAD" } ? "GET" : method
        if let found = candidates.first(where: { $0.0.method == wanted }) { return .route(found.0, found.1) }
        var allowed = candidates.map(\.0.method)
        if allowed.contains("GET"), !allowed.contains("HEAD") { allowed.append("HEAD") }
        return .wrongMethod(allowed: allowed)
    }
}
