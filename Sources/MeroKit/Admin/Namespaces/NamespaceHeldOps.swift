/// Operations that a node has and cannot apply, because it lacks a group's key.
///
/// Spec: 30, section 4.2.
public struct NamespaceHeldOps: Codable, Sendable, Equatable {
    /// Those that it can name.
    public let ops: [NamespaceHeldOp]
    /// How many more there are.
    public let untracked: Int

    /// Makes a value of its parts.
    public init(ops: [NamespaceHeldOp], untracked: Int) {
        self.ops = ops
        self.untracked = untracked
    }
}

/// One operation that waits for a group's key.
///
/// Spec: 30, section 4.2.
public struct NamespaceHeldOp: Codable, Sendable, Equatable {
    /// The operation.
    public let deltaId: String
    /// The group whose key is missing.
    public let groupId: String

    /// Makes a value of its parts.
    public init(deltaId: String, groupId: String) {
        self.deltaId = deltaId
        self.groupId = groupId
    }
}
