import Foundation

/// Where the key comes from that a node is sealed to.
///
/// Spec: 80, section 1.6.
public enum TransportKeySource: Sendable {
    /// These 32 bytes, and no others. Once the node has restarted, and so has another key, calls end with
    /// `MeroError.http` whose `sealedRefusal` has the code `stale_transport_key`.
    case fixed(Data)
    /// Asked when the first request needs a key, and again after the node has restarted: attests the node and returns the 32
    /// bytes of its transport key. What it throws, the request throws; nothing of a failure is remembered.
    case attested(@Sendable () async throws -> Data)
}
