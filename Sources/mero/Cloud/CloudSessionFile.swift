import Foundation
import MeroKit

/// The session of the device as `CloudSignIn` keeps it: in the profile, beside the hosts that it belongs to.
///
/// Other commands of the profile run at the same time. What one began with counts only as long as the profile holds it: a
/// session that another command ended or replaced is not read any more, and does not come back.
///
/// `CloudSignIn` asks and stores without waiting, and another command may hold the files' lock for a while. So changes are
/// made in turn on a queue that may wait, and what is asked for meanwhile is what they are about to leave. `settle()` waits
/// until they are made.
final class CloudSessionFile: SecureValueStore {
    private struct State {
        /// What the profile holds as far as this command knows.
        var known: CloudFiles.Device?
        /// What the command began with, until it has stored something.
        var unstored: CloudSession?
        /// Changes that are not made yet, the first ones first; nil ends the session.
        var underWay: [CloudFiles.Device?] = []
        var failure: Failure?
    }

    private let profile: Profile
    private let hosts: (cloud: String, wallet: String)
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "mero.cloud-files")

    /// - Parameter isNew: The profile does not hold `device` yet: it takes the place of what is there now.
    init(profile: Profile, device: CloudFiles.Device, isNew: Bool) {
        self.profile = profile
        hosts = (device.cloud, device.wallet)
        state = Locked(
            isNew ? State(known: profile.heldDevice(), unstored: device.session) : State(known: device))
    }

    /// Why the last change that was made could not be written.
    var failure: Failure? { state.withLock { $0.failure } }

    func load() -> CloudSession? {
        state.withLock { state in
            let held = profile.heldDevice()
            guard ([state.known] + state.underWay).contains(where: { isSame(held, $0) }) else { return nil }
            if let next = state.underWay.last { return next?.session }
            return state.unstored ?? held?.session
        }
    }

    func save(_ session: CloudSession) {
        change(to: CloudFiles.Device(cloud: hosts.cloud, wallet: hosts.wallet, session: session))
    }

    func clear() { change(to: nil) }

    private func change(to next: CloudFiles.Device?) {
        state.withLock { $0.underWay.append(next) }
        queue.async { [self] in
            let known = state.withLock { $0.known }
            let result = Result {
                try profile.withCloudFilesBlocking {
                    guard isSame(profile.heldDevice(), known) else {
                        // Whoever took the session's place is not signed out with it.
                        if next == nil { return }
                        throw Self.overtaken
                    }
                    if let next {
                        try profile.save(next)
                    } else {
                        PrivateFile(path: profile.cloudDeviceFile.path).remove()
                    }
                }
            }
            state.withLock { state in
                state.underWay.removeFirst()
                switch result {
                case .success: (state.known, state.unstored, state.failure) = (next, nil, nil)
                case .failure(let error): state.failure = Failure(describing: error)
                }
            }
        }
    }

    /// Does something, in turn with the changes, to what belongs to the session, unless another command ended or replaced it
    /// by then.
    func whileHeld(_ body: @escaping @Sendable () throws -> Void) {
        queue.async { [self] in
            let known = state.withLock { $0.known }
            try? profile.withCloudFilesBlocking {
                guard isSame(profile.heldDevice(), known) else { return }
                try body()
            }
        }
    }

    /// Runs once everything that was asked for before is done.
    func afterwards(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Waits until everything that was asked for is done.
    func settle() async {
        await withCheckedContinuation { continuation in afterwards { continuation.resume() } }
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
    /// What the file is about to hold: nil inside for nothing. Each with its number, so that only the last one counts.
    private let next = Locked<(number: Int, tokens: TokenData?, isUnderWay: Bool)>((0, nil, false))

    init(_ file: FileTokenStore, of session: CloudSessionFile) {
        self.file = file
        self.session = session
    }

    func getTokens() -> TokenData? {
        guard session.load() != nil else { return nil }
        let next = next.withLock { $0 }
        return next.isUnderWay ? next.tokens : file.getTokens()
    }

    func setTokens(_ data: TokenData) { change(to: data) }

    /// Never throws: what could not be written is missing at the next command, which logs in anew.
    func store(_ tokens: TokenData) { change(to: tokens) }

    func clear() { change(to: nil) }

    private func change(to tokens: TokenData?) {
        let number = next.withLock { next in
            next = (next.number + 1, tokens, true)
            return next.number
        }
        session.whileHeld { [file] in
            if let tokens { try file.store(tokens) } else { file.clear() }
        }
        session.afterwards { [self] in
            next.withLock { if $0.number == number { $0 = (number, nil, false) } }
        }
    }

    /// What `body` has stored is in the file when the next one's turn comes.
    func withExclusiveAccess<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await file.withExclusiveAccess {
            do {
                let value = try await body()
                await session.settle()
                return value
            } catch {
                await session.settle()
                throw error
            }
        }
    }
}
