/// What a trusted environment is admitted as. Spec: 30, section 8.1.
public enum TeeAdmissionMode: String, Codable, Sendable {
    /// It keeps a copy: role `ReadOnlyTee`.
    case replica
    /// It also acts for accounts: role `RelayTee`.
    case relay
}
