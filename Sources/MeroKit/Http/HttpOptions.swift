import Foundation

/// Settings of the HTTP stack that most programs leave alone.
public struct HttpOptions: Sendable, Equatable {
    /// The most bytes of an answer that are held in memory (default 64 MiB). A larger answer ends the call with
    /// `MeroError.network`, naming the limit, and is not retried. Downloads to a file have no limit.
    public var replyLimit: Int
    /// How many calls to one host may be under way at once (default 64); more wait their turn, and waiting does not
    /// count as the request's time-out. Downloads and event streams are exempt.
    public var connectionsPerHost: Int
    /// A PEM file with further certificate authorities to trust, for a node with a private one. Nil: the system's own
    /// list, which on Linux `SSL_CERT_FILE` replaces. Verification itself cannot be switched off.
    public var certificateAuthorityFile: URL?
    /// How everything is sealed on its way to the node; nil for TLS alone.
    public var sealing: Sealing?

    /// The documented defaults, with what is named here instead.
    public init(
        replyLimit: Int = 64 * 1024 * 1024, connectionsPerHost: Int = 64, certificateAuthorityFile: URL? = nil,
        sealing: Sealing? = nil
    ) {
        self.replyLimit = replyLimit
        self.connectionsPerHost = connectionsPerHost
        self.certificateAuthorityFile = certificateAuthorityFile
        self.sealing = sealing
    }
}
