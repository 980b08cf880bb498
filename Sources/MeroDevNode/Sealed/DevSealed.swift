import Foundation

/// The sealed transport of a dev node, and what can happen to it.
public struct DevSealed: Sendable {
    let core: NodeCore

    /// The key that requests are sealed to, 32 bytes. Another one after every restart.
    public var transportKey: Data { Data(core.sealed.table.publicKey) }

    /// Sessions that are remembered.
    public var sessionCount: Int { core.sealed.table.count }

    /// Clients hear `unknown_session` and open new ones.
    public func forgetSessions() { core.sealed.table.forgetSessions() }

    /// As a restart does: a new transport key, no session left, and `stale_transport_key` for those who hold the old one.
    public func renewTransportKey() { core.sealed.table.renewKey() }
}

extension DevNode {
    /// The sealed transport.
    public var sealed: DevSealed { DevSealed(core: core) }
}
