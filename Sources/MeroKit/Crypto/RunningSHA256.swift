#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import COpenSSL
#endif

/// SHA-256 over bytes that come piece by piece, for what should not be in memory as a whole.
///
/// Not safe to share between threads.
package final class RunningSHA256 {
    #if canImport(CryptoKit)
        private var state = SHA256()

        package init() {}

        package func update(_ bytes: UnsafeRawBufferPointer) { state.update(bufferPointer: bytes) }

        /// The digest of everything so far; nil when the library could not work, for want of memory.
        package func finish() -> [UInt8]? { Array(state.finalize()) }
    #else
        private let context = EVP_MD_CTX_new()
        private var isWell: Bool

        package init() {
            isWell = context != nil && EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
        }

        deinit { EVP_MD_CTX_free(context) }

        package func update(_ bytes: UnsafeRawBufferPointer) {
            guard isWell, !bytes.isEmpty else { return }
            isWell = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
        }

        /// The digest of everything, once; nil when the library could not work, for want of memory.
        package func finish() -> [UInt8]? {
            guard isWell else { return nil }
            isWell = false
            var output = [UInt8](repeating: 0, count: 32)
            return EVP_DigestFinal_ex(context, &output, nil) == 1 ? output : nil
        }
    #endif
}
