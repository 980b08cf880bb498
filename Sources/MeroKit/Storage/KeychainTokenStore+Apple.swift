#if canImport(Security)
    import Foundation
    import Security

    /// Keeps a session in the Keychain, as one generic password.
    ///
    /// Failures are silent: an item that cannot be read (a device that was not unlocked since it started, a missing
    /// entitlement) reads as no session. An access group shares the session with the app's extensions. Spec: 10,
    /// section 7.5.
    public final class KeychainTokenStore: TokenStore {
        private let item: KeychainItem

        /// - Parameter accessible: when the item can be read. The default lets a background extension refresh while the
        ///   device is locked.
        public init(
            service: String = "network.calimero.merokit", account: String = "mero-tokens", accessGroup: String? = nil,
            accessible: CFString = kSecAttrAccessibleAfterFirstUnlock
        ) {
            item = KeychainItem(service: service, account: account, accessGroup: accessGroup, accessible: accessible)
        }

        /// The stored session, nil when there is none that can be read.
        public func getTokens() -> TokenData? {
            item.read().flatMap { try? JSONDecoder().decode(TokenData.self, from: $0) }
        }

        /// Updates the item, or adds it.
        public func setTokens(_ data: TokenData) {
            if let json = try? JSONEncoder().encode(data) { item.replace(with: json) }
        }

        /// Deletes the item.
        public func clear() { item.remove() }
    }
#endif
