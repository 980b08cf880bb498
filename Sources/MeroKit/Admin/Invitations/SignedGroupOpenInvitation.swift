/// An invitation to a group or namespace that whoever holds it may use.
///
/// Everything but the inner `invitation` and its signature is a hint. What a node sent is kept whole, as in
/// `GroupInvitationFromAdmin`. `InviteCodec` makes a token of it. Spec: 30, section 3.2, and 50, section 15.
public struct SignedGroupOpenInvitation: Codable, Sendable {
    /// What was signed.
    public var invitation: GroupInvitationFromAdmin
    /// Ed25519 by `invitation.inviterIdentity`, 128 hex digits.
    public var inviterSignature: String
    /// The account of the inviter.
    public var inviterAccount: String?
    /// Where those who admit can be reached: multiaddresses that end in `/p2p/<peer id>`, or URLs.
    public var admitterAddrs: [String]
    /// The application: 32 bytes.
    public var applicationId: [Int]?
    /// The release that it runs: 32 bytes.
    public var appKey: [Int]?
    /// Every other field, and those above where they are `null` or an empty list that was spelled out.
    public var passthrough: [String: JSONValue]

    /// Makes a value of its parts.
    public init(
        invitation: GroupInvitationFromAdmin, inviterSignature: String, inviterAccount: String? = nil,
        admitterAddrs: [String] = [], applicationId: [Int]? = nil, appKey: [Int]? = nil,
        passthrough: [String: JSONValue] = [:]
    ) {
        self.invitation = invitation
        self.inviterSignature = inviterSignature
        self.inviterAccount = inviterAccount
        self.admitterAddrs = admitterAddrs
        self.applicationId = applicationId
        self.appKey = appKey
        self.passthrough = passthrough
    }

    /// Throws `MeroError.decoding`: without the inner invitation, and for an unknown field with an integer beyond 2^53.
    public init(from decoder: any Decoder) throws {
        var fields = try InvitationFields(decoder, of: "signed invitation")
        self.init(
            invitation: try fields.required("invitation"),
            inviterSignature: try fields.text("inviter_signature"),
            inviterAccount: try fields.optional("inviter_account"), admitterAddrs: try fields.list("admitter_addrs"),
            applicationId: try fields.optional("application_id"), appKey: try fields.optional("app_key"),
            passthrough: try fields.rest())
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = InvitationWriter(encoder, passthrough: passthrough)
        try fields.write(invitation, "invitation")
        try fields.write(inviterSignature.isEmpty ? nil : inviterSignature, "inviter_signature")
        try fields.write(inviterAccount, "inviter_account")
        try fields.write(admitterAddrs.isEmpty ? nil : admitterAddrs, "admitter_addrs")
        try fields.write(applicationId, "application_id")
        try fields.write(appKey, "app_key")
        try fields.finish()
    }
}
