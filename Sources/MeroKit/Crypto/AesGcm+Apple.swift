#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// AES-256-GCM with a nonce of 12 bytes and a tag of 16, by CryptoKit. Nil where the library says no.
    enum AesGcmBackend {
        static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
            guard key.count == 32, let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.seal(plaintext, using: SymmetricKey(data: key), nonce: nonce)
            else { return nil }
            return Array(box.ciphertext + box.tag)
        }

        static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
            guard key.count == 32, sealed.count >= 16, let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16)),
                let plaintext = try? AES.GCM.open(box, using: SymmetricKey(data: key))
            else { return nil }
            return Array(plaintext)
        }
    }
#endif
