import MeroKit

/// The node's half of `Noise_NK_25519_AESGCM_SHA256`.
///
/// Spec: 80, section 1.2.
struct NoiseResponder {
    struct Answer {
        /// Behind the version byte.
        let message: [UInt8]
        let requestKey: [UInt8]
        let responseKey: [UInt8]
    }

    enum Refusal: Error { case malformed, undecryptable }

    private var chaining: [UInt8]
    private var transcript: [UInt8]

    private init() {
        let name = Array("Noise_NK_25519_AESGCM_SHA256".utf8)
        chaining = name + [UInt8](repeating: 0, count: 32 - name.count)
        transcript = chaining
    }

    /// - Parameters:
    ///   - message: the client's, 48 bytes.
    ///   - payload: what the client is told.
    static func answer(
        _ message: [UInt8], secret: SecretBytes, publicKey: [UInt8], payload: [UInt8],
        ephemeral: SecretBytes = SecretBytes(random: 32)
    ) throws -> Answer {
        var noise = NoiseResponder()
        noise.hash(Array("calimero/sealed-http/v2".utf8))
        noise.hash(publicKey)
        let client = Array(message.prefix(32))
        noise.hash(client)
        guard let es = X25519.agreement(secret: secret, publicKey: client) else { throw Refusal.malformed }
        let first = noise.mix(es)
        let sealed = Array(message.dropFirst(32))
        guard let opened = AesGcm.open(sealed, key: first, nonce: Self.zero, aad: noise.transcript) else {
            throw Refusal.undecryptable
        }
        guard opened.isEmpty else { throw Refusal.malformed }
        noise.hash(sealed)
        let own = Array(try X25519.publicKey(secret: ephemeral))
        noise.hash(own)
        guard let ee = X25519.agreement(secret: ephemeral, publicKey: client) else { throw Refusal.malformed }
        let second = noise.mix(ee)
        guard let told = AesGcm.seal(payload, key: second, nonce: Self.zero, aad: noise.transcript) else {
            throw Refusal.malformed
        }
        let request = noise.mix([])
        return Answer(message: own + told, requestKey: noise.chaining, responseKey: request)
    }

    private static let zero = [UInt8](repeating: 0, count: 12)

    private mutating func hash(_ bytes: [UInt8]) { transcript = Digest.sha256(transcript + bytes) }

    /// The key that the input leads to.
    private mutating func mix(_ input: [UInt8]) -> [UInt8] {
        let extracted = Digest.hmacSHA256(key: chaining, input)
        chaining = Digest.hmacSHA256(key: extracted, [1])
        return Digest.hmacSHA256(key: extracted, chaining + [2])
    }
}
