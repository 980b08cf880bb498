/// Body of `POST /admin-api/install-dev-application`.
///
/// Spec: 20, section 5.4.
public struct InstallDevApplicationRequest: Codable, Sendable {
    /// A signed `.mpk` bundle on the node's own disk: absolute, without `..`, at most 4096 characters.
    public var path: String

    /// Makes a value of its parts.
    public init(path: String) { self.path = path }
}
