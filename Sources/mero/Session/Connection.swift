import Foundation
import MeroKit

/// Which node a command talks to, as which profile, and how: options before environment before settings.
struct Connection: Sendable {
    let profile: Profile
    let settings: Profile.Settings
    let node: NodeAddress
    let certificateAuthorityFile: URL?
    private let console: Console
    /// Of one attempt, without any progress, in seconds.
    var timeout: TimeInterval
    static let standardTimeout: TimeInterval = 10
    private let retryPolicy: RetryPolicy
    private let sealing: Sealing?

    init(_ invocation: Invocation) throws {
        guard let connection = try Self.ifNamed(invocation) else {
            throw Failure(
                code: .notSignedIn, message: "Profile \"\(try Self.profile(invocation).name)\" is not signed in",
                hint: "Run \"mero login --node URL\" (\"mero discover\" looks for nodes on this machine)")
        }
        self = connection
    }

    init(_ invocation: Invocation, profile: Profile, settings: Profile.Settings, node: NodeAddress) throws {
        let arguments = invocation.arguments
        self.profile = profile
        self.settings = settings
        self.node = node
        console = invocation.console
        timeout = arguments.seconds(.timeout) ?? Self.standardTimeout
        retryPolicy = Self.retryPolicy(arguments.text(.retry))
        certificateAuthorityFile = try Self.certificates(arguments.text(.cacert) ?? settings.certificateAuthorityFile)
        sealing = try SealedChoice.sealing(
            invocation, to: node, isRelay: false, certificateAuthorityFile: certificateAuthorityFile)
    }

    /// Nil when neither options, nor environment, nor settings name a node.
    static func ifNamed(_ invocation: Invocation) throws -> Connection? {
        let profile = try Self.profile(invocation)
        let settings = try profile.loadSettings()
        let named = invocation.arguments.text(.node) ?? invocation.surroundings.setting("MERO_NODE") ?? settings.node
        guard let named else { return nil }
        guard let node = NodeAddress(named) else {
            throw Failure(
                code: .usage,
                message: "The node's address \"\(NodeAddress.shown(named))\" cannot be used: "
                    + (NodeAddress.complaint(about: named) ?? ""),
                hint: "It comes from MERO_NODE or from the profile; give another one with --node URL")
        }
        return try Connection(invocation, profile: profile, settings: settings, node: node)
    }

    static func profile(_ invocation: Invocation) throws -> Profile {
        let variables = invocation.surroundings.variables
        let name =
            invocation.arguments.text(.profile) ?? invocation.surroundings.setting("MERO_PROFILE")
            ?? ProfileName.standard
        if let complaint = ProfileName.complaint(about: name) {
            throw Failure(
                code: .usage, message: "MERO_PROFILE cannot be used: \(complaint)", hint: "Set it to another name")
        }
        return Profile(name: name, variables: variables)
    }

    private static func retryPolicy(_ word: String?) -> RetryPolicy {
        switch word {
        case "unsent": return .onlyIfUnsent
        case "never": return .never
        default: return .documented
        }
    }

    static func certificates(_ path: String?) throws -> URL? {
        guard let path else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw Failure(
                code: .localFile, message: "The certificate file \(path) cannot be read",
                hint: "Give a readable PEM file with --cacert")
        }
        return URL(fileURLWithPath: path).absoluteURL
    }
}

extension Connection {
    /// The session with this node. Every node has a file of its own, so that no token can be shown to another one.
    var store: FileTokenStore { FileTokenStore(url: profile.tokensFile(for: node)) }

    /// The user that signed in to this node last.
    var user: String? {
        let isThisNode = settings.node.flatMap(NodeAddress.init)?.isSameNode(as: node) ?? false
        return isThisNode ? settings.user : nil
    }

    /// A client that starts without a session and keeps none.
    func anonymous(retry: RetryPolicy? = nil) -> Mero { Mero(config: config(store: nil, retry: retry)) }

    /// A client that goes on with the profile's session. Throws when there is none for this node.
    func signedIn(retry: RetryPolicy? = nil) throws -> Mero {
        let store = store
        guard store.getTokens() != nil else {
            throw Failure(
                code: .notSignedIn, message: "Profile \"\(profile.name)\" is not signed in to \(node.text)",
                hint: signInHint)
        }
        return Mero(
            config: config(store: store, retry: retry) { _ in
                // The next command would present a token that is spent by then.
                try? console.remark("The renewed session could not be saved: sign in again before the next command.")
            })
    }

    /// Signs in and keeps the session in the profile.
    func signIn(_ credentials: Credentials) async throws -> TokenData {
        let isSaved = Locked(true)
        let mero = Mero(config: config(store: store) { _ in isSaved.withLock { $0 = false } })
        let tokens = try await mero.authenticate(credentials)
        guard isSaved.withLock({ $0 }) else {
            throw Failure(
                code: .localFile, message: "The session cannot be saved in \(profile.folder.path)",
                hint: "Check the folder's owner and free space, or set XDG_CONFIG_HOME to another folder")
        }
        return tokens
    }

    var signInHint: String {
        let profileOption = profile.name == ProfileName.standard ? "" : " --profile \(profile.name)"
        return "Run \"mero login --node \(node.text)\(profileOption)\""
    }

    private func config(
        store: FileTokenStore?, retry: RetryPolicy? = nil, onStoreFailure: (@Sendable (any Error) -> Void)? = nil
    ) -> MeroConfig {
        MeroConfig(
            baseURL: node.url, timeout: timeout, tokenStore: store, retryPolicy: retry ?? retryPolicy,
            httpOptions: HttpOptions(certificateAuthorityFile: certificateAuthorityFile, sealing: sealing),
            onTokenStoreFailure: onStoreFailure)
    }
}

extension Surroundings {
    /// A variable, nil when it is unset or empty.
    func setting(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
}
