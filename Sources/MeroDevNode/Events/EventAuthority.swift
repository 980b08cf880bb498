/// Decides who may hear of what. Asked when a subscription is made and again whenever a membership changes.
///
/// Spec: 40, sections 2.4 and 2.5.
struct EventAuthority: Sendable {
    let contexts: ContextRuntime
    let groups: GroupRegistry
    /// The account every caller but an account session acts as.
    let nodeAccount: String

    private func account(of principal: EventPrincipal) -> String {
        if case .account(let id) = principal.owner { return id }
        return nodeAccount
    }

    /// The context's own spelling of its id when the principal may hear of it.
    func grantedContext(_ id: String, to principal: EventPrincipal) -> String? {
        guard let box = contexts[id], box.read({ $0.condition != .notMember }) else { return nil }
        if let bound = principal.contextBinding, bound != box.id { return nil }
        if let bound = principal.applicationBinding, bound != box.applicationId { return nil }
        let account = account(of: principal)
        // A context outside of any group has the node itself as its one member.
        guard let group = groups.group(ofContext: box.id) else { return account == nodeAccount ? box.id : nil }
        return groups.role(of: account, in: group) == nil ? nil : box.id
    }

    /// The role in a group that the principal may hear of. A client key's binding covers no group.
    func role(inGroup id: String, of principal: EventPrincipal) -> DevRole? {
        principal.isBound ? nil : groups.role(of: account(of: principal), in: id)
    }
}
