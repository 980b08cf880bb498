#if canImport(Security)
    import Foundation
    import Security

    /// Keeps a session in the Keychain, as one generic password.
    ///
    /// Failures are silent: an item that cannot be read (a device that was not unlocked since it started, a missing
    /// entitlement) reads as no session. An access group shares the session with the app's extensions. Spec: 10,
    /// section 7.5.
    // The one property that is not Sendable by itself, `accessible`, is an immutable string, and nothing here changes.
    public final class KeychainTokenStore: TokenStore, @unchecked Sendable {
        private let service: String
        private let account: String
        private let accessGroup: String?
        private let accessible: CFString

        /// - Parameter accessible: when the item can be read. The default lets a background extension refresh while the
        ///   device is locked.
        public init(
            service: String = "network.calimero.merokit", account: String = "mero-tokens", accessGroup: String? = nil,
            accessible: CFString = kSecAttrAccessibleAfterFirstUnlock
        ) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
            self.accessible = accessible
        }

        /// The stored session, nil when there is none that can be read.
        public func getTokens() -> TokenData? {
            var query = item
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess, let data = result as? Data
            else {
                return nil
            }
            return try? JSONDecoder().decode(TokenData.self, from: data)
        }

        /// Updates the item, or adds it.
        public func setTokens(_ data: TokenData) {
            guard let json = try? JSONEncoder().encode(data) else { return }
            let content: [String: Any] = [
                kSecValueData as String: json, kSecAttrAccessible as String: accessible,
            ]
            let update = { SecItemUpdate(self.item as CFDictionary, content as CFDictionary) }
            guard update() == errSecItemNotFound else { return }
            let added = SecItemAdd(item.merging(content) { $1 } as CFDictionary, nil)
            // Another process was faster.
            if added == errSecDuplicateItem { _ = update() }
        }

        /// Deletes the item.
        public func clear() {
            SecItemDelete(item as CFDictionary)
        }

        private var item: [String: Any] {
            var item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: account,
            ]
            if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
            return item
        }
    }
#endif
