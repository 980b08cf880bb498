import Foundation

/// SHA-256 of the bytes, 32 bytes.
public func sha256(_ data: Data) -> Data { data.withUnsafeBytes { Data(Digest.sha256($0)) } }

/// So many bytes that nobody can predict.
public func randomBytes(_ count: Int) -> Data { Data(SecureRandom.bytes(max(0, count))) }

/// The 32 bytes that a signed object is signed as: a hash over its domain and its parts, each behind its length as 64
/// bits.
///
/// The lengths keep parts apart, and the domain keeps an object from being taken for one of another kind. Spec: 50,
/// section 1.4.
public func domainHash(_ domain: String, _ parts: [Data]) -> Data {
    var input = BorshWriter(capacity: parts.reduce(8 + domain.utf8.count) { $0 + 8 + $1.count })
    input.u64(UInt64(domain.utf8.count))
    input.text(domain)
    for part in parts {
        input.u64(UInt64(part.count))
        input.raw(part)
    }
    return input.withUnsafeBytes { Data(Digest.sha256($0)) }
}

/// Integers with their lowest byte first.
public enum LittleEndian {
    /// 4 bytes.
    public static func u32(_ value: UInt32) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

    /// 8 bytes.
    public static func u64(_ value: UInt64) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
}
