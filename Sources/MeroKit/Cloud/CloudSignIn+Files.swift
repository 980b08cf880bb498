import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CloudSignIn {
    /// Keeps everything in files of one folder, each with mode 0600: for systems without a Keychain.
    ///
    /// - Parameters:
    ///   - directory: One device's own. It is made with mode 0700 if it is not there.
    ///   - config: Addresses of the wallet and the cloud, and how they are spoken to.
    ///   - urlSession: Nil takes the platform's default HTTP stack.
    public static func files(
        directory: URL, config: CloudConfig = CloudConfig(), urlSession: URLSession? = nil
    ) -> CloudSignIn {
        func file(_ name: String) -> URL { directory.appendingPathComponent(name) }
        return CloudSignIn(
            config: config, keyStore: AnyValueStore(FileValueStore(url: file("cloud-device-keys.json"))),
            sessionStore: AnyValueStore(FileValueStore(url: file("cloud-session.json"))),
            tokenStore: FileTokenStore(url: file("cloud-relay-tokens.json")),
            nonces: FileWarrantNonceStore(directory: file("nonces")), urlSession: urlSession,
            pendingStore: AnyValueStore(FileValueStore(url: file("cloud-pending-enrolment.json"))))
    }
}
