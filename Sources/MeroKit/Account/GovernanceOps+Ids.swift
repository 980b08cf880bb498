import Foundation

extension GovernanceOps {
    /// The id of the namespace that a founder founds with a salt, 64 hex characters. Keep the salt: it proves the founding.
    ///
    /// Throws `AccountError.invalidInput`. Spec: 50, section 12.1.
    public static func foundedNamespaceId(founder: String, salt: String) throws -> String {
        Hex.encode(
            domainHash("calimero.namespace.id.v1", [try Hex.id(founder, "founder"), try Hex.id(salt, "salt")]))
    }

    /// The id of the subgroup that an admin creates with a salt, 64 hex characters.
    ///
    /// Throws `AccountError.invalidInput`. Spec: 50, section 12.1.
    public static func createdSubgroupId(
        admin: String, parentId: String, restricted: Bool, salt: String
    ) throws -> String {
        Hex.encode(
            domainHash(
                "calimero.subgroup.id.v1",
                [
                    try Hex.id(admin, "admin"), try Hex.id(parentId, "parentId"), Data([restricted ? 1 : 0]),
                    try Hex.id(salt, "salt"),
                ]))
    }

    /// A new subgroup: its id, and the op that creates it. The salt is a new one unless given.
    ///
    /// Throws `AccountError.invalidInput`.
    public static func subgroupCreation(
        admin: String, parentId: String, restricted: Bool, salt: String = Hex.encode(randomBytes(32))
    ) throws -> (groupId: String, op: Warrants.GovernanceOp) {
        let groupId = try createdSubgroupId(admin: admin, parentId: parentId, restricted: restricted, salt: salt)
        let op = try groupCreated(
            groupId: groupId, parentId: parentId, restricted: restricted, admin: admin, salt: salt)
        return (groupId, op)
    }
}
