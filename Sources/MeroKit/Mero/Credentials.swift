/// A user name and a password.
///
/// Printing it never shows the password. Spec: 10, section 5.1.
public struct Credentials: Sendable, Equatable {
    public var username: String
    public var password: String

    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

extension Credentials: Redacting {
    var printedFields: [PrintedField] { [.shown("username", username), .secret("password")] }
}
