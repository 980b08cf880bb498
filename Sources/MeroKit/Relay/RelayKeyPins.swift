/// The keys of relays that were learned before, by the relay's origin.
///
/// A pin spares the attestation when an account connects again. Founding a namespace does not go by a pin: it attests
/// afresh. Spec: 60, section 9.5.
public struct RelayKeyPins: Sendable {
    private let store: AnyValueStore<[String: String]>
    private let gate = Gate()

    /// - Parameter store: Holds all pins as one value. Keys of relays are public.
    public init(store: AnyValueStore<[String: String]> = .memory()) { self.store = store }

    /// The relay's key, 64 hex characters in lower case; nil when none is stored, or something that is none.
    public subscript(relayURL: String) -> String? {
        guard let key = store.load()?[Self.key(relayURL)], Hex.is32(key), key == key.lowercased() else { return nil }
        return key
    }

    /// Keeps a key. Throws `AccountError.invalidInput` for one that is not 64 hex characters.
    public func pin(_ nodeKey: String, for relayURL: String) throws {
        let key = Hex.encode(try Hex.id(nodeKey, "nodeKey"))
        gate.pass {
            var pins = store.load() ?? [:]
            pins[Self.key(relayURL)] = key
            store.save(pins)
        }
    }

    /// Forgets the relay's key.
    public func forget(_ relayURL: String) {
        gate.pass {
            guard var pins = store.load(), pins.removeValue(forKey: Self.key(relayURL)) != nil else { return }
            store.save(pins)
        }
    }

    private static func key(_ relayURL: String) -> String { RelayOrigin.trimmed(relayURL) }
}
