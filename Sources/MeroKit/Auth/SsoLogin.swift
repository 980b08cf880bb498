/// Login through the page that a node hosts: build the page's URL, open it, read what comes back.
///
/// ```swift
/// let url = SsoLogin.buildAuthLoginUrl(
///     nodeUrl: "https://node.example",
///     options: AuthLoginOptions(callbackUrl: "http://localhost:5173/cb", mode: "login"))
/// // … open it; later, with the URL that the page navigated to:
/// if let result = SsoLogin.parseAuthCallback(callbackURL) { await mero.setTokenData(from: result) }
/// ```
///
/// Spec: 10, section 6.
public enum SsoLogin {
    /// The URL of the login page.
    ///
    /// - Parameters:
    ///   - nodeUrl: the node's base URL, with or without trailing slashes.
    ///   - options: what the app asks for.
    public static func buildAuthLoginUrl(nodeUrl: String, options: AuthLoginOptions) -> String {
        var parameters = [("callback-url", options.callbackUrl)]
        if let permissions = options.permissions, !permissions.isEmpty {
            parameters.append(("permissions", permissions.joined(separator: ",")))
        }
        parameters.append(("mode", options.mode))
        if let package = options.packageName, !package.isEmpty {
            parameters.append(("package-name", package))
            if let version = options.packageVersion, !version.isEmpty {
                parameters.append(("package-version", version))
            }
            if let registry = options.registryUrl, !registry.isEmpty { parameters.append(("registry-url", registry)) }
        }
        let query = parameters.map { "\($0.0)=\(FormEncoding.encode($0.1))" }.joined(separator: "&")
        var base = Substring(nodeUrl)
        while base.hasSuffix("/") { base.removeLast() }
        return "\(base)/auth/login?\(query)"
    }

    /// Reads the fragment of a callback URL; nil when it carries no access token. Parts that are missing are empty.
    public static func parseAuthCallback(_ url: String) -> AuthCallbackResult? {
        let parts = Array(url.utf8).split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let fields = Dictionary(FormEncoding.pairs(in: parts[1]).map { ($0.name, $0.value) }) { first, _ in first }
        guard let accessToken = fields["access_token"], !accessToken.isEmpty else { return nil }
        func field(_ name: String) -> String { fields[name] ?? "" }
        return AuthCallbackResult(
            accessToken: accessToken, refreshToken: field("refresh_token"), applicationId: field("application_id"),
            contextId: field("context_id"), contextIdentity: field("context_identity"), nodeUrl: field("node_url"))
    }
}
