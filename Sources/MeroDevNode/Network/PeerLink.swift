/// A node's way to the others. A node without a network talks to nobody.
///
/// News are put down with ``enqueue(_:)`` while the state they are about is held, so that they keep its order, and handed
/// over with ``flush()`` when nothing is held any more. When `flush` returns, every node that can be reached has them.
final class PeerLink: Sendable {
    /// The node's signing key.
    let id: String
    let network: DevNetwork?

    init(id: String, network: DevNetwork?) {
        self.id = id
        self.network = network
    }

    var isActive: Bool { network != nil }

    func enqueue(_ news: PeerNews) { network?.enqueue(news, from: id) }

    func flush() { network?.flush() }
}
