/// Decides who may hear of what, and who is a member of a context. Subscriptions ask when they are made and again whenever
/// a membership changes.
///
/// Spec: 40, sections 2.4 and 2.5.
struct EventAuthority: Sendable {
    let contexts: ContextRuntime
    let groups: GroupRegistry
    /// The account every caller but an account session acts as.
    let identity: NodeIdentity

    private var nodeAccount: String { identity.accountId }

    private func account(of principal: EventPrincipal) -> String {
        if case .account(let id, _) = principal.owner { return id }
        return nodeAccount
    }

    /// The principal's role in a group, nil also for a device that was revoked there.
    private func standing(of principal: EventPrincipal, in group: String) -> DevRole? {
        groups.read { state in
            if case .account(_, let device) = principal.owner {
                if let device, state.isRevoked(device: device, in: group) { return nil }
            } else if identity.usableAccount == nil {
                return nil
            }
            return state.role(of: account(of: principal), in: group)
        }
    }

    /// The context's own spelling of its id when the principal may hear of it.
    func grantedContext(_ id: String, to principal: EventPrincipal) -> String? {
        guard let box = contexts[id], box.read({ $0.condition != .notMember }) else { return nil }
        if let bound = principal.contextBinding, bound != box.id { return nil }
        if let bound = principal.applicationBinding, bound != box.applicationId { return nil }
        // A context outside of any group has the node itself as its one member.
        guard let group = groups.group(ofContext: box.id) else {
            return account(of: principal) == nodeAccount ? box.id : nil
        }
        return standing(of: principal, in: group) == nil ? nil : box.id
    }

    /// Whether the caller is a member of the group that governs a context; true for a context that none governs.
    func isMember(_ caller: Caller, ofContext id: String) -> Bool {
        guard let group = groups.group(ofContext: id) else { return true }
        return standing(of: EventPrincipal(caller), in: group) != nil
    }

    /// Whether the node's own role in the group of a context lets it write there; true for a context that none governs.
    func mayNodeWrite(inContext id: String) -> Bool {
        guard let group = groups.group(ofContext: id) else { return true }
        return groups.role(of: nodeAccount, in: group)?.discardsWrites != true
    }

    /// The role in a group that the principal may hear of. A client key's binding covers no group.
    func role(inGroup id: String, of principal: EventPrincipal) -> DevRole? {
        principal.isBound ? nil : standing(of: principal, in: id)
    }
}
