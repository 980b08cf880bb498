#if canImport(SwiftUI) && canImport(Combine)
    import Combine
    import Foundation
    import MeroKit

    #if canImport(UIKit) && !os(watchOS)
        import UIKit
    #endif

    /// An app's sign-in for SwiftUI: publishes what `AppSession` is in.
    ///
    /// ```swift
    /// @StateObject private var client = MeroClient()
    /// var body: some Scene {
    ///     WindowGroup { MeroRootView(callback: .https(host: "app.example", path: "/enrol")).environmentObject(client) }
    /// }
    /// ```
    /// No method throws: failures land in `errorMessage`, which each operation clears first. Event streams are closed a few
    /// seconds after the app went to the background, and opened again when it is back. Spec: 70, section 13.1.
    @MainActor public final class MeroClient: ObservableObject {
        /// Signed in, with or without a relay.
        @Published public private(set) var isAuthenticated = false
        /// Whether an operation is under way.
        @Published public private(set) var isLoading = false
        /// The node, or the account's relay; empty when signed out and without a relay.
        @Published public private(set) var nodeURL = ""
        /// The node's user, or the account in short.
        @Published public private(set) var username = ""
        /// The last failure, for a person.
        @Published public private(set) var errorMessage: String?
        /// A description of what `runSampleRpc` returned.
        @Published public private(set) var lastRpcResult: String?
        /// The account, 64 hex characters; nil for a user of a node.
        @Published public private(set) var account: String?
        /// The account's relay.
        @Published public private(set) var relayURL: String?
        /// Signed in as an account that no relay serves yet.
        @Published public private(set) var isSignedInWithoutRelay = false
        /// Why reads or the relay are missing.
        @Published public private(set) var cloudNote: String?
        /// Everything that there is to show; the properties above are parts of it.
        @Published public private(set) var state = AppState()
        /// The account's connection; nil when signed out, and for a user of a node.
        public private(set) var connection: CloudConnection?

        /// What this publishes: invitations, selection, events and hosted logins are there.
        public nonisolated let session: AppSession
        private var operations = 0
        private var watching: Task<Void, Never>?
        private let observers = Observers()

        /// - Parameters:
        ///   - session: Nil takes the platform's default HTTP stack.
        ///   - tokenStore: Where the tokens of a node go.
        ///   - cloud: Nil keeps the account in the Keychain.
        ///   - webAuthenticator: Nil shows the system's sheet.
        public convenience init(
            session: URLSession? = nil,
            tokenStore: @escaping @Sendable () -> any TokenStore = { MemoryTokenStore() },
            cloud: CloudSignIn? = nil, webAuthenticator: (any WebAuthenticating)? = nil
        ) {
            self.init(
                AppSession(
                    AppSession.Setup(
                        tokenStore: tokenStore, cloud: cloud ?? .keychain(urlSession: session),
                        webAuthenticator: webAuthenticator ?? Self.systemAuthenticator, urlSession: session)))
        }

        /// Publishes a session that is set up otherwise, e.g. with a memory of its own.
        public init(_ session: AppSession) {
            self.session = session
            watching = Task { [weak self] in
                for await state in await session.states() { self?.show(state) }
            }
            #if canImport(UIKit) && !os(watchOS)
                observers.add(UIApplication.didEnterBackgroundNotification) { await session.suspend() }
                observers.add(UIApplication.willEnterForegroundNotification) { await session.resume() }
            #endif
        }

        deinit { watching?.cancel() }

        private static var systemAuthenticator: (any WebAuthenticating)? {
            #if canImport(AuthenticationServices) && (os(iOS) || os(macOS))
                return SystemWebAuthenticator()
            #else
                return nil
            #endif
        }

        /// The sign-in as an account.
        public nonisolated var cloudSignIn: CloudSignIn { session.setup.cloud }

        // MARK: Operations

        /// Signs in as an account, returning to a scheme of the app's own.
        public func signInWithCloud(callbackScheme: String) async {
            await signInWithCloud(callback: .scheme(callbackScheme))
        }

        /// Signs in as an account: the wallet's page certifies this device. A sheet that the person closes is no failure.
        public func signInWithCloud(callback: CloudCallback) async {
            await run { await $0.signInWithCloud(callback: callback) }
        }

        /// Completes a sign-in with the URL that the wallet's page returned to. False, and nothing changes, for any other URL.
        @discardableResult
        public func handleEnrolmentCallback(_ url: URL) async -> Bool {
            await run { await $0.handleEnrolmentCallback(url) }
        }

        /// Takes up the stored session. False when there is none.
        @discardableResult
        public func restoreCloudSession() async -> Bool { await run { await $0.restore() } }

        /// Signs in to a node with a user name and password.
        ///
        /// - Parameter bootstrapSecret: Of an older node's first login; nothing takes it any more.
        public func login(nodeURL: String, username: String, password: String, bootstrapSecret: String? = nil) async {
            await run { await $0.login(nodeURL: nodeURL, username: username, password: password) }
        }

        /// Calls a method, and keeps a description of what it returned.
        public func runSampleRpc(contextId: String, method: String) async {
            await run { await $0.runSampleRpc(contextId: contextId, method: method) }
        }

        /// Signs out; the device's keys stay.
        public func logout() async { await run { await $0.logout() } }

        private func run<Value: Sendable>(_ body: (AppSession) async -> Value) async -> Value {
            operations += 1
            isLoading = true
            let value = await body(session)
            operations -= 1
            connection = await session.connection
            show(await session.state)
            return value
        }

        private func show(_ state: AppState) {
            isLoading = operations > 0
            guard state != self.state else { return }
            self.state = state
            isAuthenticated = state.isAuthenticated
            nodeURL = state.nodeURL
            username = state.username
            errorMessage = state.errorMessage
            lastRpcResult = state.lastRpcResult
            account = state.account
            relayURL = state.relayURL
            isSignedInWithoutRelay = state.phase == .signedInWithoutRelay
            cloudNote = state.cloudNote
            Task { connection = await session.connection }
        }
    }

    /// Notifications that are listened to for as long as this exists.
    private final class Observers: @unchecked Sendable {
        // Safe to share: `tokens` is touched only while `lock` is held, and a notification centre takes calls from any thread.
        private let lock = NSLock()
        private var tokens: [any NSObjectProtocol] = []

        func add(_ name: Notification.Name, _ body: @escaping @Sendable () async -> Void) {
            let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                Task { await body() }
            }
            lock.lock()
            tokens.append(token)
            lock.unlock()
        }

        deinit {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }
#endif
