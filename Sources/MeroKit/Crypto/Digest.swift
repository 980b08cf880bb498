#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import COpenSSL
#endif

/// SHA-256 and HMAC-SHA-256 over the platform's own cryptographic library.
package enum Digest {
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { sha256($0) } }

    package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        #if canImport(CryptoKit)
            var state = SHA256()
            state.update(bufferPointer: bytes)
            return Array(state.finalize())
        #else
            return [UInt8](unsafeUninitializedCapacity: 32) { output, count in
                let address = bytes.bindMemory(to: UInt8.self).baseAddress
                if let method {
                    EVP_Digest(address, bytes.count, output.baseAddress, nil, method.pointer, nil)
                } else {
                    SHA256(address, bytes.count, output.baseAddress)
                }
                count = 32
            }
        #endif
    }

    #if !canImport(CryptoKit)
        /// The library looks its hash up anew for every call that does not bring it along, which takes longer than to hash
        /// something small.
        private static let method: Method? = EVP_MD_fetch(nil, "SHA256", nil).map(Method.init(pointer:))

        /// `@unchecked Sendable`: the library only reads a method, and this one is never freed.
        private struct Method: @unchecked Sendable {
            let pointer: OpaquePointer
        }
    #endif

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

    /// The same for what is secret, and in memory that is overwritten in the end.
    package static func hmacSHA256(key: SecretBytes, _ bytes: UnsafeRawBufferPointer) -> SecretBytes {
        SecretBytes(count: 32) { output in
            key.withUnsafeBytes { key in
                #if canImport(CryptoKit)
                    let code = HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key))
                    code.withUnsafeBytes { output.copyMemory(from: $0) }
                #else
                    var length: UInt32 = 32
                    _ = HMAC(
                        EVP_sha256(), key.baseAddress, Int32(key.count),
                        bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
                        output.bindMemory(to: UInt8.self).baseAddress, &length)
                #endif
            }
        }
    }

    /// Compares without telling by its duration where the two differ.
    package static func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
