/// The part of an invitation that the inviter signs.
///
/// What a node sent is kept whole: an absent field stays absent, a `null` stays `null`, unknown fields stay as they are. The
/// signature holds over no other invitation. Spec: 30, section 3.2, and 50, section 15.
public struct GroupInvitationFromAdmin: Codable, Sendable {
    /// The key that signed: 32 bytes.
    public var inviterIdentity: [Int]
    /// The group or namespace: 32 bytes.
    public var groupId: [Int]
    /// Unix seconds; 0 for one that does not expire.
    public var expirationTimestamp: Int
    /// 32 random bytes.
    public var secretSalt: [Int]
    /// 0 for an admin, 1 for a member, 2 for a reader; nil means 1.
    public var invitedRole: Int?
    /// The accounts whose nodes may admit the bearer.
    public var admitters: [String]
    /// Every other field, and those above where they are `null` or an empty list that was spelled out.
    public var passthrough: [String: JSONValue]

    /// Makes a value of its parts.
    public init(
        inviterIdentity: [Int], groupId: [Int], expirationTimestamp: Int, secretSalt: [Int], invitedRole: Int? = nil,
        admitters: [String] = [], passthrough: [String: JSONValue] = [:]
    ) {
        self.inviterIdentity = inviterIdentity
        self.groupId = groupId
        self.expirationTimestamp = expirationTimestamp
        self.secretSalt = secretSalt
        self.invitedRole = invitedRole
        self.admitters = admitters
        self.passthrough = passthrough
    }

    /// Throws `MeroError.decoding`: for a field that is missing, and for an unknown one with an integer beyond 2^53.
    public init(from decoder: any Decoder) throws {
        var fields = try InvitationFields(decoder, of: "invitation")
        self.init(
            inviterIdentity: try fields.required("inviter_identity"), groupId: try fields.required("group_id"),
            expirationTimestamp: try fields.required("expiration_timestamp"),
            secretSalt: try fields.required("secret_salt"), invitedRole: try fields.optional("invited_role"),
            admitters: try fields.list("admitters"), passthrough: try fields.rest())
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = InvitationWriter(encoder, passthrough: passthrough)
        try fields.write(inviterIdentity, "inviter_identity")
        try fields.write(groupId, "group_id")
        try fields.write(expirationTimestamp, "expiration_timestamp")
        try fields.write(secretSalt, "secret_salt")
        try fields.write(invitedRole, "invited_role")
        try fields.write(admitters.isEmpty ? nil : admitters, "admitters")
        try fields.finish()
    }
}
