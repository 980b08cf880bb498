/// What a device certificate says: which device, with which keys, belongs to which account.
///
/// Ids, keys and the signature are lower-case hex. Spec: 50, section 5.2.
public struct DeviceCredential: Sendable, Equatable {
    /// The key whose hash the account is, and that signed.
    public let rootPublicKey: String
    /// The account.
    public let account: String
    /// The device.
    public let device: String
    /// What the device signs with.
    public let signPublicKey: String
    /// What nodes seal to.
    public let kemPublicKey: String
    /// Which of the account's root keys signed: 0 for the first.
    public let keyEpoch: UInt32
    /// Rises when the device is certified anew.
    public let deviceEpoch: UInt32
    /// By the root, 128 hex characters.
    public let signature: String
}
