/// Body of `POST /admin-api/namespaces/{id}/admit`, by which somebody without a node joins.
///
/// Spec: 30, section 4.7.
public struct AdmitJoinRequest: Codable, Sendable {
    /// The invitation.
    public var invitation: SignedGroupOpenInvitation
    /// The join, signed by the joiner's device; hex.
    public var signedOp: String

    /// Makes a value of its parts.
    public init(invitation: SignedGroupOpenInvitation, signedOp: String) {
        self.invitation = invitation
        self.signedOp = signedOp
    }
}

/// Answer to a join that was handed in.
///
/// Spec: 30, section 4.7.
public struct AdmitJoinResponseData: Codable, Sendable {
    /// True when it is applied on this node and on its way to the others.
    public let published: Bool

    /// Makes a value of its parts.
    public init(published: Bool) { self.published = published }
}
