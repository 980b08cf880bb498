import Foundation

/// Seals everything that a client sends, so that nobody between the app and the node's enclave can read or forge it.
///
/// Part of `HttpOptions`: whatever takes those works sealed by configuration alone. Clients that are given the same value
/// share one session per node. WebSockets cannot be sealed; `events` can.
///
/// ```swift
/// let sealing = Sealing.node(key: .attested { try await attestedKey() })
/// let mero = Mero(config: MeroConfig(baseURL: node, httpOptions: HttpOptions(sealing: sealing)))
/// ```
///
/// A request may be sealed and sent a second time when the node says that it has forgotten the session, as after a
/// restart. Nobody vouches for that answer, so that whoever carries the requests can make the node run a call twice; calls
/// that are signed once, as a relay's, are refused the second time. What must not be sent twice, as `RetryPolicy.never` and
/// `.onlyIfUnsent` say and token refreshes always, is not; `resendsAfterLostSession` turns it off for everything.
/// Spec: 80, sections 1.6 and 1.10.
public struct Sealing: Sendable, Equatable {
    private let shared: Shared

    /// Everything goes sealed to the node that the client was made for, and nothing is ever sent otherwise.
    ///
    /// - Parameters:
    ///   - key: the node's transport key, or how to learn it.
    ///   - resendsAfterLostSession: send a request again, once, when the node does not know the session any more.
    public static func node(key: TransportKeySource, resendsAfterLostSession: Bool = true) -> Sealing {
        Sealing(
            shared: Shared(resends: resendsAfterLostSession, isForRelays: false, clock: SealedClock()) { _ in key })
    }

    /// For relays, of which many cannot take everything sealed.
    ///
    /// A relay on this machine (`localhost`, `127.0.0.1`, `::1`) is not sealed to. A relay that says, sealed, that it takes a
    /// route only unsealed (`sealed_route_unguarded`) gets that request, and from then on everything that carries a session,
    /// over TLS alone; intents stay sealed. Nothing else ever goes unsealed.
    ///
    /// - Parameters:
    ///   - key: attests the relay at this base URL, and returns the 32 bytes of its transport key.
    ///   - resendsAfterLostSession: send a request again, once, when the relay does not know the session any more.
    public static func relays(
        resendsAfterLostSession: Bool = true, key: @escaping @Sendable (_ relayURL: URL) async throws -> Data
    ) -> Sealing {
        Sealing(
            shared: Shared(resends: resendsAfterLostSession, isForRelays: true, clock: SealedClock()) { base in
                .attested {
                    guard let url = URL(string: base) else { throw SealedTransportError.transportKey }
                    return try await key(url)
                }
            })
    }

    private init(shared: Shared) { self.shared = shared }

    /// Only for tests: the same on another clock, or for relays on this machine.
    init(
        key: TransportKeySource, resends: Bool = true, isForRelays: Bool = false, sparesLoopback: Bool = true,
        clock: SealedClock = SealedClock()
    ) {
        shared = Shared(resends: resends, isForRelays: isForRelays, sparesLoopback: sparesLoopback, clock: clock) { _ in
            key
        }
    }

    /// Whether both are the same value, and so share sessions.
    public static func == (left: Sealing, right: Sealing) -> Bool { left.shared === right.shared }

    /// Whether what is sent to this base is sealed.
    func applies(to baseURL: URL) -> Bool {
        guard shared.isForRelays, shared.sparesLoopback, let host = BaseURL(baseURL).origin?.host else { return true }
        return !["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    /// Seals what goes over the engine to this base.
    func engine(over carrier: any HttpEngine, baseURL: URL) -> any HttpEngine {
        guard applies(to: baseURL) else { return carrier }
        return SealedEngine(carrier: carrier, node: shared.node(baseURL))
    }

    /// One node, as all clients with this value see it.
    final class Node: Sendable {
        let base: BaseURL
        let sessions: SealedSessions
        let resends: Bool
        let isRelay: Bool
        /// Set once the relay has said that it takes what needs a session only unsealed. Lasts as long as the value.
        let takesSessionsInTheClear = Locked(false)

        /// Whether what goes unsealed is at least encrypted on its way, or does not leave this machine.
        var isProtectedByTLS: Bool { base.origin?.scheme == "https" || RelayOrigin.isLoopback(base.text) }

        init(_ baseURL: URL, _ source: TransportKeySource, resends: Bool, isRelay: Bool, clock: SealedClock) {
            base = BaseURL(baseURL)
            // Requests are joined to what the client was given, whatever slashes it ends in; a node's own paths are not.
            sessions = SealedSessions(base: RelayOrigin.trimmed(base.text), source: source, clock: clock)
            self.resends = resends
            self.isRelay = isRelay
        }
    }

    private final class Shared: Sendable {
        let resends: Bool
        let isForRelays: Bool
        let sparesLoopback: Bool
        private let clock: SealedClock
        private let source: @Sendable (_ base: String) -> TransportKeySource
        private let nodes = Locked<[String: Node]>([:])

        init(
            resends: Bool, isForRelays: Bool, sparesLoopback: Bool = true, clock: SealedClock,
            source: @escaping @Sendable (_ base: String) -> TransportKeySource
        ) {
            self.resends = resends
            self.isForRelays = isForRelays
            self.sparesLoopback = sparesLoopback
            self.clock = clock
            self.source = source
        }

        func node(_ baseURL: URL) -> Node {
            let base = BaseURL(baseURL).text
            return nodes.withLock { nodes in
                if let node = nodes[base] { return node }
                let node = Node(baseURL, source(base), resends: resends, isRelay: isForRelays, clock: clock)
                nodes[base] = node
                return node
            }
        }
    }
}
