import Foundation

/// How a dev node is set up.
public struct DevNodeOptions: Sendable {
    /// The port on 127.0.0.1; 0 takes a free one.
    public var port: UInt16 = 0
    /// Who may log in by password.
    public var users: [(username: String, password: String)] = [("dev", "dev-password")]
    /// Seconds an access token lives.
    public var accessTokenLifetime: TimeInterval = 3600
    /// Seconds a refresh token lives.
    public var refreshTokenLifetime: TimeInterval = 30 * 86_400
    /// Seconds an access token of a client key lives; never longer than ``accessTokenLifetime``.
    public var clientKeyAccessTokenLifetime: TimeInterval = 900
    /// Seconds a refresh token of a client key lives; never longer than ``refreshTokenLifetime``.
    public var clientKeyRefreshTokenLifetime: TimeInterval = 7 * 86_400
    /// Seconds a token is still accepted past its `exp`, and so cannot be refreshed yet. A real node has 60.
    public var expiryLeeway: TimeInterval = 60
    /// Where state survives a restart: users, keys, consumed refresh tokens, the token secret, contexts, groups,
    /// applications, blobs, aliases. Files are readable by their owner only, and one node at a time may use the folder.
    /// Nil keeps everything in memory, and blobs in a temporary folder.
    public var dataDirectory: URL?
    /// Contracts that contexts found in ``dataDirectory`` may need; the bundled ones are always known.
    public var contracts: [any DevContract] = []
    /// What connects the node to others of this process; nil for a node that is alone.
    public var network: DevNetwork?
    /// Whether the node joins the contexts of its groups by itself where its membership does not say otherwise
    /// (`auto-follow`). With `false` each context has to be joined first, as on a node where nobody set it.
    public var followsContexts = true
    /// Whether an invitation admits one account only. Without, every account once.
    public var singleUseInvitations = false
    /// The host that tokens are bound against; nil means what the request says.
    public var publicHost: String?
    /// Whether accounts may log in with a device's certificate (`account_proof`). Always so with ``delegatedAccess``.
    public var accountProof = false
    /// Whether the node is a relay (`merod init --delegated-access`): it serves the intents routes to everyone, since the
    /// warrant is the credential there, and takes request proofs of any account.
    public var delegatedAccess = false
    /// How the relay behaves where nodes differ.
    public var relay = DevRelayOptions()
    /// Seconds a challenge lives.
    public var challengeLifetime: TimeInterval = 60
    /// Whether `POST /auth/mock-token` is served.
    public var mockTokens: DevMockTokens = .disabled
    /// The largest body of `POST /jsonrpc` in bytes.
    public var bodyLimit = 2 << 20
    /// The largest blob in bytes.
    public var blobLimit: UInt64 = 1 << 30
    /// The folder that `POST /admin-api/install-dev-application` is confined to (`MEROD_DEV_INSTALL_ROOT`); nil for none.
    public var devInstallRoot: URL?
    /// How sealed requests are taken.
    public var sealing = DevSealing()
    /// What `GET /admin-api/tee/info` tells; nil for a machine that is no TDX guest.
    public var tee: DevTee?
    /// The largest body of the auth service in bytes.
    public var authBodyLimit = 1 << 20
    /// Whether `/sse` and what is below it is served; 404 otherwise.
    public var servesEventStream = true
    /// Frames that may wait in a connection's own queue. A frame beyond that and ``eventBacklog`` is dropped silently, as
    /// a real node does; raise both where a slow reader must miss nothing.
    public var eventQueueLength = 32
    /// Events of the node-wide broadcast that a connection may lag behind on top of its own queue.
    public var eventBacklog = 256
    /// The `retry:` of the connect frame in milliseconds.
    public var eventRetryMilliseconds = 3000
    /// Seconds of silence after which a stream carries a comment.
    public var eventKeepAlive: TimeInterval = 15
    /// Seconds between two pings over a WebSocket.
    public var webSocketPingInterval: TimeInterval = 30
    /// A ping that got no pong for so many seconds ends the connection when the next one is due: 1002, `Ping timeout`.
    public var webSocketPongTimeout: TimeInterval = 10
    /// What stands before every path (`NODE_PATH_PREFIX`), such as `/node1`. `/auth`, `/admin` and `/sse` are served
    /// without it as well.
    public var pathPrefix = ""

    /// A node for tests: any free port, user `dev` with password `dev-password`, nothing on disk.
    public init() {}

    var normalizedPathPrefix: String {
        let words = pathPrefix.split(separator: "/").joined(separator: "/")
        return words.isEmpty ? "" : "/" + words
    }

    func authSettings(nodeKey: Data) -> AuthService.Settings {
        func seconds(_ interval: TimeInterval) -> Int64 { Int64(exactly: interval.rounded()) ?? 1 << 40 }
        return AuthService.Settings(
            accessLifetime: seconds(accessTokenLifetime), refreshLifetime: seconds(refreshTokenLifetime),
            clientAccessLifetime: seconds(clientKeyAccessTokenLifetime),
            clientRefreshLifetime: seconds(clientKeyRefreshTokenLifetime), leeway: seconds(expiryLeeway),
            publicHost: publicHost, bodyLimit: authBodyLimit,
            accountProof: accountProof || delegatedAccess, challengeLifetime: seconds(challengeLifetime),
            mockTokens: mockTokens, nodeKey: nodeKey, allowedAudiences: relay.allowedAudiences)
    }
}

/// Whether a node hands out tokens without a login.
public enum DevMockTokens: Sendable, Equatable {
    /// 404.
    case disabled
    /// Served; with an `Authorization` value that requests must carry when one is given.
    case enabled(requiredAuthorization: String? = nil)
}
