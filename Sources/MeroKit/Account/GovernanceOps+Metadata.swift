/// The same ops over lists of entries: a dictionary cannot hold two keys that Swift takes for equal, such as the two
/// spellings of `é`, and a node can.
extension GovernanceOps {
    typealias Entries = [(key: String, value: String)]

    static func groupMetadataSet(name: String?, entries: Entries) throws -> Warrants.GovernanceOp {
        try group(11) { try write(name, entries, to: &$0) }
    }

    static func memberMetadataSet(member: String, name: String?, entries: Entries) throws -> Warrants.GovernanceOp {
        try group(12) { writer in
            writer.raw(try Hex.id(member, "member"))
            try write(name, entries, to: &writer)
        }
    }

    static func contextMetadataSet(
        contextId: String, name: String?, entries: Entries
    ) throws -> Warrants.GovernanceOp {
        try group(13) { writer in
            writer.raw(try Hex.id(contextId, "contextId"))
            try write(name, entries, to: &writer)
        }
    }

    private static func write(_ name: String?, _ entries: Entries, to writer: inout BorshWriter) throws {
        writer.optionString(name)
        try writer.map(entries)
    }
}
