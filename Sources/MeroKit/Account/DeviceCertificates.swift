import Foundation

/// Reads, checks and makes device certificates, the "credentials" of devices.
///
/// Spec: 50, section 5.
public enum DeviceCertificates {
    private static let hexLength = 474
    private static let handoffsOffset = 33

    /// The account that a root key is the genesis of, 64 hex characters. Throws `AccountError.invalidInput`.
    public static func account(forRootPublicKey rootPublicKey: String) throws -> String {
        Hex.encode(AccountGenesis(rootPublicKey: try Hex.id(rootPublicKey, "rootPublicKey")).account)
    }

    /// A device id for an account, 64 hex characters. `nonce` has 16 random bytes, which the id begins with.
    ///
    /// Throws `AccountError.invalidInput` for another size. Spec: 50, section 4.
    public static func mintDeviceId(account: String, nonce: Data) throws -> String {
        guard nonce.count == 16 else {
            throw AccountError.invalidInput("the nonce of a device id must be 16 bytes, got \(nonce.count)")
        }
        return Hex.encode(deviceId(account: try Hex.id(account, "account"), nonce: nonce))
    }

    /// The 32 bytes that the root signs. Throws `AccountError.invalidInput`.
    public static func payload(
        account: String, device: String, signPublicKey: String, kemPublicKey: String, keyEpoch: UInt32,
        deviceEpoch: UInt32
    ) throws -> Data {
        try DeviceCertificate(
            account: Hex.id(account, "account"), device: Hex.id(device, "device"),
            signPublicKey: Hex.id(signPublicKey, "signPublicKey"),
            kemPublicKey: Hex.id(kemPublicKey, "kemPublicKey"), keyEpoch: keyEpoch, deviceEpoch: deviceEpoch
        ).payload
    }

    /// What a credential says, unchecked.
    ///
    /// Throws `AccountError.invalidInput` for what has not the length of a credential or is not hex,
    /// `.credentialRejected` for another genesis version and for an account whose root was handed on, which the SDK does
    /// not follow.
    public static func parse(_ credential: String) throws -> DeviceCredential { fields(of: try read(credential)) }

    private static func fields(of proof: AccountProof<DeviceCertificate>) -> DeviceCredential {
        let certificate = proof.statement
        return DeviceCredential(
            rootPublicKey: Hex.encode(proof.genesis.rootPublicKey), account: Hex.encode(certificate.account),
            device: Hex.encode(certificate.device), signPublicKey: Hex.encode(certificate.signPublicKey),
            kemPublicKey: Hex.encode(certificate.kemPublicKey), keyEpoch: certificate.keyEpoch,
            deviceEpoch: certificate.deviceEpoch, signature: Hex.encode(proof.signature))
    }

    /// Checks that the credential holds together: the account is the root's, the device id is the account's, the root
    /// signed. Throws what `parse(_:)` throws, and `AccountError.credentialRejected`.
    ///
    /// That the account is the one somebody meant, this cannot tell.
    public static func verify(_ credential: String) throws -> DeviceCredential {
        let proof = try read(credential)
        let parsed = fields(of: proof)
        let certificate = proof.statement
        guard proof.genesis.account == certificate.account else {
            throw AccountError.credentialRejected(
                "it was re-pointed at another account: \(parsed.account) is not the account of its root key")
        }
        guard deviceId(account: certificate.account, nonce: certificate.device.prefix(16)) == certificate.device else {
            throw AccountError.credentialRejected(
                "device \(parsed.device) was not minted for account \(parsed.account)")
        }
        guard
            Ed25519.verify(
                publicKey: proof.genesis.rootPublicKey, signature: proof.signature, message: certificate.payload)
        else {
            throw AccountError.credentialRejected("the account's root key did not sign this certificate")
        }
        return parsed
    }

    /// Certifies a device, as the root; the credential in hex. Throws `AccountError.invalidInput`.
    public static func certify(
        rootSeed: Data, device: String, signPublicKey: String, kemPublicKey: String, deviceEpoch: UInt32 = 0
    ) throws -> String {
        try AccountRoot(secret: rootSeed).certify(
            device: device, signPublicKey: signPublicKey, kemPublicKey: kemPublicKey, deviceEpoch: deviceEpoch)
    }

    /// Shape only, in the order of the spec.
    private static func read(_ credential: String) throws -> AccountProof<DeviceCertificate> {
        let text = credential.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Hex.decode(text).map({ Data($0) }), isWhole(bytes) else {
            throw AccountError.invalidInput("credential must be \(hexLength) hex characters, got \(text.count)")
        }
        guard bytes[0] == AccountGenesis.currentVersion else {
            throw AccountError.credentialRejected(
                "it has genesis version \(bytes[0]), and this SDK knows \(AccountGenesis.currentVersion)")
        }
        guard handoffs(in: bytes) == 0 else {
            throw AccountError.credentialRejected("it carries a root chain, which this SDK does not follow")
        }
        do {
            return try AccountProof<DeviceCertificate>(bytes)
        } catch {
            throw AccountError.invalidInput("credential must be \(hexLength) hex characters, got \(text.count)")
        }
    }

    /// Without handoffs, or as long as the handoffs it claims make it.
    private static func isWhole(_ bytes: Data) -> Bool {
        guard bytes.count >= hexLength / 2 else { return false }
        let excess = bytes.count - hexLength / 2
        return excess == 0 || UInt64(excess) == UInt64(handoffs(in: bytes)) * UInt64(RootHandoff.size)
    }

    private static func handoffs(in bytes: Data) -> UInt32 {
        bytes[handoffsOffset..<(handoffsOffset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    package static func deviceId(account: Data, nonce: Data) -> Data {
        nonce + domainHash("calimero.device.id.v1", [account, Data(nonce)]).prefix(16)
    }
}

extension AccountRoot {
    /// Certifies a device of this account; the credential in hex.
    ///
    /// Throws `AccountError.invalidInput` for what is no id or key. Spec: 50, section 5.
    public func certify(
        device: String, signPublicKey: String, kemPublicKey: String, deviceEpoch: UInt32 = 0
    ) throws -> String {
        let certificate = DeviceCertificate(
            account: try Hex.id(accountId, "account"), device: try Hex.id(device, "device"),
            signPublicKey: try Hex.id(signPublicKey, "signPublicKey"),
            kemPublicKey: try Hex.id(kemPublicKey, "kemPublicKey"), keyEpoch: 0, deviceEpoch: deviceEpoch)
        let signature = try sign(certificate.payload)
        return Hex.encode(try genesisProofHead + certificate.bytes + signature)
    }

    /// How everything begins that this root signs as the first of its account: genesis, and no handoffs.
    var genesisProofHead: Data {
        get throws {
            AccountGenesis(rootPublicKey: try Hex.id(publicKey, "publicKey")).bytes + LittleEndian.u32(0)
        }
    }
}
