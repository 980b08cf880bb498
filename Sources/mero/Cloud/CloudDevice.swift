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

    /// Throws when something that was to be kept could not be.
    func checkKept() throws { if let failure = store.failure { throw failure } }
}

/// The session of the device as `CloudSignIn` keeps it: in the profile, beside the hosts that it belongs to.
///
/// Other commands of the profile run at the same time. What one began with counts only as long as the profile holds it: a
/// session that another command ended or replaced is not read any more, and does not come back.
final class CloudSessionFile: SecureValueStore {
    private struct State {
        /// What the profile holds as far as this command knows.
        var known: CloudFiles.Device?
        /// What the command began with, until it has stored something.
        var unstored: CloudSession?
        var failure: Failure?
    }

    private let profile: Profile
    private let hosts: (cloud: String, wallet: String)
    private let state: Locked<State>

    /// - Parameter isNew: The profile does not hold `device` yet: it takes the place of what is there now.
    init(profile: Profile, device: CloudFiles.Device, isNew: Bool) {
        self.profile = profile
        hosts = (device.cloud, device.wallet)
        state = Locked(
            isNew ? State(known: profile.heldDevice(), unstored: device.session) : State(known: device))
    }

    /// Why the last change could not be written.
    var failure: Failure? { state.withLock { $0.failure } }

    func load() -> CloudSession? {
        state.withLock { state in
            let held = profile.heldDevice()
            guard isSame(held, state.known) else { return nil }
            return state.unstored ?? held?.session
        }
    }

    func save(_ session: CloudSession) {
        let stored = CloudFiles.Device(cloud: hosts.cloud, wallet: hosts.wallet, session: session)
        state.withLock { state in
            do {
                try profile.withCloudFiles {
                    guard isSame(profile.heldDevice(), state.known) else { throw Self.overtaken }
                    try profile.save(stored)
                }
                state = State(known: stored)
            } catch {
                state.failure = Failure(describing: error)
            }
        }
    }

    func clear() {
        state.withLock { state in
            do {
                try profile.withCloudFiles {
                    guard isSame(profile.heldDevice(), state.known) else { return }
                    PrivateFile(path: profile.cloudDeviceFile.path).remove()
                }
                state = State()
            } catch {
                state.failure = Failure(describing: error)
            }
        }
    }

    /// Does something to what belongs to the session, unless another command ended or replaced it. Throws `Failure` then.
    func whileHeld(_ body: () throws -> Void) throws {
        try state.withLock { state in
            try profile.withCloudFiles {
                guard isSame(profile.heldDevice(), state.known) else { throw Self.overtaken }
                try body()
            }
        }
    }

    private static let overtaken = Failure(
        code: .notSignedIn, message: "Another command has signed out, or in anew, meanwhile",
        hint: "Nothing of this one's session was kept")

    /// The relay may have changed: that is the same sign-in.
    private func isSame(_ one: CloudFiles.Device?, _ other: CloudFiles.Device?) -> Bool {
        one?.cloud == other?.cloud && one?.session.account == other?.session.account
            && one?.session.device == other?.session.device && one?.session.credential == other?.session.credential
    }
}

/// The tokens of the relay that a device goes by, for as long as its session is in the profile.
final class CloudTokenFile: CoordinatingTokenStore {
    private let file: FileTokenStore
    private let session: CloudSessionFile

    init(_ file: FileTokenStore, of session: CloudSessionFile) {
        self.file = file
        self.session = session
    }

    func getTokens() -> TokenData? { session.load() == nil ? nil : file.getTokens() }

    func setTokens(_ data: TokenData) { try? store(data) }

    func store(_ tokens: TokenData) throws { try session.whileHeld { try file.store(tokens) } }

    func clear() { try? session.whileHeld { file.clear() } }

    func withExclusiveAccess<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await file.withExclusiveAccess(body)
    }
}

extension Profile {
    /// The numbers of a device's warrants and joins, shared by all commands: none may be signed twice.
    func nonces(of keys: DeviceKeys) -> FileWarrantNonceStore {
        FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces-\(keys.signPublicKey.prefix(16))"))
    }
}
