/// What a dev node claims to run in, as `GET /admin-api/tee/info` tells it. Nothing proves it: its quotes are mocks.
///
/// Spec: 20, section 6.10.
public struct DevTee: Sendable, Equatable {
    /// Such as `gcp`.
    public var cloudProvider: String
    /// The image's name. What ends in a profile and a version, as `merotee-…-locked-read-only-2-3-87` does, is a release to
    /// admission policies that ask for one.
    public var osImage: String
    /// The measurement of the image, 96 hex.
    public var mrtd: String
    /// What `GET /admin-api/tee/release` serves; nil for a node that does not have the route's files.
    public var release: Release?

    /// The signed release of the image, as texts to be used byte for byte.
    public struct Release: Sendable, Equatable {
        /// Such as `2.3.87`.
        public var version: String
        /// The text of `published-mrtds.json`.
        public var publishedMrtds: String
        /// The text of its signature's bundle.
        public var bundle: String

        /// A release of these texts.
        public init(version: String, publishedMrtds: String, bundle: String) {
            self.version = version
            self.publishedMrtds = publishedMrtds
            self.bundle = bundle
        }
    }

    /// A claim.
    public init(
        cloudProvider: String = "unknown", osImage: String = "unknown", mrtd: String, release: Release? = nil
    ) {
        self.cloudProvider = cloudProvider
        self.osImage = osImage
        self.mrtd = mrtd
        self.release = release
    }
}

/// What becomes of a request for attestation.
public enum DevAttestation: Sendable, Equatable {
    /// A mock quote, as in a development environment.
    case mock
    /// 501: the machine is no TDX guest. `GET /admin-api/tee/info` is a 500.
    case unsupported
    /// 500: the quote could not be made.
    case failing
}
