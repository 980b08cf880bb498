/// The node that is to act on a warrant, named by somebody who knows it: for founding, where there is no group yet that
/// could be asked about.
///
/// The key comes from an attestation or a pin, never from the relay's own unauthenticated word. Spec: 60, section 5.2.
public struct RelayExecutor: Sendable, Equatable {
    /// The node's account, 64 hex characters.
    public let executorAccount: String
    /// The node's key, 64 hex characters.
    public let executorKey: String

    /// Makes a value of its parts.
    public init(executorAccount: String, executorKey: String) {
        self.executorAccount = executorAccount
        self.executorKey = executorKey
    }
}
