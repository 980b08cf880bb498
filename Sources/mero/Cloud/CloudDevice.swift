import Foundation
import MeroKit

/// The account that is signed in on this device, at work with the cloud and its relay.
struct CloudDevice: Sendable {
    let identity: Identity
    let signIn: CloudSignIn
    let session: CloudSession
    private let store: CloudSessionFile

    init(desk: CloudDesk, identity: Identity, stored: CloudFiles.Device) {
        self.identity = identity
        session = stored.session
        store = CloudSessionFile(profile: desk.profile, stored: stored)
        signIn = CloudSignIn(
            config: desk.config, keyStore: .memory(identity.keys), sessionStore: AnyValueStore(store),
            tokenStore: FileTokenStore(url: desk.profile.cloudTokensFile),
            nonces: desk.profile.nonces(of: identity.keys))
    }

    /// Throws when something that was to be kept could not be.
    func checkKept() throws { if let failure = store.failure { throw failure } }
}

/// The session of the device as `CloudSignIn` keeps it: in the profile, beside the hosts that it belongs to.
final class CloudSessionFile: SecureValueStore {
    private let profile: Profile
    private let state: Locked<(stored: CloudFiles.Device?, failure: Failure?)>

    init(profile: Profile, stored: CloudFiles.Device) {
        self.profile = profile
        hosts = (stored.cloud, stored.wallet)
        state = Locked((stored, nil))
    }

    private let hosts: (cloud: String, wallet: String)

    /// Why the last change could not be written.
    var failure: Failure? { state.withLock { $0.failure } }

    func load() -> CloudSession? { state.withLock { $0.stored?.session } }

    func save(_ session: CloudSession) {
        let stored = CloudFiles.Device(cloud: hosts.cloud, wallet: hosts.wallet, session: session)
        state.withLock { state in
            state.stored = stored
            do {
                try profile.save(stored)
                state.failure = nil
            } catch {
                state.failure = Failure(describing: error)
            }
        }
    }

    func clear() {
        state.withLock { $0.stored = nil }
        PrivateFile(path: profile.cloudDeviceFile.path).remove()
    }
}

extension Profile {
    /// The numbers of a device's warrants and joins, shared by all commands: none may be signed twice.
    func nonces(of keys: DeviceKeys) -> FileWarrantNonceStore {
        FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces-\(keys.signPublicKey.prefix(16))"))
    }
}
