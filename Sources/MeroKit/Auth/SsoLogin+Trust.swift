/// Whose tokens a hosted login's callback may bring. Spec: 70, section 6.3.
extension SsoLogin {
    /// Reads the tokens out of a callback URL, if they are of the node that the login was begun with. Nil when it carries
    /// none.
    ///
    /// The node that a callback names comes from outside. Throws `AccountError.protocolViolation` for another one.
    ///
    /// - Parameters:
    ///   - url: What came back, as the app was opened with it.
    ///   - nodeUrl: The node whose page was opened.
    ///   - allowedNodeUrls: Other nodes whose tokens will do, e.g. those behind a common login page.
    public static func trustedCallback(
        _ url: String, startedWith nodeUrl: String, allowedNodeUrls: [String] = []
    ) throws -> AuthCallbackResult? {
        guard let result = parseAuthCallback(url) else { return nil }
        guard result.isTrusted(startedWith: nodeUrl, allowedNodeUrls: allowedNodeUrls) else {
            throw AccountError.protocolViolation(
                "the login came back with tokens of another node than the one that was asked")
        }
        return result
    }
}

extension AuthCallbackResult {
    /// Whether the callback names no node, the one that the login was begun with, or an allowed one; slashes at the end do
    /// not count.
    public func isTrusted(startedWith nodeUrl: String, allowedNodeUrls: [String] = []) -> Bool {
        let named = RelayOrigin.trimmed(self.nodeUrl)
        return named.isEmpty || ([nodeUrl] + allowedNodeUrls).contains { RelayOrigin.trimmed($0) == named }
    }
}
