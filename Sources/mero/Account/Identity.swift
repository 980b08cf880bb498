import Foundation
import MeroKit

/// Who a profile acts as towards relays: the keys of this device, and the certificate that makes it one of an account's.
///
/// The account's root is not part of it. It is only ever typed, so that a stolen disk costs a device and not the account.
struct Identity: Codable, Sendable, Equatable {
    var keys: DeviceKeys
    /// Nil as long as nobody has certified the keys.
    var credential: String?

    /// What the certificate says, checked again; nil without one.
    func certificate() throws -> DeviceCredential? {
        guard let credential else { return nil }
        let certificate = try DeviceCertificates.verify(credential)
        guard certificate.signPublicKey == keys.signPublicKey, certificate.kemPublicKey == keys.kemPublicKey else {
            throw AccountError.credentialRejected("it certifies other keys than this device's")
        }
        return certificate
    }

    /// New keys, certified as a new device of the root's account.
    static func certified(by root: AccountRoot) throws -> Identity {
        let keys = DeviceKeys.generate()
        return Identity(keys: keys, credential: try credential(of: keys.signPublicKey, keys.kemPublicKey, by: root))
    }

    /// A certificate for these keys as a new device.
    static func credential(of signKey: String, _ kemKey: String, by root: AccountRoot) throws -> String {
        let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
        return try root.certify(device: device, signPublicKey: signKey, kemPublicKey: kemKey)
    }
}

extension Profile {
    /// Keys and certificate of the profile's device.
    var identityFile: URL { folder.appendingPathComponent("account.json") }

    /// Nil when the profile has none.
    func loadIdentity() throws -> Identity? {
        try Self.identity(at: identityFile, hint: "Look into it, then \"chmod 600\" or remove it")
    }

    /// The same, for a command that cannot do without.
    func identity() throws -> Identity {
        guard let identity = try loadIdentity() else {
            throw Failure(
                code: .notSignedIn, message: "Profile \"\(name)\" has no account",
                hint: "\"mero account new\" makes one, \"mero account import\" takes one over")
        }
        return identity
    }

    func save(_ identity: Identity) throws {
        try prepareFolder()
        try Self.write(identity, to: identityFile)
    }

    static func identity(at file: URL, hint: String) throws -> Identity? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let content = PrivateFile(path: file.path).read() else {
            throw Failure(
                code: .localFile, message: "The file \(file.path) cannot be read, or others can write to it", hint: hint
            )
        }
        guard let identity = try? MeroJSON.decode(Identity.self, from: content) else {
            throw Failure(
                code: .localFile, message: "The file \(file.path) does not hold a device and its account", hint: hint)
        }
        return identity
    }

    static func write(_ identity: Identity, to file: URL) throws {
        do {
            try PrivateFile(path: file.path).replace(with: MeroJSON.encode(identity) + Data("\n".utf8))
        } catch {
            throw Failure(
                code: .localFile, message: "The file \(file.path) cannot be written",
                hint: "Check the folder's owner and free space")
        }
    }
}
