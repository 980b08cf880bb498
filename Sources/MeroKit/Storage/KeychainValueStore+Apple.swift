#if canImport(Security)
    import Foundation
    import Security

    /// Keeps a value in the Keychain of this device, as one generic password that holds JSON.
    ///
    /// The item is never synchronised: the keys of a device *are* the device. Failures are silent. Spec: 50, sections 4
    /// and 23.1.
    public final class KeychainValueStore<Value: Codable & Sendable>: SecureValueStore {
        private let item: KeychainItem

        /// - Parameter accessible: when the item can be read. The default lets a background extension sign while the
        ///   device is locked.
        public init(
            service: String = "network.calimero.merokit", account: String, accessGroup: String? = nil,
            accessible: CFString = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        ) {
            item = KeychainItem(service: service, account: account, accessGroup: accessGroup, accessible: accessible)
        }

        /// The stored value, nil when there is none that can be read.
        public func load() -> Value? { item.read().flatMap { try? JSONDecoder().decode(Value.self, from: $0) } }

        /// The stored value; nil only when there is no item. Throws `SecureValueStoreError.unreadable`.
        public func read() throws -> Value? {
            guard let data = try item.content() else { return nil }
            do {
                return try JSONDecoder().decode(Value.self, from: data)
            } catch {
                throw SecureValueStoreError.unreadable("the item does not hold what belongs there")
            }
        }

        /// Adds the item; false when there is one already. Throws `SecureValueStoreError.unwritable`.
        public func create(_ value: Value) throws -> Bool { try item.create(with: JSONEncoder().encode(value)) }

        /// Updates the item, or adds it.
        public func save(_ value: Value) {
            if let json = try? JSONEncoder().encode(value) { item.replace(with: json) }
        }

        /// Deletes the item.
        public func clear() { item.remove() }
    }

    extension AnyValueStore {
        /// In the Keychain of this device.
        public static func keychain(
            account: String, service: String = "network.calimero.merokit", accessGroup: String? = nil
        ) -> AnyValueStore<Value> {
            AnyValueStore(KeychainValueStore(service: service, account: account, accessGroup: accessGroup))
        }
    }
#endif
