/// Which relay serves which of an account's namespaces and contexts. URLs and ids only.
///
/// Spec: 60, section 10.5.
public final class RelayMap: Sendable {
    /// What is kept.
    public struct Record: Codable, Sendable, Equatable {
        /// Relays by namespace.
        public var namespaces: [String: String] = [:]
        /// Relays by context.
        public var contexts: [String: String] = [:]

        /// Nothing yet.
        public init() {}
    }

    private let store: AnyValueStore<Record>
    private let gate = Gate()

    /// - Parameter store: One for each account.
    public init(store: AnyValueStore<Record> = .memory()) { self.store = store }

    /// The relay of a namespace, nil when nobody knows.
    public func relay(ofNamespace namespaceId: String) -> String? { record.namespaces[namespaceId.lowercased()] }

    /// The relay of a context, nil when nobody knows.
    public func relay(ofContext contextId: String) -> String? { record.contexts[contextId.lowercased()] }

    /// All relays, each once, the session's first.
    public func relays(besides session: String?) -> [String] {
        let record = record
        var seen: Set<RequestTarget.Origin> = []
        let known =
            record.namespaces.sorted { $0.key < $1.key }.map(\.value)
            + record.contexts.sorted { $0.key < $1.key }.map(\.value)
        return ([session].compactMap { $0 } + known).filter { url in
            RelayOrigin.origin(of: url).map { seen.insert($0).inserted } ?? false
        }.map(RelayOrigin.trimmed)
    }

    /// A join or a founding went through this relay.
    public func learn(namespace: String, relay: String) { change { $0.namespaces[namespace.lowercased()] = relay } }

    /// A listing of this relay's had these. What is known already stays.
    public func learn(listedNamespaces: [String] = [], listedContexts: [String] = [], relay: String) {
        if listedNamespaces.isEmpty && listedContexts.isEmpty { return }
        change { record in
            for id in listedNamespaces where record.namespaces[id.lowercased()] == nil {
                record.namespaces[id.lowercased()] = relay
            }
            for id in listedContexts where record.contexts[id.lowercased()] == nil {
                record.contexts[id.lowercased()] = relay
            }
        }
    }

    /// Forgets everything.
    public func clear() { gate.pass { store.clear() } }

    private var record: Record { store.load() ?? Record() }

    private func change(_ body: (inout Record) -> Void) {
        gate.pass {
            let old = record
            var new = old
            body(&new)
            for key in new.namespaces.keys { new.namespaces[key] = new.namespaces[key].map(RelayOrigin.trimmed) }
            for key in new.contexts.keys { new.contexts[key] = new.contexts[key].map(RelayOrigin.trimmed) }
            if new != old { store.save(new) }
        }
    }
}
