import Foundation

@testable import MeroKit

/// An account with one certified device.
struct AccountDevice: Sendable {
    let root: AccountRoot
    let account: String
    let keys: DeviceKeys
    let credential: String

    init() throws {
        root = AccountRoot.generate()
        keys = DeviceKeys.generate()
        account = try DeviceCertificates.account(forRootPublicKey: root.publicKey)
        credential = try DeviceCertificates.certify(
            rootSeed: root.secret, device: DeviceCertificates.mintDeviceId(account: account, nonce: randomBytes(16)),
            signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
    }
}

/// Signs by way of a closure, like a vault that never shows its key.
struct ClosureSigner: DeviceSigner {
    let signPublicKey: String
    let body: @Sendable (Data) async throws -> Data

    func sign(_ message: Data) async throws -> Data { try await body(message) }
}
