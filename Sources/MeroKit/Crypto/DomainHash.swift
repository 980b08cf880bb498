import Foundation

/// SHA-256 of the bytes, 32 bytes.
public func sha256(_ data: Data) -> Data { Data(Digest.sha256(Array(data))) }

/// So many bytes that nobody can predict.
public func randomBytes(_ count: Int) -> Data { Data(SecureRandom.bytes(max(0, count))) }

/// The 32 bytes that a signed object is signed as: a hash over its domain and its parts, each behind its length as 64
/// bits.
///
/// The lengths keep parts apart, and the domain keeps an object from being taken for one of another kind. Spec: 50,
/// section 1.4.
public func domainHash(_ domain: String, _ parts: [Data]) -> Data {
    let domain = Data(domain.utf8)
    var input = Data(capacity: parts.reduce(8 + domain.count) { $0 + 8 + $1.count })
    for part in [domain] + parts {
        input.append(LittleEndian.u64(UInt64(part.count)))
        input.append(part)
    }
    return sha256(input)
}

/// Integers with their lowest byte first.
public enum LittleEndian {
    /// 4 bytes.
    public static func u32(_ value: UInt32) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

    /// 8 bytes.
    public static func u64(_ value: UInt64) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
}
