#if canImport(Security)
    import Foundation

    extension CloudSignIn {
        /// Keeps everything but the warrant numbers in the Keychain of this device.
        ///
        /// - Parameters:
        ///   - service: Two devices need two services.
        ///   - accessGroup: Shares the items with an extension.
        public static func keychain(
            config: CloudConfig = CloudConfig(), service: String = "network.calimero.merokit",
            accessGroup: String? = nil, urlSession: URLSession? = nil
        ) -> CloudSignIn {
            CloudSignIn(
                config: config,
                keyStore: .keychain(account: "cloud-device-keys", service: service, accessGroup: accessGroup),
                sessionStore: .keychain(account: "cloud-session", service: service, accessGroup: accessGroup),
                tokenStore: KeychainTokenStore(
                    service: service, account: "cloud-relay-tokens", accessGroup: accessGroup),
                urlSession: urlSession,
                pendingStore: .keychain(
                    account: "cloud-pending-enrolment", service: service, accessGroup: accessGroup))
        }
    }
#endif
