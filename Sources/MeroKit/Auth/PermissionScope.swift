/// One permission of a token: a path, and what it is restricted to.
///
/// `category[:action[:sub[:sub]]]`, then perhaps `[resource,user,method]`, of which each may be empty for "any". Spec: 10,
/// section 7.4.
struct PermissionScope: Equatable {
    let path: [Substring]
    /// Without empty ones at the end.
    let restrictions: [Substring]

    /// Nil for a text that is no scope, which grants nothing.
    init?(_ text: String) {
        var path = Substring(text)
        var restrictions: [Substring] = []
        if let bracket = text.firstIndex(of: "[") {
            guard text.hasSuffix("]") else { return nil }
            path = text[..<bracket]
            let inner = text[text.index(after: bracket)...].dropLast()
            guard !inner.contains("["), !inner.contains("]") else { return nil }
            restrictions = inner.split(separator: ",", omittingEmptySubsequences: false)
        }
        while restrictions.last?.isEmpty == true { restrictions.removeLast() }
        var steps = path.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...4).contains(steps.count), !steps.contains(where: \.isEmpty), restrictions.count <= 3 else {
            return nil
        }
        if steps == ["keys", "revoke"] { steps[1] = "delete" }
        self.path = steps
        self.restrictions = restrictions
    }

    /// The paths that cover all that begins with them. `context` is none: it binds, and grants nothing.
    private static let umbrellas: Set<[Substring]> = [
        ["application"], ["package"], ["blob"], ["blob", "add"], ["namespace"], ["group"], ["context", "alias"],
        ["keys"],
    ]
    private static let admin = PermissionScope("admin")

    /// Whether permissions, as they stand in a token, cover a scope.
    static func grants(_ permissions: [String], _ scope: String) -> Bool {
        guard let wanted = PermissionScope(scope) else { return false }
        let held = permissions.compactMap(PermissionScope.init)
        guard wanted.respectsBindings(in: held) else { return false }
        return held.contains { $0 == admin || $0.covers(wanted) }
    }

    private var isBinding: Bool { path == ["context"] || path == ["application-binding"] }

    private func covers(_ wanted: PermissionScope) -> Bool {
        guard !isBinding else { return false }
        guard path == wanted.path || (Self.umbrellas.contains(path) && wanted.path.starts(with: path)) else {
            return false
        }
        return restrictions.indices.allSatisfy { index in
            restrictions[index].isEmpty || restrictions[index] == wanted.restriction(index)
        }
    }

    private func restriction(_ index: Int) -> Substring {
        restrictions.indices.contains(index) ? restrictions[index] : ""
    }

    /// A client key may be bound to one context and identity, and to one application. The first binding of each kind counts.
    private func respectsBindings(in held: [PermissionScope]) -> Bool {
        let kind: [Substring]
        switch path.first {
        case "context": kind = ["context"]
        case "application": kind = ["application-binding"]
        default: return true
        }
        guard let binding = held.first(where: { $0.path == kind && !$0.restrictions.isEmpty }) else { return true }
        return binding.restrictions.indices.prefix(2).allSatisfy { index in
            let bound = binding.restrictions[index]
            let wanted = restriction(index)
            return bound.isEmpty || wanted.isEmpty || bound.lowercased() == wanted.lowercased()
        }
    }
}
