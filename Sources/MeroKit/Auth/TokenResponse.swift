/// A new pair of tokens, in the envelope the node sends it in.
///
/// Printing it never shows the tokens. Spec: 10, section 9.5.
public struct TokenResponse: Codable, Sendable {
    /// The tokens.
    public var data: Payload
    /// Always nil in a success.
    public var error: String?

    /// Makes a value of its parts.
    public init(data: Payload, error: String? = nil) {
        self.data = data
        self.error = error
    }

    /// The tokens themselves.
    public struct Payload: Codable, Sendable {
        /// Sent with every request from now on.
        public var accessToken: String
        /// Buys the next pair, once.
        public var refreshToken: String
        /// Always nil in a success.
        public var error: String?

        /// Makes a value of its parts.
        public init(accessToken: String, refreshToken: String, error: String? = nil) {
            self.accessToken = accessToken
            self.refreshToken = refreshToken
            self.error = error
        }

        private enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
            case error
        }
    }
}

extension TokenResponse.Payload: Redacting {
    var printedFields: [PrintedField] {
        [.secret("accessToken"), .secret("refreshToken"), .shown("error", error as Any)]
    }
}
