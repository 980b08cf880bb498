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

    /// Lets the node join a context, or hear once more of one that it holds. Nil without a network; false when no node that
    /// has it can be reached.
    func join(_ context: String) -> Bool? {
        guard let network, let node = network.node(id) else { return nil }
        return network.join(context, as: node)
    }

    /// Asks the other nodes once more for all of a namespace.
    func synchronize(_ namespace: String) {
        guard let network, let node = network.node(id) else { return }
        network.synchronize(namespace, as: node)
    }
}
