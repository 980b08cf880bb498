/// What a node's login page hands back to the app.
///
/// `nodeUrl` comes from outside: compare it with the node that the user was sent to before trusting it. Printing never
/// shows the tokens. Spec: 10, section 6.2.
public struct AuthCallbackResult: Sendable, Equatable {
    /// Never empty.
    public let accessToken: String
    /// Empty when the page gave none.
    public let refreshToken: String
    /// Empty when the login chose no application.
    public let applicationId: String
    /// Empty when the login chose no context.
    public let contextId: String
    /// Empty when the login chose no context.
    public let contextIdentity: String
    /// The node that issued the tokens, by its own account.
    public let nodeUrl: String

    /// Makes a value of its parts.
    public init(
        accessToken: String, refreshToken: String, applicationId: String, contextId: String, contextIdentity: String,
        nodeUrl: String
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.applicationId = applicationId
        self.contextId = contextId
        self.contextIdentity = contextIdentity
        self.nodeUrl = nodeUrl
    }
}

extension AuthCallbackResult: Redacting {
    var printedFields: [PrintedField] {
        [
            .secret("accessToken"), .secret("refreshToken"), .shown("applicationId", applicationId),
            .shown("contextId", contextId), .shown("contextIdentity", contextIdentity), .shown("nodeUrl", nodeUrl),
        ]
    }
}
