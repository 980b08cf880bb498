import Foundation

/// Joins by invitation with a node of one's own.
///
/// Spec: 70, section 11.1.
public enum NodeJoin {
    /// Joins the namespace that the invitation is to, waiting up to 65 seconds. Run `AdminApi.syncGroupContexts` afterwards.
    ///
    /// Throws `AccountError.invalidInput` for an invitation that has expired, before anything is sent, and `MeroError`: see
    /// `JoinRefusal` for what it means.
    ///
    /// - Parameters:
    ///   - invitation: To the namespace.
    ///   - groupName: How the namespace is called on this node.
    ///   - admin: Of the node that joins.
    ///   - now: What the expiry is compared with.
    @discardableResult
    public static func join(
        _ invitation: SignedGroupOpenInvitation, groupName: String? = nil, admin: AdminApi, now: Date = Date()
    ) async throws -> JoinNamespaceResponseData {
        let namespace = try invitation.targetId
        try invitation.checkNotExpired(at: now)
        return try await admin.joinNamespace(
            namespace, request: JoinNamespaceRequest(invitation: invitation, groupName: groupName))
    }
}

/// Why a node did not take a join.
///
/// One status stands for several reasons, so the invitation's own expiry is looked at as well. Spec: 70, section 11.1.
public enum JoinRefusal: Sendable, Equatable {
    /// The invitation has expired. Ask for a fresh one.
    case expired
    /// It is forged or altered, says no application, or is to another namespace.
    case rejected
    /// Nobody could complete the join in time. Try the same invitation again: it is not used up.
    case unreachable
    /// It was used up, or the account may not come back.
    case consumed
    /// The node does not let this caller join.
    case notAllowed
    /// Something else.
    case other

    /// Reads what `NodeJoin.join` or `AdminApi.joinNamespace` has thrown.
    public init(_ error: any Error, invitation: SignedGroupOpenInvitation, now: Date = Date()) {
        let status = (error as? MeroError)?.httpStatus
        if invitation.isExpired(at: now) {
            self = .expired
            return
        }
        switch status {
        case 400: self = .rejected
        case 401, 403: self = .notAllowed
        case 409: self = .consumed
        case 503, 504: self = .unreachable
        // Older nodes hid every reason behind it.
        case 500: self = .rejected
        default: self = .other
        }
    }

    /// Whether the same invitation may be tried again.
    public var isRetryable: Bool { self == .unreachable }
}
