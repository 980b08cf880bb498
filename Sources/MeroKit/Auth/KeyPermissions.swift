/// The permissions of one key, in the envelope the node sends them in.
///
/// Spec: 10, section 9.11.
public struct PermissionResponse: Codable, Sendable {
    /// The key's permissions now.
    public var data: Payload
    /// Always nil in a success.
    public var error: String?

    /// Makes a value of its parts.
    public init(data: Payload, error: String? = nil) {
        self.data = data
        self.error = error
    }

    /// The list itself.
    public struct Payload: Codable, Sendable {
        /// Scopes, e.g. `context:execute`.
        public var permissions: [String]

        /// Makes a value of its parts.
        public init(permissions: [String]) { self.permissions = permissions }
    }
}

/// Body of `PUT /admin/keys/{keyId}/permissions`: a change, not a new list. What is in `remove` goes first, then what is
/// in `add` comes.
///
/// Nil properties are left out of the body. Spec: 10, section 9.11.
public struct UpdateKeyPermissionsRequest: Codable, Sendable {
    /// Scopes to give.
    public var add: [String]?
    /// Scopes to take away.
    public var remove: [String]?

    /// Makes a value of its parts.
    public init(add: [String]? = nil, remove: [String]? = nil) {
        self.add = add
        self.remove = remove
    }
}
