import Foundation
import MeroKit

/// What a new device signs to be paired: 72 bytes, which go stale. Only nodes of the same generation read it.
///
/// Spec: 30, section 11.2; 50, section 6.4.
struct PairingStatement {
    static let size = 72
    static let lifetime: Int64 = 300

    let issuedAt: UInt64
    let signature: Data

    /// Nil for another size.
    init?(_ bytes: Data) {
        guard bytes.count == Self.size else { return nil }
        issuedAt = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        signature = Data(bytes.dropFirst(8))
    }

    /// Signs for a device.
    init(account: String, device: String, keys: DeviceKeys, at now: UInt64) throws {
        issuedAt = now
        signature = try keys.sign(
            Self.payload(account, device, keys.kemPublicKey, keys.signPublicKey, issuedAt: now))
    }

    var bytes: Data { LittleEndian.u64(issuedAt) + signature }

    func isSigned(account: String, device: String, kemPublicKey: String, signPublicKey: String) -> Bool {
        let payload = Self.payload(account, device, kemPublicKey, signPublicKey, issuedAt: issuedAt)
        guard let key = Hex.decode(signPublicKey) else { return false }
        return Ed25519.verify(publicKey: Data(key), signature: signature, message: payload)
    }

    func isFresh(at now: Int64) -> Bool {
        guard let issued = Int64(exactly: issuedAt) else { return false }
        return now - issued <= Self.lifetime && issued - now <= Self.lifetime
    }

    private static func payload(
        _ account: String, _ device: String, _ kem: String, _ sign: String, issuedAt: UInt64
    ) -> Data {
        let parts = [account, device, kem, sign].map { Data(Hex.decode($0) ?? []) }
        return domainHash("calimero.device.pairing.v1", parts + [LittleEndian.u64(issuedAt)])
    }
}
