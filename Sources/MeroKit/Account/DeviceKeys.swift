import Foundation

/// The two keys that a device is: one signs, to the other nodes seal what the device may read.
///
/// As JSON it is `{"sign_sk":"<64 hex>","kem_sk":"<64 hex>"}`. Keep it on the device, and never in a keychain that is
/// synchronised. Printing it never shows a key. Spec: 50, sections 4 and 23.1.
///
/// ```swift
/// let keys = try DeviceKeys.stored(in: store)
/// let url = try DeviceEnrolment.url(
///     devicePublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey, callbackURL: "https://app.example/enrol",
///     state: DeviceEnrolment.makeState())
/// ```
public struct DeviceKeys: Sendable, Equatable {
    private let signSeed: SecretBytes
    private let kemSeed: SecretBytes
    private let signingKey: Ed25519.SigningKey
    /// The public half of the signing key, 64 hex characters.
    public let signPublicKey: String
    /// The public half of the key that nodes seal to, 64 hex characters.
    public let kemPublicKey: String

    /// Takes two secrets of 32 bytes. Throws `AccountError.invalidInput` for another size.
    public init(signSecret: Data, kemSecret: Data) throws {
        for (name, secret) in [("signSecret", signSecret), ("kemSecret", kemSecret)] where secret.count != 32 {
            throw AccountError.invalidInput("\(name) must be 32 bytes, got \(secret.count)")
        }
        try self.init(signSeed: SecretBytes(signSecret), kemSeed: SecretBytes(kemSecret))
    }

    private init(signSeed: SecretBytes, kemSeed: SecretBytes) throws {
        self.signSeed = signSeed
        self.kemSeed = kemSeed
        signingKey = try Ed25519.SigningKey(seed: signSeed)
        signPublicKey = Hex.encode(try Ed25519.publicKey(seed: signSeed))
        kemPublicKey = Hex.encode(try X25519.publicKey(secret: kemSeed))
    }

    /// Keys that nobody had before.
    public static func generate() -> DeviceKeys {
        while true {
            // A cryptographic library takes any 32 bytes; it can only fail for want of memory.
            if let keys = try? DeviceKeys(signSeed: SecretBytes(random: 32), kemSeed: SecretBytes(random: 32)) {
                return keys
            }
        }
    }

    /// Two callers at once must not both find nothing, and go on as two devices.
    private static let creation = Gate()

    /// Keys that could not be stored, by the place where they belong: one device for as long as the process runs.
    private static let unstored = Locked<[String: DeviceKeys]>([:])

    /// The stored keys, else new ones, which are stored before they are returned.
    ///
    /// Throws `SecureValueStoreError` when keys are stored and cannot be read, or new ones cannot be stored. What is stored is
    /// never replaced: lost keys are a lost device.
    public static func stored(in store: AnyValueStore<DeviceKeys>) throws -> DeviceKeys {
        try creation.pass { try readOrCreate(in: store) }
    }

    private static func readOrCreate(in store: AnyValueStore<DeviceKeys>) throws -> DeviceKeys {
        if let keys = try store.read() { return keys }
        let keys = generate()
        if try store.create(keys) { return keys }
        // Another process was faster.
        guard let keys = try store.read() else { throw SecureValueStoreError.unreadable("it was there, and is gone") }
        return keys
    }

    /// The stored keys, else new ones, which are stored before they are returned.
    ///
    /// Where that fails, the keys are those of this process alone: a store that cannot be read is left as it is. Use
    /// `stored(in:)` to hear of it, or `loadOrCreate(in:onFailure:)`.
    public static func loadOrCreate(in store: AnyValueStore<DeviceKeys>) -> DeviceKeys {
        loadOrCreate(in: store) { _ in }
    }

    /// The same, telling why the keys will not outlive the process.
    ///
    /// - Parameters:
    ///   - store: Where the keys survive.
    ///   - onFailure: Called before this returns, with what `stored(in:)` would have thrown.
    public static func loadOrCreate(
        in store: AnyValueStore<DeviceKeys>, onFailure: (any Error) -> Void
    ) -> DeviceKeys {
        creation.pass {
            do {
                return try readOrCreate(in: store)
            } catch {
                onFailure(error)
                guard let place = store.place else { return generate() }
                return unstored.withLock { unstored in
                    if let keys = unstored[place] { return keys }
                    let keys = generate()
                    unstored[place] = keys
                    return keys
                }
            }
        }
    }

    /// The seed of the signing key, 32 bytes: a copy.
    public var signSecret: Data { signSeed.data }

    /// The secret half of the key that nodes seal to, 32 bytes: a copy.
    public var kemSecret: Data { kemSeed.data }

    /// `signSecret` in hex.
    public var deviceSecret: String { signSeed.withUnsafeBytes { Hex.encode($0) } }

    /// An Ed25519 signature, 64 bytes, over exactly these bytes.
    public func sign(_ message: Data) throws -> Data { try signingKey.sign(message) }

    /// The same keys.
    public static func == (left: DeviceKeys, right: DeviceKeys) -> Bool {
        left.signSeed == right.signSeed && left.kemSeed == right.kemSeed
    }
}

extension DeviceKeys: DeviceSigner {}

extension DeviceKeys: Codable {
    private enum CodingKeys: String, CodingKey {
        case sign = "sign_sk"
        case kem = "kem_sk"
    }

    /// Throws `DecodingError` for anything but two texts of 64 hex characters.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func secret(_ key: CodingKeys) throws -> Data {
            guard let bytes = Hex.decode(try container.decode(String.self, forKey: key)), bytes.count == 32 else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "a secret has 64 hex characters")
            }
            return Data(bytes)
        }
        try self.init(signSecret: secret(.sign), kemSecret: secret(.kem))
    }

    /// Writes both secrets, in lower-case hex.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(deviceSecret, forKey: .sign)
        try container.encode(kemSeed.withUnsafeBytes { Hex.encode($0) }, forKey: .kem)
    }
}

extension DeviceKeys: Redacting {
    var printedFields: [PrintedField] {
        [
            .shown("signPublicKey", signPublicKey), .shown("kemPublicKey", kemPublicKey), .secret("signSecret"),
            .secret("kemSecret"),
        ]
    }
}
