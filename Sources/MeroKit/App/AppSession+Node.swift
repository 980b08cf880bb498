/// What only a node of one's own can do. A relay would answer with a bare 403.
///
/// Spec: 70, section 13.2.
public enum AppNodeOperation: String, Sendable, CaseIterable {
    /// Installing an application.
    case installApplication = "Installing an application"
    /// Aliases.
    case aliases = "An alias"
    /// Deleting a blob.
    case deleteBlob = "Deleting a blob"
    /// Leaving a context.
    case leaveContext = "Leaving a context"
    /// Deleting a context.
    case deleteContext = "Deleting a context"
    /// The policy by which attested nodes are admitted.
    case teePolicy = "The policy for attested nodes"
    /// An invitation to a group below a namespace.
    case groupInvitation = "An invitation to a group"
}

extension AppSession {
    /// The admin API for something that only a node of one's own can do.
    ///
    /// Throws `AppFailure.notOverRelay` for an account, without anything being sent, and `.sessionRevoked` when nobody is
    /// signed in.
    public func admin(for operation: AppNodeOperation) async throws -> AdminApi {
        guard let mero else {
            throw machine.session?.isAccount == true ? AppFailure.notOverRelay(operation.rawValue) : .sessionRevoked
        }
        guard machine.session?.isAccount == false else { throw AppFailure.notOverRelay(operation.rawValue) }
        return await mero.admin
    }

    /// Brings a context up to date. A relay does that by itself: for an account nothing is sent.
    public func sync(contextId: String) async throws {
        guard let mero, machine.session?.isAccount == false else { return }
        try await mero.admin.syncContext(contextId)
    }

    /// As whom the person acts in a context: as an account by itself, and as a user of a node by the identity that the node
    /// owns there. Nil when there is none.
    public func identity(inContext contextId: String) async throws -> String? {
        if let account = machine.state.account { return account }
        guard let mero else { return nil }
        return try await mero.admin.getContextIdentitiesOwned(contextId).identities.first
    }
}
