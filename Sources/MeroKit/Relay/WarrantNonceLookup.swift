/// Whoever can say what the network remembers of a device's numbers: a relay, or a node that one administers.
///
/// Spec: 60, section 4.5.
public protocol WarrantNonceLookup: Sendable {
    /// What is known of the device's numbers in the context. Throws `MeroError`, and `AccountError` for a device that it
    /// cannot ask about.
    func warrantNonce(contextId: String, authorDeviceKey: String) async throws -> RelayWarrantNonceState
}

/// Asks a node that one administers. Nodes of rc.83 answer 404.
public struct AdminWarrantNonceLookup: WarrantNonceLookup {
    private let admin: AdminApi

    /// - Parameter admin: Needs the `admin` permission.
    public init(admin: AdminApi) { self.admin = admin }

    /// Throws `MeroError`.
    public func warrantNonce(contextId: String, authorDeviceKey: String) async throws -> RelayWarrantNonceState {
        let state = try await admin.getWarrantNonce(contextId, authorDeviceKey: authorDeviceKey)
        return RelayWarrantNonceState(
            nextNonce: state.nextNonce, highWaterNonce: state.highWaterNonce, seen: state.seen)
    }
}

/// What a source of numbers does when nobody can tell where to go on.
public enum OnLookupFailure: Sendable {
    /// Throws the first failure; the next call asks again.
    case `throw`
    /// Goes on with the local store's numbers.
    case local
}
