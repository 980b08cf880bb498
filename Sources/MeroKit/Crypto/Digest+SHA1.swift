#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import COpenSSL
#endif

extension Digest {
    /// SHA-1, for the opening handshake of WebSockets alone: there it proves that the other side has read the request, and
    /// keeps nothing secret (RFC 6455, section 10.8).
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return Array(Insecure.SHA1.hash(data: bytes))
        #else
            var output = [UInt8](repeating: 0, count: 20)
            _ = SHA1(bytes, bytes.count, &output)
            return output
        #endif
    }
}
