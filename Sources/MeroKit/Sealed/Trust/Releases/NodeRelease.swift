/// A signed release of the node image, as somebody handed it out. Nothing of it is verified.
///
/// Spec: 80, sections 7.5 and 7.6.
public struct NodeRelease: Sendable, Equatable {
    /// Which one it is said to be.
    public var version: String
    /// The exact text of `published-mrtds.json`: its bytes are what was signed.
    public var publishedMrtds: String
    /// The text of `published-mrtds.json.bundle.json`.
    public var bundle: String

    /// Makes a value of its parts.
    public init(version: String, publishedMrtds: String, bundle: String) {
        self.version = version
        self.publishedMrtds = publishedMrtds
        self.bundle = bundle
    }
}

/// Who has to have signed a release.
///
/// Spec: 80, section 7.1.
public struct ReleaseSigner: Sendable, Equatable {
    /// The workflow, as the certificate names it.
    public var identity: String
    /// Who vouched for it.
    public var issuer: String

    /// Makes a value of its parts. By default the one that signs Calimero's node images.
    public init(
        identity: String = ReleaseSigner.nodeImageIdentity, issuer: String = ReleaseSigner.gitHubActions
    ) {
        self.identity = identity
        self.issuer = issuer
    }

    /// The workflow that releases node images.
    public static let nodeImageIdentity =
        "https://github.com/calimero-network/mero-tee/.github/workflows/release-node-image-gcp.yaml@refs/heads/master"
    /// Whoever vouches for workflows.
    public static let gitHubActions = "https://token.actions.githubusercontent.com"
}
