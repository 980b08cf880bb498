/// The scope of every guarded route, whether this node serves it or only judges it for a proxy.
///
/// Spec: 10, sections 7.4 and 8; 20, section 1.8; 40, section 1.4.
struct RoutePermissions: Sendable {
    private struct Row: Sendable {
        var methods: [String]
        var template: PathTemplate
        var access: RouteAccess
    }

    private let rows: [Row]

    static let standard = RoutePermissions(delegatedAccess: false)
    /// Of a relay, whose intents routes are open.
    static let relay = RoutePermissions(delegatedAccess: true)

    /// Where the warrant, or the signature, is the credential.
    private static let delegatedRoutes = [
        ("GET POST", "/admin-api/contexts/{context}/intents", "context:intent", "context"),
        ("POST", "/admin-api/contexts/{context}/presence-intents", "context:intent", "context"),
        ("GET", "/admin-api/groups/{group}/context-intents", "group:list", "group"),
        ("POST", "/admin-api/groups/{group}/context-intents", "group:manage", "group"),
        ("GET", "/admin-api/groups/{group}/governance-intents", "group:list", "group"),
        ("POST", "/admin-api/groups/{group}/governance-intents", "group:manage", "group"),
    ]

    /// What changes a group, below its path.
    private static let managedRoutes = [
        (
            "POST",
            [
                "invite", "leave", "members", "members/remove", "reparent", "join-via-inheritance", "sync", "upgrade",
                "upgrade/retry", "migration/abort", "transfer-ownership", "owner-delete", "issue-ownership-proof",
                "issue-namespace-ownership-proof", "contexts/{context}/remove", "accounts/{member}/seal",
            ]
        ),
        (
            "PUT",
            [
                "metadata", "members/{member}/role", "members/{member}/capabilities", "members/{member}/auto-follow",
                "members/{member}/metadata", "contexts/{context}/metadata", "settings/default-capabilities",
                "settings/subgroup-visibility", "settings/tee-admission-policy",
            ]
        ),
        ("PUT DELETE", ["settings/tee-authoring-policy"]),
    ]

    private init(delegatedAccess: Bool) {
        var rows: [Row] = []
        func node(
            _ methods: String, _ template: String, _ scope: String, resource: String? = nil, own: String? = nil
        ) {
            guard let scope = DevScope(scope) else { return }
            rows.append(
                Row(
                    methods: methods.split(separator: " ").map(String.init), template: PathTemplate(template),
                    access: .node(.scope(scope, resource: resource, own: own.flatMap(DevScope.init)))))
        }
        func open(_ methods: String, _ template: String) {
            rows.append(
                Row(
                    methods: methods.split(separator: " ").map(String.init), template: PathTemplate(template),
                    access: .open))
        }
        func authAdmin(_ method: String, _ template: String, _ permission: RoutePermission) {
            rows.append(Row(methods: [method], template: PathTemplate(template), access: .authAdmin(permission)))
        }
        let api = "/admin-api"
        for path in ["health", "ready", "is-authed", "tee/info", "tee/release"] { open("GET", "\(api)/\(path)") }
        open("POST", "\(api)/tee/attest")

        node("GET", "\(api)/applications", "application:list")
        node("GET", "\(api)/applications/{application}", "application:list", resource: "application")
        node("GET", "\(api)/applications/{application}/versions", "application:list", resource: "application")
        node("POST", "\(api)/install-application", "application:install")
        node("GET", "\(api)/packages", "package:list-packages")
        node("GET", "\(api)/packages/{package}/versions", "package:list-versions")
        node("GET", "\(api)/packages/{package}/latest", "package:get-latest-version")

        node("GET", "\(api)/contexts", "context:list", own: "context:list-own")
        for suffix in ["", "/identities", "/identities-owned", "/storage", "/group"] {
            node(
                "GET", "\(api)/contexts/{context}\(suffix)", "context:list", resource: "context",
                own: "context:list-own")
        }
        node("GET", "\(api)/namespaces", "namespace:list", own: "namespace:list-own")
        for suffix in ["", "/groups"] {
            node(
                "GET", "\(api)/namespaces/{group}\(suffix)", "namespace:list", resource: "group",
                own: "namespace:list-own")
        }
        // Lists what others have as well, so no session of an account sees it.
        node("GET", "\(api)/namespaces/for-application/{application}", "namespace:list", resource: "application")
        node("POST", "\(api)/namespaces", "namespace:create")
        node("DELETE", "\(api)/namespaces/{group}", "namespace:manage", resource: "group")
        for suffix in ["invite", "join", "leave"] {
            node("POST", "\(api)/namespaces/{group}/\(suffix)", "namespace:manage", resource: "group")
        }
        node("POST", "\(api)/namespaces/{group}/groups", "group:create")
        node("POST", "\(api)/groups", "group:create")
        node("POST", "\(api)/groups/join", "group:manage")
        node("DELETE", "\(api)/groups/{group}", "group:manage", resource: "group")
        for (methods, suffixes) in Self.managedRoutes {
            for suffix in suffixes {
                node(methods, "\(api)/groups/{group}/\(suffix)", "group:manage", resource: "group")
            }
        }
        for suffix in [
            "", "/members", "/member-devices", "/contexts", "/subgroups", "/metadata", "/members/{member}/metadata",
            "/members/{member}/capabilities", "/contexts/{context}/metadata", "/upgrade/status", "/cascade-status",
            "/migration-status",
        ] {
            node("GET", "\(api)/groups/{group}\(suffix)", "group:list", resource: "group", own: "namespace:list-own")
        }
        node("GET", "\(api)/groups/{group}/settings/tee-admission-policy", "group:list", resource: "group")
        for path in ["for-application", "with-executors/for-application"] {
            // Not among the listings that an account's session may see its own part of.
            node("GET", "\(api)/contexts/\(path)/{application}", "context:list")
        }
        node("POST", "\(api)/contexts", "context:create")
        node("DELETE", "\(api)/contexts/{context}", "context:delete", resource: "context")
        for suffix in ["join", "leave", "resync"] {
            node("POST", "\(api)/contexts/{context}/\(suffix)", "context:execute", resource: "context")
        }
        node("POST", "\(api)/contexts/sync", "context:execute")
        node("POST", "\(api)/contexts/sync/{context}", "context:execute", resource: "context")
        node("POST", "\(api)/identity/context", "context:execute")
        node("POST", "\(api)/contexts/{context}/application", "context:application:update", resource: "context")
        node("POST", "\(api)/contexts/{context}/query", "context:query", resource: "context")
        for (methods, template, scope, resource) in Self.delegatedRoutes {
            if delegatedAccess {
                open(methods, template)
            } else {
                node(methods, template, scope, resource: resource, own: "context:intent")
            }
        }
        // Protected on every node; in front of a relay its proxy lets it through, since the op it carries is signed.
        if delegatedAccess {
            open("POST", "\(api)/namespaces/{group}/admit")
        } else {
            node("POST", "\(api)/namespaces/{group}/admit", "admin")
        }
        node("POST", "\(api)/contexts/{context}/warrant-nonce", "context:query", resource: "context")
        node("GET", "\(api)/identity", "namespace:list")

        node("PUT", "\(api)/blobs", "blob:add:stream")
        node("GET", "\(api)/blobs", "blob:list", own: "context:list-own")
        node("GET", "\(api)/blobs/{id}", "blob:get", resource: "id")
        node("DELETE", "\(api)/blobs/{id}", "blob:remove", resource: "id")
        for kind in ["context", "application", "identity", "device"] {
            node("POST", "\(api)/alias/create/\(kind)", "context:alias:create:\(kind)")
            node("POST", "\(api)/alias/lookup/\(kind)/{name}", "context:alias:lookup:\(kind)")
            node("POST", "\(api)/alias/delete/\(kind)/{name}", "context:alias:delete:\(kind)")
            node("GET", "\(api)/alias/list/\(kind)", "context:alias:list:\(kind)")
        }

        node("GET", "/sse", "context:subscribe")
        node("POST", "/sse/subscription", "context:subscribe")
        node("GET", "/sse/session/{id}", "context:subscribe")
        node("GET", "/ws", "context:subscribe")
        if let execute = DevScope("context:execute") {
            rows.append(Row(methods: ["POST"], template: PathTemplate("/jsonrpc"), access: .node(.some(execute))))
        }

        func scope(_ text: String, resource: String? = nil) -> RoutePermission {
            DevScope(text).map { .scope($0, resource: resource) } ?? .scope(.admin)
        }
        authAdmin("GET", "/admin/keys", scope("keys:list"))
        authAdmin("POST", "/admin/keys", scope("admin"))
        authAdmin("DELETE", "/admin/keys/{id}", scope("keys:delete"))
        authAdmin("POST", "/admin/revoke", scope("keys:delete"))
        authAdmin("GET", "/admin/keys/clients", scope("keys:clients:list"))
        authAdmin("DELETE", "/admin/keys/{id}/clients/{client}", scope("keys:clients:delete"))
        authAdmin("GET", "/admin/keys/{id}/permissions", scope("keys:permissions:get", resource: "id"))
        authAdmin("PUT", "/admin/keys/{id}/permissions", scope("admin"))
        // Whether the caller is an administrator is asked by the handler, which has a text for it.
        authAdmin("POST", "/admin/client-key", .anyToken)
        authAdmin("GET", "/admin/identity", .anyToken)
        authAdmin("GET", "/admin/metrics", .anyToken)
        self.rows = rows.sorted { $0.template.literalPrefix > $1.template.literalPrefix }
    }

    /// The access of a route of the table; `admin` when `/admin-api` has no row for it.
    func access(method: String, template: String) -> RouteAccess {
        let template = PathTemplate(template)
        if let row = rows.first(where: { $0.template == template && $0.methods.contains(method) }) { return row.access }
        return fallback(template.text)
    }

    /// The access of a concrete path, for a proxy that asks on behalf of a request.
    func access(method: String, path: String) -> (RouteAccess, parameters: [String: String]) {
        let wanted = method == "HEAD" ? "GET" : method
        let segments = PathTemplate.split(path)
        for row in rows where row.methods.contains(wanted) {
            if let parameters = row.template.match(segments) { return (row.access, parameters) }
        }
        return (fallback(path), [:])
    }

    private func fallback(_ path: String) -> RouteAccess {
        if path == "/admin-api" || path.hasPrefix("/admin-api/") { return .node(.scope(.admin)) }
        if path == "/admin" || path.hasPrefix("/admin/") { return .authAdmin(.scope(.admin)) }
        return .open
    }
}
