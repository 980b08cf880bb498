#if canImport(Security)
    import Foundation
    import Security

    /// One generic password of the Keychain. Failures are silent: what cannot be read is not there.
    // The one property that is not Sendable by itself, `accessible`, is an immutable string, and nothing here changes.
    struct KeychainItem: @unchecked Sendable {
        let service: String
        let account: String
        let accessGroup: String?
        let accessible: CFString

        func read() -> Data? {
            var query = identity
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
            return result as? Data
        }

        /// Updates the item, or adds it.
        func replace(with data: Data) {
            let content: [String: Any] = [
                kSecValueData as String: data, kSecAttrAccessible as String: accessible,
            ]
            let update = { SecItemUpdate(identity as CFDictionary, content as CFDictionary) }
            guard update() == errSecItemNotFound else { return }
            let added = SecItemAdd(identity.merging(content) { $1 } as CFDictionary, nil)
            // Another process was faster.
            if added == errSecDuplicateItem { _ = update() }
        }

        func remove() { SecItemDelete(identity as CFDictionary) }

        private var identity: [String: Any] {
            var identity: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: account,
            ]
            if let accessGroup { identity[kSecAttrAccessGroup as String] = accessGroup }
            return identity
        }
    }
#endif
