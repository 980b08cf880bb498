/// What the wallet's page came back with, unchecked.
///
/// Spec: 50, section 7.2.
public struct EnrolmentCallback: Sendable, Equatable {
    /// The device's certificate, in hex.
    public let credential: String
    /// The account, as the wallet reports it.
    public let account: String
    /// The device, as the wallet reports it.
    public let device: String
    /// The request that this answers, if the wallet said so.
    public let state: String?

    /// Makes a value of its parts.
    public init(credential: String, account: String, device: String, state: String?) {
        self.credential = credential
        self.account = account
        self.device = device
        self.state = state
    }
}

/// A device that its account has certified, and that was checked.
///
/// Spec: 50, section 7.3.
public struct EnrolledDevice: Sendable, Equatable {
    /// The certificate, in lower-case hex.
    public let credential: String
    /// The account, 64 hex characters.
    public let account: String
    /// The device, 64 hex characters.
    public let device: String
    /// What the certificate says.
    public let certificate: DeviceCredential
}
