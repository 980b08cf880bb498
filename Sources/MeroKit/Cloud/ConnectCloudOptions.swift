import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How `connectCloud` is to sign in, and as whom to write.
///
/// Printing it never shows tokens or keys. Spec: 70, section 9.
public struct ConnectCloudOptions: Sendable {
    /// The cloud's API.
    public var cloudBaseURL: URL
    /// A login session from an earlier run. Wins over `googleIdToken`.
    public var sessionToken: String?
    /// An ID token of Google's, for a new login session.
    public var googleIdToken: String?
    /// See `CloudAccountClient.init`.
    public var onSession: (@Sendable (CloudLoginSession?) async -> Void)?
    /// The account that writes, 64 hex characters.
    public var authorAccount: String
    /// The device's certificate, in hex.
    public var authorProof: String
    /// The seed of the device's signing key, 64 hex characters. Either this or `signer`.
    public var deviceSecret: String?
    /// Signs as the device. Either this or `deviceSecret`.
    public var signer: (any DeviceSigner)?
    /// Which of the user's namespaces; nil where there is only one.
    public var namespaceId: String?
    /// The device's own, kept across restarts; nil keeps them in the user defaults.
    public var nonces: (any WarrantNonceStore)?
    /// How long a warrant is valid, in seconds.
    public var ttlSeconds: UInt64
    /// The key that the relay signs with, pinned or attested: events work with it. Nil takes the cloud's word, if it has one.
    public var relayNodeKey: String?
    /// Who asks for events; nil takes `LoginAudience.current`.
    public var observeAudience: LoginAudience?
    /// Seconds without progress before a request to the cloud fails; as a whole it may take three times as long.
    public var timeout: TimeInterval
    /// Nil takes the platform's default HTTP stack.
    public var urlSession: URLSession?
    /// How the relay is spoken to: limits, trust, and `Sealing.signedRelays()` to seal what it is sent.
    public var relayOptions: HttpOptions
    /// How the cloud is spoken to: limits and trust. It is no node: sealing plays no part.
    public var cloudOptions: HttpOptions

    /// Makes a value of its parts.
    public init(
        authorAccount: String, authorProof: String, deviceSecret: String? = nil, signer: (any DeviceSigner)? = nil,
        sessionToken: String? = nil, googleIdToken: String? = nil, namespaceId: String? = nil,
        relayNodeKey: String? = nil, observeAudience: LoginAudience? = nil, nonces: (any WarrantNonceStore)? = nil,
        ttlSeconds: UInt64 = 300, onSession: (@Sendable (CloudLoginSession?) async -> Void)? = nil,
        cloudBaseURL: URL = CloudClient.defaultBaseURL, timeout: TimeInterval = 10, urlSession: URLSession? = nil,
        relayOptions: HttpOptions = HttpOptions(), cloudOptions: HttpOptions = HttpOptions()
    ) {
        self.cloudBaseURL = cloudBaseURL
        self.sessionToken = sessionToken
        self.googleIdToken = googleIdToken
        self.onSession = onSession
        self.authorAccount = authorAccount
        self.authorProof = authorProof
        self.deviceSecret = deviceSecret
        self.signer = signer
        self.namespaceId = namespaceId
        self.nonces = nonces
        self.ttlSeconds = ttlSeconds
        self.relayNodeKey = relayNodeKey
        self.observeAudience = observeAudience
        self.timeout = timeout
        self.urlSession = urlSession
        self.relayOptions = relayOptions
        self.cloudOptions = cloudOptions
    }
}

extension ConnectCloudOptions: Redacting {
    var printedFields: [PrintedField] {
        [
            .shown("cloudBaseURL", cloudBaseURL), .secret("sessionToken"), .secret("googleIdToken"),
            .shown("authorAccount", authorAccount), .shown("authorProof", authorProof), .secret("deviceSecret"),
            .shown("namespaceId", namespaceId ?? "nil"), .shown("ttlSeconds", ttlSeconds),
            .shown("relayNodeKey", relayNodeKey ?? "nil"), .shown("timeout", timeout),
        ]
    }
}

extension ConnectCloudOptions {
    /// What signs. Throws `AccountError.invalidInput` for anything but one key.
    var device: any DeviceSigner {
        get throws {
            switch (deviceSecret, signer) {
            case (_?, _?):
                throw AccountError.invalidInput("connectCloud takes either deviceSecret or signer, not both")
            case (nil, nil): throw AccountError.invalidInput("connectCloud: deviceSecret or signer is required")
            case (nil, let signer?):
                _ = try signer.signPublicKeyBytes
                return signer
            case (let secret?, nil):
                let seed = try Hex.decode(
                    secret.trimmingCharacters(in: .whitespacesAndNewlines), label: "deviceSecret", bytes: 32)
                // Nothing is sealed to whoever writes through a relay: the other key plays no part.
                return try DeviceKeys(signSecret: seed, kemSecret: randomBytes(32))
            }
        }
    }

    /// Throws `AccountError.invalidInput` for what no relay could take.
    func checkAuthor() throws {
        _ = try Hex.id(authorAccount, "authorAccount")
        guard try !Hex.decodeUnsized(authorProof, label: "authorProof").isEmpty else {
            throw AccountError.invalidInput("authorProof is empty")
        }
        if let relayNodeKey { _ = try Hex.id(relayNodeKey, "relayNodeKey") }
    }
}
