#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import COpenSSL
#endif

/// SHA-256 and HMAC-SHA-256 over the platform's own cryptographic library.
package enum Digest {
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return Array(SHA256.hash(data: bytes))
        #else
            var output = [UInt8](repeating: 0, count: 32)
            _ = SHA256(bytes, bytes.count, &output)
            return output
        #endif
    }

    package static func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
        #else
            var output = [UInt8](repeating: 0, count: 32)
            var length: UInt32 = 32
            _ = HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &output, &length)
            return output
        #endif
    }

    /// Compares without telling by its duration where the two differ.
    package static func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
