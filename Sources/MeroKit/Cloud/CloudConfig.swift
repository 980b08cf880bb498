import Foundation

/// How an app's sign-in by way of the wallet and the cloud is set up.
///
/// Spec: 70, section 7.
public struct CloudConfig: Sendable {
    /// The wallet's page, where a device is certified.
    public var walletURL: URL
    /// The cloud's API.
    public var cloudBaseURL: URL
    /// Who asks relays for sessions.
    public var audience: LoginAudience
    /// A label of the sessions at relays; nil takes the relay's URL.
    public var clientName: String?
    /// Says which key a relay's attestation tells.
    public var relayKeyVerifier: any RelayKeyVerifier
    /// How long a warrant is valid, in seconds.
    public var warrantTTLSeconds: UInt64
    /// How relays are spoken to: limits, trust, and `Sealing.signedRelays()` to seal what they are sent.
    public var relayOptions: HttpOptions
    /// How the cloud is spoken to: limits and trust. It is no node: sealing plays no part.
    public var cloudOptions: HttpOptions
    /// Seconds without progress before a request to the cloud or to a relay fails; what has a small answer may take three
    /// times as long as a whole. Nil takes each client's own, 10 or 15 seconds.
    public var timeout: TimeInterval?

    /// Makes a value of its parts.
    public init(
        walletURL: URL = DeviceEnrolment.defaultWalletURL, cloudBaseURL: URL = CloudClient.defaultBaseURL,
        audience: LoginAudience = .current, clientName: String? = nil,
        relayKeyVerifier: any RelayKeyVerifier = TLSRelayKeyVerifier(), warrantTTLSeconds: UInt64 = 300,
        relayOptions: HttpOptions = HttpOptions(), cloudOptions: HttpOptions = HttpOptions(),
        timeout: TimeInterval? = nil
    ) {
        self.walletURL = walletURL
        self.cloudBaseURL = cloudBaseURL
        self.audience = audience
        self.clientName = clientName
        self.relayKeyVerifier = relayKeyVerifier
        self.warrantTTLSeconds = warrantTTLSeconds
        self.relayOptions = relayOptions
        self.cloudOptions = cloudOptions
        self.timeout = timeout
    }
}
