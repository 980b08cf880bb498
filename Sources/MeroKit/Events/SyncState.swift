/// What a node does to get a context's state. Spec: 40, section 3.6.
public enum SyncState: Sendable, Equatable {
    /// Nothing: the state is there.
    case idle
    /// Waits for a peer that has the state.
    case waitingForPeers
    /// Takes over what a peer has.
    case syncing
    /// - Parameters:
    ///   - recordsReceived: How many records are here.
    ///   - percent: How much that is of all, 0...100, when the node can tell.
    ///   - etaSeconds: How long the rest may take, when the node can tell.
    case receivingSnapshot(recordsReceived: UInt64?, percent: Int?, etaSeconds: UInt64?)
    /// Waits after a failure.
    case backingOff(retryInSeconds: UInt64?)
    /// A state that this version does not know, as the node names it.
    case unknown(String)

    /// Nil when no state is named. Nodes spell the members in two ways.
    init?(_ fields: JSONFields) {
        guard let state = fields.string("state") else { return nil }
        switch state {
        case "idle": self = .idle
        case "waitingForPeers": self = .waitingForPeers
        case "syncing": self = .syncing
        case "receivingSnapshot":
            self = .receivingSnapshot(
                recordsReceived: fields.integer("records_received") ?? fields.integer("recordsReceived"),
                percent: fields.integer("percent"),
                etaSeconds: fields.integer("eta_secs") ?? fields.integer("etaSecs"))
        case "backingOff":
            self = .backingOff(retryInSeconds: fields.integer("retry_in_secs") ?? fields.integer("retryInSecs"))
        default: self = .unknown(state)
        }
    }
}
