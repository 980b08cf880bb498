import Foundation
import MeroKit

/// `mero cloud login` and `mero cloud logout`.
enum CloudLoginActs {
    static func login(_ invocation: Invocation) async throws -> ExitCode {
        let desk = try CloudDesk(invocation)
        let ways = [OptionSpec.googleFromInput, .owner, .certified].filter(invocation.arguments.has)
        guard ways.count < 2 else {
            throw Failure(
                code: .usage, message: "\(ways[0].flag) and \(ways[1].flag) are two ways to sign in",
                hint: "Leave out one of them")
        }
        if invocation.arguments.has(.phraseFromInput), ways != [.owner] {
            throw Failure(code: .usage, message: "--phrase-stdin needs --owner", hint: "Nothing was sent")
        }
        switch ways.first {
        case OptionSpec.certified?: try await takeUp(desk)
        case let way?: try await signInOwner(desk, google: way == .googleFromInput)
        case nil: try await enrol(desk)
        }
        return .done
    }

    // MARK: - This device, by the certificate that it has

    private static func takeUp(_ desk: CloudDesk) async throws {
        let identity = try desk.profile.identity()
        guard let credential = identity.credential, let certificate = try identity.certificate() else {
            throw Failure(
                code: .notSignedIn, message: "The keys of profile \"\(desk.profile.name)\" are not certified yet",
                hint: "Leave out --certified, and the wallet certifies them")
        }
        let stored = CloudFiles.Device(
            cloud: desk.cloud.text, wallet: desk.wallet.text,
            session: CloudSession(
                account: certificate.account, device: certificate.device, credential: credential))
        let device = CloudDevice(desk: desk, identity: identity, stored: stored, isNew: true)
        let session: CloudSession
        do {
            session = try await device.signIn.refreshRelay()
        } catch {
            throw CloudFailure.describing(error)
        }
        try await device.checkKept()
        try tell(session, desk)
    }

    // MARK: - This device, at the wallet

    private static func enrol(_ desk: CloudDesk) async throws {
        let held = try desk.profile.loadIdentity()
        let identity = held ?? Identity(keys: .generate(), credential: nil)
        // Before the wallet certifies them: keys that are lost afterwards would leave a device that nobody is.
        if held == nil { try desk.profile.save(identity) }
        let signIn = CloudSignIn(
            config: desk.config, keyStore: .memory(identity.keys), sessionStore: .memory(),
            nonces: MemoryWarrantNonceStore())
        let callback = try await WalletCallback.start(port: desk.arguments.ports(.callbackPort).last ?? 0)
        let session: CloudSession
        do {
            session = try await complete(signIn, callback, desk)
            try await keep(session, identity.keys, desk)
        } catch {
            await callback.end(saying: "This did not work. mero says why, in its terminal.")
            throw error
        }
        await callback.end(saying: "This device is signed in. You can close this page.")
        try tell(session, desk)
    }

    private static func complete(
        _ signIn: CloudSignIn, _ callback: WalletCallback, _ desk: CloudDesk
    ) async throws -> CloudSession {
        let page = try await signIn.beginEnrolment(callbackURL: callback.url)
        let query = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems ?? []
        callback.expect(state: query.last { $0.name == "state" }?.value ?? "", wallet: page)
        let console = desk.console
        let way = desk.profile.wayToWallet
        defer { way.remove() }
        let isOpened =
            try !desk.arguments.has(.noBrowser)
            && open(callback.startURL, by: way, desk.invocation.surroundings.variables)
        let shown = isOpened ? callback.startURL : page.absoluteString
        try console.line(
            isOpened
                ? "Your browser opens the wallet, where this device is to be approved. If it does not, open this page:"
                : "Open this page in a browser, and approve the device there:")
        try console.line("  " + shown.printable)
        try console.document(["event": "open", "url": .string(shown), "callback": .string(callback.url)])
        let answer = try await callback.answer(
            within: desk.arguments.seconds(.wait) ?? standardWait, pasted: try pasting(desk),
            complain: { try? console.remark($0) })
        return try await signIn.completeEnrolment(answer)
    }

    /// Other users see what the browser is started with, and whoever opens the page first could have this device certified
    /// for an account of theirs: so the browser is given a file that only its owner can read, and that leads there.
    private static func open(_ page: String, by way: PrivateFile, _ variables: [String: String]) throws -> Bool {
        do {
            try way.replace(with: Data(CallbackPage.leading(to: page).utf8))
        } catch {
            throw Failure(
                code: .localFile, message: "The file \(way.path) cannot be written",
                hint: "Check the folder's owner and free space, or use --no-browser")
        }
        return Browser.open(URL(fileURLWithPath: way.path).absoluteString, variables: variables)
    }

    /// What somebody at a terminal pastes; nil where there is nobody.
    private static func pasting(_ desk: CloudDesk) throws -> (@Sendable () async throws -> String?)? {
        let input = desk.invocation.surroundings.input
        guard input.isTerminal, !desk.console.json else { return nil }
        try desk.console.line("A browser elsewhere cannot come back here: paste the address that it ends at.")
        return {
            let line = try await input.line(hidden: false, limit: 65_536)
            return line.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// How long the wallet's answer is waited for, in seconds.
    private static let standardWait: TimeInterval = 300

    private static func keep(_ session: CloudSession, _ keys: DeviceKeys, _ desk: CloudDesk) async throws {
        try await desk.profile.withCloudFiles { try keepLocked(session, keys, desk) }
    }

    private static func keepLocked(_ session: CloudSession, _ keys: DeviceKeys, _ desk: CloudDesk) throws {
        // The person at the wallet took a while, and other commands may have run.
        guard let identity = try desk.profile.loadIdentity(), identity.keys.signPublicKey == keys.signPublicKey else {
            throw Failure(
                code: .refused,
                message: "Profile \"\(desk.profile.name)\" holds another device by now than the one that the wallet "
                    + "certified", hint: "Nothing was changed: run the command again")
        }
        let held = identity.credential.flatMap { try? DeviceCertificates.verify($0) }
        if let held, held.account != session.account, !desk.arguments.has(.replaceCertificate) {
            throw Failure(
                code: .refused,
                message: "The wallet certified this device for account \(session.account), and profile "
                    + "\"\(desk.profile.name)\" belongs to account \(held.account)",
                hint: "Nothing was changed: use --profile NAME for the other account, or --replace to give this one up")
        }
        // Tokens that another session left are of no use to this one.
        desk.profile.removeDeviceTokens()
        try desk.profile.save(Identity(keys: identity.keys, credential: session.credential))
        try desk.profile.save(
            CloudFiles.Device(cloud: desk.cloud.text, wallet: desk.wallet.text, session: session))
    }

    private static func tell(_ session: CloudSession, _ desk: CloudDesk) throws {
        let console = desk.console
        try console.line("Signed in as account \(session.account).")
        if let relay = session.relayUrl { try console.line("Its relay is \(relay.printable).") }
        if let note = session.note { try console.line(note.printable) }
        try console.line(
            session.isRelayless
                ? "Next: mero invite accept \(Self.placeholder) --as-account\(desk.profileWords)"
                : "Next: mero cloud connect\(desk.profileWords)")
        try console.document([
            "event": "signed-in", "profile": .string(desk.profile.name), "cloud": .string(desk.cloud.text),
            "account": .string(session.account), "device": .string(session.device),
            "relayUrl": .optional(session.relayUrl), "executorAccount": .optional(session.executorAccount),
            "note": .optional(session.note),
        ])
    }

    private static let placeholder = "INVITATION"

    // MARK: - The cloud's user

    private static func signInOwner(_ desk: CloudDesk, google: Bool) async throws {
        let client = CloudAccountClient(baseURL: desk.cloud.url, timeout: desk.timeout, options: desk.options)
        let session: CloudLoginSession
        if google {
            let token = try await idToken(desk)
            session = try await owned { try await client.signInWithGoogle(idToken: token) }
        } else {
            let root = try await RootInput(invocation: desk.invocation).ask()
            session = try await owned { try await client.signInWithAccount(root: root) }
        }
        let kept = CloudFiles.Owner(cloud: desk.cloud.text, session: session)
        try await desk.profile.withCloudFiles { try desk.profile.save(kept) }
        let console = desk.console
        try console.line("Signed in to \(desk.cloud.text) as \(session.user.email.printable).")
        try console.line("Next: mero cloud namespaces\(desk.profileWords)")
        let expires = session.expiresAt > 0 ? Date(timeIntervalSince1970: TimeInterval(session.expiresAt)) : nil
        try console.document([
            "event": "signed-in", "profile": .string(desk.profile.name), "cloud": .string(desk.cloud.text),
            "user": .string(session.user.email), "expiresAt": .time(expires),
        ])
    }

    private static func owned(
        _ body: () async throws -> CloudLoginSession
    ) async throws -> CloudLoginSession {
        do {
            return try await body()
        } catch MeroError.http(let answer) where answer.status == 401 || answer.status == 403 {
            throw Failure(
                code: .notSignedIn, message: "The cloud did not accept this login (HTTP \(answer.status))",
                hint: "A Google token has to be fresh; an account has to be linked to a cloud user (in the wallet)",
                status: answer.status)
        } catch {
            throw CloudFailure.describing(error)
        }
    }

    private static func idToken(_ desk: CloudDesk) async throws -> String {
        let bytes = try await desk.invocation.surroundings.input.everything(limit: 16_384)
        let token = String(exactly: bytes)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Failure(
                code: .usage, message: "There is no Google ID token on standard input", hint: "Nothing was sent")
        }
        return token
    }

    // MARK: - Signing out

    static func logout(_ invocation: Invocation) async throws -> ExitCode {
        let profile = try Connection.profile(invocation)
        // What is damaged cannot be ended elsewhere, but here: the files go whatever fails.
        let held = profile.cloudFiles.contains { FileManager.default.fileExists(atPath: $0.path) }
        var stored: (device: CloudFiles.Device?, owner: CloudFiles.Owner?) = (nil, nil)
        var problem: (any Error)?
        do { stored.device = try profile.loadCloudDevice() } catch { problem = error }
        do { stored.owner = try profile.loadCloudOwner() } catch { problem = error }
        // The place of each session, whatever cloud is the present one.
        if let device = stored.device {
            do {
                // The relay's token is all that ending a session takes: any keys will do where the device's cannot be read.
                let identity = (try? profile.identity()) ?? Identity(keys: .generate(), credential: nil)
                let desk = try CloudDesk(invocation)
                let signedIn = CloudDevice(desk: desk, identity: identity, stored: device)
                await signedIn.signIn.signOut()
                await signedIn.settle()
            } catch {
                problem = error
            }
        }
        if let owner = stored.owner, let cloud = NodeAddress(owner.cloud) {
            do {
                let desk = try CloudDesk(invocation)
                try await CloudAccountClient(
                    baseURL: cloud.url, sessionToken: owner.session.sessionToken, timeout: desk.timeout,
                    options: desk.options
                ).signOut()
            } catch {
                problem = CloudFailure.describing(error)
            }
        }
        await profile.removeCloudFiles()
        let was = held || stored.device != nil || stored.owner != nil
        let console = invocation.console
        try console.line(
            was
                ? "Signed out. The keys of this device stay."
                : "Profile \"\(profile.name)\" was not signed in to the cloud.")
        if let problem {
            try console.remark("Not everybody was told: \(Failure(describing: problem).message)")
        }
        try console.document([
            "profile": .string(profile.name), "wasSignedIn": .bool(was), "cloudWasTold": .bool(problem == nil),
        ])
        return .done
    }
}

extension Profile {
    /// Leads a browser to where the device is to be approved, while a login is under way.
    fileprivate var wayToWallet: PrivateFile {
        PrivateFile(path: folder.appendingPathComponent("cloud-login-\(Hex.encode(randomBytes(8))).html").path)
    }

    func removeDeviceTokens() { PrivateFile(path: cloudTokensFile.path).remove() }
}

extension OptionSpec {
    static let certified = OptionSpec(
        name: "certified",
        help:
            "Sign this device in by the certificate that it has (\"mero account new\", \"import\"), without the wallet."
    )
    static let replaceCertificate = OptionSpec(
        name: "replace", help: "Let the profile belong to another account than before. Its keys stay.")
    static let noBrowser = OptionSpec(
        name: "no-browser", help: "Open no browser: print the page's address.")
    static let callbackPort = OptionSpec(
        name: "port", value: .port, help: "Where the wallet's answer is waited for; any free port when not given.")
    static let wait = OptionSpec(
        name: "wait", value: .seconds, help: "How long to wait for the person at the wallet (300 when not given).")
    static let owner = OptionSpec(
        name: "owner",
        help: "Sign in as the cloud's user that the account is linked to, by the account's recovery phrase.")
    static let googleFromInput = OptionSpec(
        name: "google-stdin", help: "Sign in as the cloud's user, by a Google ID token from standard input.")
}
