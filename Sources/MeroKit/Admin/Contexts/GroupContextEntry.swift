/// A context in a group.
///
/// Spec: 30, section 5.1.
public struct GroupContextEntry: Codable, Sendable {
    /// The context.
    public let contextId: String
    /// Its label.
    public let name: String?

    /// Makes a value of its parts.
    public init(contextId: String, name: String? = nil) {
        self.contextId = contextId
        self.name = name
    }
}

/// The contexts of a group. Spec: 30, section 5.1.
public typealias ListGroupContextsResponseData = [GroupContextEntry]
