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

        func read() -> Data? { try? content() }

        /// The same, telling an item that is not there (nil) from one that cannot be read.
        func content() throws -> Data? {
            var query = identity
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = result as? Data else {
                throw SecureValueStoreError.unreadable("the Keychain answers \(status)")
            }
            return data
        }

        /// Adds the item; false when there is one already.
        func create(with data: Data) throws -> Bool {
            let content: [String: Any] = [
                kSecValueData as String: data, kSecAttrAccessible as String: accessible,
            ]
            let status = SecItemAdd(identity.merging(content) { $1 } as CFDictionary, nil)
            if status == errSecDuplicateItem { return false }
            guard status == errSecSuccess else {
                throw SecureValueStoreError.unwritable("the Keychain answers \(status)")
            }
            return true
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
