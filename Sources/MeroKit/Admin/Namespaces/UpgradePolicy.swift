/// How contexts of a namespace used to come to a new version. Nodes have no such policy any more, and it is never sent.
///
/// Spec: 30, section 3.1.
@available(*, deprecated, message: "nodes have no upgrade policy any more")
public enum UpgradePolicy: String, Codable, Sendable {
    /// At once.
    case automatic = "Automatic"
    /// When a context is next used.
    case lazyOnAccess = "LazyOnAccess"
}
