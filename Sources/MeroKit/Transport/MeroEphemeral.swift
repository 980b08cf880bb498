/// Presence, by way of a node or of a relay.
///
/// Spec: 60, section 8.2.
public enum MeroEphemeral: Sendable {
    /// The node signs as itself.
    case node(EphemeralClient)
    /// The account's device signs.
    case relay(RelayPresenceClient)
}
