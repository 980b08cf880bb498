/// The initiator's half of the handshake `Noise_NK_25519_AESGCM_SHA256`, which opens a sealed session.
///
/// Only the holder of the responder's static key, the transport key that an attestation names, can answer it. Whatever is
/// secret in it lies in memory that is overwritten once it has served. Spec: 80, section 1.2.
struct NoiseHandshake: Sendable {
    static let protocolName = "Noise_NK_25519_AESGCM_SHA256"
    static let prologue = "calimero/sealed-http/v2"
    /// `0x02`, the transport key, the ephemeral key, a tag.
    static let requestSize = 81
    /// How much of an answer is looked at. A proper one has 69 bytes.
    static let replyLimit = 1024

    private static let version: UInt8 = 2
    private static let payloadSize = 20

    /// What both sides know after it.
    struct Outcome: Sendable {
        /// 16 bytes, chosen by the node.
        let sessionId: [UInt8]
        /// How long the node keeps the session.
        let lifetimeSeconds: UInt32
        let requestKey: SecretBytes
        let responseKey: SecretBytes
    }

    private let ephemeral: SecretBytes
    private var state: SymmetricState
    /// What is posted to the node.
    let request: [UInt8]

    /// Throws `SealedTransportError.transportKey` for a key that nothing can be agreed with.
    ///
    /// - Parameter ephemeral: fresh for every handshake; given only by tests.
    init(transportKey: [UInt8], ephemeral: SecretBytes = SecretBytes(random: 32)) throws {
        guard transportKey.count == 32, ephemeral.count == 32,
            let own = ephemeral.withUnsafeBytes(Curve25519Backend.x25519PublicKey),
            let shared = X25519.agreedSecret(secret: ephemeral, publicKey: transportKey)
        else { throw SealedTransportError.transportKey }
        self.ephemeral = ephemeral
        state = SymmetricState(protocolName: Self.protocolName)
        state.mixHash(Array(Self.prologue.utf8))
        state.mixHash(transportKey)
        state.mixHash(own)
        state.mixKey(shared)
        guard let tag = state.encryptAndHash([]) else { throw SealedTransportError.transportKey }
        request = [Self.version] + transportKey + own + tag
    }

    /// Reads what the node answered. Throws `SealedTransportError.handshake` for anything that the holder of the transport
    /// key did not write for this handshake.
    consuming func finish(_ reply: [UInt8]) throws -> Outcome {
        guard reply.first == Self.version, reply.count >= 49 else { throw SealedTransportError.handshake }
        let message = reply.dropFirst()
        let responder = Array(message.prefix(32))
        state.mixHash(responder)
        guard let shared = X25519.agreedSecret(secret: ephemeral, publicKey: responder) else {
            throw SealedTransportError.handshake
        }
        state.mixKey(shared)
        guard let payload = state.decryptAndHash(Array(message.dropFirst(32))), payload.count == Self.payloadSize else {
            throw SealedTransportError.handshake
        }
        let keys = state.split()
        return Outcome(
            sessionId: Array(payload.prefix(16)),
            lifetimeSeconds: payload.dropFirst(16).reduce(0) { $0 << 8 | UInt32($1) },
            requestKey: keys.first, responseKey: keys.second)
    }
}

/// What a Noise handshake has hashed so far, and the key that it has come to.
private struct SymmetricState: Sendable {
    private var chainingKey: SecretBytes
    private var hash: [UInt8]
    private var key = SecretBytes([UInt8]())
    private var counter: UInt64 = 0

    init(protocolName: String) {
        let name = Array(protocolName.utf8)
        hash = name + [UInt8](repeating: 0, count: max(0, 32 - name.count))
        chainingKey = SecretBytes(hash)
    }

    mutating func mixHash(_ bytes: [UInt8]) { hash = Digest.sha256(hash + bytes) }

    mutating func mixKey(_ input: SecretBytes) {
        (chainingKey, key) = Self.derive(chainingKey, input)
        counter = 0
    }

    mutating func encryptAndHash(_ plaintext: [UInt8]) -> [UInt8]? {
        guard let sealed = withKey({ AesGcm.seal(plaintext, key: $0, nonce: nonce, aad: hash) }) else { return nil }
        counter += 1
        mixHash(sealed)
        return sealed
    }

    mutating func decryptAndHash(_ sealed: [UInt8]) -> [UInt8]? {
        guard let plaintext = withKey({ AesGcm.open(sealed, key: $0, nonce: nonce, aad: hash) }) else { return nil }
        counter += 1
        mixHash(sealed)
        return plaintext
    }

    func split() -> (first: SecretBytes, second: SecretBytes) { Self.derive(chainingKey, SecretBytes([UInt8]())) }

    private var nonce: [UInt8] { [0, 0, 0, 0] + BigEndian.bytes(counter) }

    private func withKey<Result>(_ body: ([UInt8]) -> Result) -> Result {
        var copy = key.withUnsafeBytes { Array($0) }
        defer { copy.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        return body(copy)
    }

    /// HKDF-SHA-256 with no info, 64 bytes, cut in two.
    private static func derive(_ salt: SecretBytes, _ input: SecretBytes) -> (SecretBytes, SecretBytes) {
        let extracted = input.withUnsafeBytes { Digest.hmacSHA256(key: salt, $0) }
        let first = withUnsafeBytes(of: UInt8(1)) { Digest.hmacSHA256(key: extracted, $0) }
        let rest = SecretBytes(count: first.count + 1) { room in
            first.withUnsafeBytes { room.copyMemory(from: $0) }
            room[first.count] = 2
        }
        return (first, rest.withUnsafeBytes { Digest.hmacSHA256(key: extracted, $0) })
    }
}

/// Integers with their highest byte first.
enum BigEndian {
    static func bytes(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    static func bytes(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
