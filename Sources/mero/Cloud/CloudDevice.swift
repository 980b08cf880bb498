import Foundation
import MeroKit

/// The account that is signed in on this device, at work with the cloud and its relay.
struct CloudDevice: Sendable {
    let identity: Identity
    let signIn: CloudSignIn
    let session: CloudSession
    private let store: CloudSessionFile

    /// - Parameter isNew: The profile does not hold the session yet.
    init(desk: CloudDesk, identity: Identity, stored: CloudFiles.Device, isNew: Bool = false) {
        self.identity = identity
        session = stored.session
        store = CloudSessionFile(profile: desk.profile, device: stored, isNew: isNew)
        signIn = CloudSignIn(
            config: desk.config, keyStore: .memory(identity.keys), sessionStore: AnyValueStore(store),
            tokenStore: CloudTokenFile(FileTokenStore(url: desk.profile.cloudTokensFile), of: store),
            nonces: desk.profile.nonces(of: identity.keys))
    }

    /// Waits until everything is written that was to be kept. Throws when something could not be.
    func checkKept() async throws {
        await settle()
        if let failure = store.failure { throw failure }
    }

    /// Waits until everything is written that was to be kept, or has failed to be.
    func settle() async { await store.settle() }
}

extension Profile {
    /// The numbers of a device's warrants and joins, shared by all commands: none may be signed twice.
    func nonces(of keys: DeviceKeys) -> FileWarrantNonceStore {
        FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces-\(keys.signPublicKey.prefix(16))"))
    }
}
