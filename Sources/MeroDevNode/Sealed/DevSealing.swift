import Foundation

/// How a dev node takes sealed requests.
///
/// Spec: 80, sections 1.5 and 1.8.
public struct DevSealing: Sendable, Equatable {
    /// Which routes can be reached sealed.
    public enum Reach: Sendable, Equatable {
        /// All, as on a node that checks tokens itself.
        case everything
        /// Only what needs no token, as behind a proxy that checks them: health, attestation, intents. Everything else is
        /// an inner 403 `sealed_route_unguarded`.
        case unguarded
    }

    /// Whether it takes them at all; 404 otherwise, as on a node of before.
    public var isOffered = true
    /// Whether it takes nothing else, but for health and attestation: 403 `sealed_required`.
    public var isRequired = false
    /// Which routes can be reached sealed.
    public var reach = Reach.everything
    /// Seconds a session lives.
    public var sessionLifetime: UInt32 = 3600
    /// Seconds after the last request that a session is forgotten.
    public var idleLimit: TimeInterval = 600
    /// How many of the highest request ids are remembered.
    public var window = 4096
    /// The largest envelope in bytes.
    public var envelopeLimit = 64 << 20
    /// Seconds, on the node's clock, in which an envelope has to be there as a whole; later it is answered with 408
    /// `timeout`.
    public var envelopeTime: TimeInterval = 120
    /// How many sessions are kept. A further one takes the place of one that is over, else of one that never carried a
    /// request, else of the one whose last request is longest ago.
    public var sessionLimit = 16_384
    /// How many handshakes are taken at once; more are answered with 503 `busy`.
    public var handshakeBurst = 200
    /// How many more handshakes are taken each second.
    public var handshakesPerSecond = 100
    /// The most bytes of envelopes that are worked on at once; more are answered with 503 `busy`.
    public var heldLimit = 256 << 20

    /// As a node with its own auth service.
    public init() {}
}
