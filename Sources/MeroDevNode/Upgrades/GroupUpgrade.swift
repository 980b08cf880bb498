/// A group's change to another release. Every node of the group carries it out for the contexts it holds.
///
/// Spec: 30, section 10.
struct GroupUpgrade: Sendable, Equatable {
    var from: GroupTarget?
    var to: GroupTarget
    /// The version of the state that the new release reads and writes.
    var stateVersion: UInt32
    var forcesCodeOnly = false
    /// Seconds since 1970.
    var initiatedAt: Int64
    /// The account.
    var initiatedBy: String
    /// The node that migrates the state; the others take it over.
    var initiator: String
    /// What an upgrade of a whole subtree goes by, in every group of it.
    var cascade: String?
    /// How often it was started over.
    var attempt: UInt32 = 0
    var isAborted = false
}

extension GroupUpgrade {
    /// How it is kept.
    var tree: JsonTree {
        [
            "from": from?.tree ?? .null, "to": to.tree, "state": JsonTree(stateVersion),
            "codeOnly": .bool(forcesCodeOnly), "at": JsonTree(initiatedAt), "by": .string(initiatedBy),
            "initiator": .string(initiator), "cascade": cascade.map { .string($0) } ?? .null,
            "attempt": JsonTree(attempt), "aborted": .bool(isAborted),
        ]
    }

    init?(_ tree: JsonTree) {
        guard let to = tree["to"].flatMap(GroupTarget.init), let by = tree["by"]?.stringValue,
            let initiator = tree["initiator"]?.stringValue
        else { return nil }
        self.init(
            from: tree["from"].flatMap(GroupTarget.init), to: to, stateVersion: tree["state"]?.integer() ?? 1,
            forcesCodeOnly: tree["codeOnly"]?.boolValue ?? false, initiatedAt: tree["at"]?.integer() ?? 0,
            initiatedBy: by, initiator: initiator, cascade: tree["cascade"]?.stringValue,
            attempt: tree["attempt"]?.integer() ?? 0, isAborted: tree["aborted"]?.boolValue ?? false)
    }
}
