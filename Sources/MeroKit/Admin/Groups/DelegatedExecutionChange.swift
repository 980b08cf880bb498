/// What came of granting delegated execution. Spec: 30, section 6.4.
public struct DelegatedExecutionChange: Sendable, Equatable {
    /// False when it was granted before, and nothing was sent.
    public let changed: Bool
    /// The capabilities now.
    public let capabilities: Int

    /// Makes a value of its parts.
    public init(changed: Bool, capabilities: Int) {
        self.changed = changed
        self.capabilities = capabilities
    }
}
