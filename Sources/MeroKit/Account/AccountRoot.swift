import Foundation

/// The root of an account: the secret that certifies its devices, and that the recovery phrase stands for.
///
/// It never leaves the machine that made it. It cannot be encoded, and printing it shows the account only.
///
/// ```swift
/// let root = AccountRoot.generate()
/// write(down: root.phrase)
/// let again = try AccountRoot(phrase: typed)
/// ```
///
/// Spec: 50, section 3.
public struct AccountRoot: Sendable, Equatable {
    let seed: SecretBytes
    /// The root key, 64 hex characters.
    public let publicKey: String
    /// The account that the root is the genesis of, 64 hex characters.
    public let accountId: String

    /// A root that nobody had before.
    public static func generate() -> AccountRoot {
        while true {
            // A cryptographic library takes any 32 bytes; it can only fail for want of memory.
            if let root = try? AccountRoot(seed: SecretBytes(random: 32)) { return root }
        }
    }

    /// Takes a secret of 32 bytes. Throws `AccountError.invalidInput` for another size.
    public init(secret: Data) throws {
        guard secret.count == 32 else {
            throw AccountError.invalidInput("the root secret must be 32 bytes, got \(secret.count)")
        }
        try self.init(seed: SecretBytes(secret))
    }

    /// Reads the 24 words, in either case, with any white space between them. Throws `RecoveryPhraseError`.
    public init(phrase: String) throws { try self.init(seed: RecoveryPhrase.decode(phrase)) }

    private init(seed: SecretBytes) throws {
        self.seed = seed
        let key = try Ed25519.publicKey(seed: seed)
        publicKey = Hex.encode(key)
        accountId = Hex.encode(AccountGenesis(rootPublicKey: key).account)
    }

    /// The secret, 32 bytes: a copy.
    public var secret: Data { seed.data }

    /// The 24 words that stand for the secret. They are as secret as it.
    public var phrase: String { RecoveryPhrase.encode(seed) }

    /// An Ed25519 signature, 64 bytes, over exactly these bytes.
    public func sign(_ message: Data) throws -> Data { try Ed25519.sign(seed: seed, message: message) }

    /// The same secret.
    public static func == (left: AccountRoot, right: AccountRoot) -> Bool { left.seed == right.seed }
}

extension AccountRoot: Redacting {
    var printedFields: [PrintedField] { [.shown("accountId", accountId)] }
}
