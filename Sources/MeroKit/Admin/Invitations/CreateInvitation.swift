/// Body of `POST /admin-api/namespaces/{id}/invite`. Empty lists and nil are left out.
///
/// Spec: 30, section 4.4.
public struct CreateNamespaceInvitationRequest: Codable, Sendable {
    /// How long the invitation holds from now on, in seconds, whatever the name says; at most a day, which is also what nil
    /// means.
    public var expirationTimestamp: Int?
    /// True for invitations to every group below as well.
    public var recursive: Bool?
    /// The accounts whose nodes may admit the bearer; empty for the admins and the trusted environments.
    public var admitters: [String]
    /// Where those can be reached; empty for the addresses that the node knows.
    public var admitterAddrs: [String]

    /// Makes a value of its parts.
    public init(
        expirationTimestamp: Int? = nil, recursive: Bool? = nil, admitters: [String] = [], admitterAddrs: [String] = []
    ) {
        self.expirationTimestamp = expirationTimestamp
        self.recursive = recursive
        self.admitters = admitters
        self.admitterAddrs = admitterAddrs
    }

    public init(from decoder: any Decoder) throws {
        let fields = try InvitationTerms(from: decoder)
        self.init(
            expirationTimestamp: fields.expirationTimestamp, recursive: fields.recursive,
            admitters: fields.admitters ?? [], admitterAddrs: fields.admitterAddrs ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        try InvitationTerms(
            expirationTimestamp: expirationTimestamp, recursive: recursive, admitters: admitters,
            admitterAddrs: admitterAddrs
        ).encode(to: encoder)
    }
}

/// Body of `POST /admin-api/groups/{id}/invite`. Empty lists and nil are left out.
///
/// Spec: 30, section 5.7.
public struct CreateGroupInvitationRequest: Codable, Sendable {
    /// How long the invitation holds from now on, in seconds, whatever the name says; at most a day, which is also what nil
    /// means.
    public var expirationTimestamp: Int?
    /// True for invitations to every group below as well.
    public var recursive: Bool?
    /// The accounts whose nodes may admit the bearer; empty for the admins and the trusted environments.
    public var admitters: [String]
    /// Where those can be reached; empty for the addresses that the node knows.
    public var admitterAddrs: [String]

    /// Makes a value of its parts.
    public init(
        expirationTimestamp: Int? = nil, recursive: Bool? = nil, admitters: [String] = [], admitterAddrs: [String] = []
    ) {
        self.expirationTimestamp = expirationTimestamp
        self.recursive = recursive
        self.admitters = admitters
        self.admitterAddrs = admitterAddrs
    }

    public init(from decoder: any Decoder) throws {
        let fields = try InvitationTerms(from: decoder)
        self.init(
            expirationTimestamp: fields.expirationTimestamp, recursive: fields.recursive,
            admitters: fields.admitters ?? [], admitterAddrs: fields.admitterAddrs ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        try InvitationTerms(
            expirationTimestamp: expirationTimestamp, recursive: recursive, admitters: admitters,
            admitterAddrs: admitterAddrs
        ).encode(to: encoder)
    }
}

/// What both say on the wire: nodes before rc.29 refuse a list of admitters, even an empty one.
private struct InvitationTerms: Codable {
    let expirationTimestamp: Int?
    let recursive: Bool?
    let admitters: [String]?
    let admitterAddrs: [String]?

    init(expirationTimestamp: Int?, recursive: Bool?, admitters: [String], admitterAddrs: [String]) {
        self.expirationTimestamp = expirationTimestamp
        self.recursive = recursive
        self.admitters = admitters.isEmpty ? nil : admitters
        self.admitterAddrs = admitterAddrs.isEmpty ? nil : admitterAddrs
    }
}
