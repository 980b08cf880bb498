/// What an app asks a node's login page for.
///
/// Spec: 10, section 6.1.
public struct AuthLoginOptions: Sendable {
    /// Where the page sends the user afterwards, without a `#`. Current pages accept a loopback `http` URL, or an `https`
    /// URL of the origin that the app's package declares; they refuse custom schemes.
    public var callbackUrl: String
    /// The app's package name.
    public var packageName: String?
    /// `single-context`, `multi-context`, `admin` or `login`.
    public var mode: String
    /// The scopes asked for, e.g. `context:execute`.
    public var permissions: [String]?
    /// Where the package is found. Only sent together with a package name.
    public var registryUrl: String?
    /// Only sent together with a package name.
    public var packageVersion: String?

    /// Makes a value of its parts.
    public init(
        callbackUrl: String, mode: String, packageName: String? = nil, permissions: [String]? = nil,
        registryUrl: String? = nil, packageVersion: String? = nil
    ) {
        self.callbackUrl = callbackUrl
        self.packageName = packageName
        self.mode = mode
        self.permissions = permissions
        self.registryUrl = registryUrl
        self.packageVersion = packageVersion
    }
}
