/// The curves that certificates and quotes use.
package enum EcdsaCurve: Sendable {
    case p256
    case p384

    /// Of a coordinate, and of either half of a signature, in bytes.
    var size: Int { self == .p256 ? 32 : 48 }
}

/// What is hashed before a signature.
enum EcdsaHash: Sendable {
    case sha256
    case sha384
}

/// A key that verifies ECDSA signatures, on the platform's own cryptographic library.
///
/// Spec: 80, section 8.
struct EcdsaPublicKey: Sendable, Equatable {
    let curve: EcdsaCurve
    /// `x || y`, each in full length.
    let point: [UInt8]

    /// Nil when the point has another length. Whether it is on the curve shows when the key is used.
    init?(_ curve: EcdsaCurve, point: some Collection<UInt8>) {
        guard point.count == 2 * curve.size else { return nil }
        self.curve = curve
        self.point = Array(point)
    }

    /// - Parameter signature: `r || s`, each in full length.
    func verifies(_ signature: [UInt8], over message: some Collection<UInt8>, hash: EcdsaHash) -> Bool {
        guard signature.count == 2 * curve.size else { return false }
        return EcdsaBackend.verify(signature, message: Array(message), hash: hash, key: self)
    }

    /// - Parameter signature: In DER.
    func verifies(der signature: [UInt8], over message: some Collection<UInt8>, hash: EcdsaHash) -> Bool {
        guard let raw = try? EcdsaSignature.raw(der: signature, curve: curve) else { return false }
        return verifies(raw, over: message, hash: hash)
    }
}

/// The two spellings of a signature.
package enum EcdsaSignature {
    /// `r || s` of a SEQUENCE of exactly these two numbers.
    package static func raw(der: [UInt8], curve: EcdsaCurve) throws(AttestationError) -> [UInt8] {
        var numbers = try DerReader.whole(der, DerTag.sequence, "signature").inner
        var raw: [UInt8] = []
        for _ in 0..<2 {
            let number = try numbers.next(DerTag.integer, "half of a signature").natural()
            guard number.count <= curve.size else { throw DerReader.malformed("half of a signature is too large") }
            raw += [UInt8](repeating: 0, count: curve.size - number.count) + number
        }
        try numbers.finish()
        return raw
    }

    /// The SEQUENCE of two numbers of `r || s`.
    static func der(raw: [UInt8]) -> [UInt8] {
        let half = raw.count / 2
        let content = integer(raw[..<half]) + integer(raw[half...])
        // At most 102 bytes: a length of one byte.
        return [DerTag.sequence, UInt8(truncatingIfNeeded: content.count)] + content
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 & 0x80 != 0 }) ?? true { digits.insert(0, at: 0) }
        return [DerTag.integer, UInt8(truncatingIfNeeded: digits.count)] + digits
    }
}
