#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import COpenSSL
#endif

/// SHA-256 of what comes in pieces.
final class RunningSHA256 {
    #if canImport(CryptoKit)
        private var hash = SHA256()

        func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

        /// The hash of all pieces, to be asked for once.
        func finish() -> [UInt8] { Array(hash.finalize()) }
    #else
        private let context = EVP_MD_CTX_new()

        init() { EVP_DigestInit_ex(context, EVP_sha256(), nil) }

        deinit { EVP_MD_CTX_free(context) }

        func update(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

        /// The hash of all pieces, to be asked for once.
        func finish() -> [UInt8] {
            var output = [UInt8](repeating: 0, count: 32)
            EVP_DigestFinal_ex(context, &output, nil)
            return output
        }
    #endif
}
