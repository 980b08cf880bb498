/// A user name and a password.
///
/// Printing it never shows the password. Spec: 10, section 5.1.
public struct Credentials: Sendable, Equatable {
    /// The name of the login.
    public var username: String
    /// Never printed.
    public var password: String

    /// Makes a value of its parts.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

extension Credentials: Redacting {
    var printedFields: [PrintedField] { [.shown("username", username), .secret("password")] }
}
