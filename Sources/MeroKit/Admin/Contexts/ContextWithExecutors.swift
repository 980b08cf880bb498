/// A context and the keys that may execute in it.
///
/// Spec: 20, section 6.1.
public struct ContextWithExecutors: Codable, Sendable {
    /// The context.
    public let contextId: String
    /// Public keys.
    public let executors: [String]

    /// Makes a value of its parts.
    public init(contextId: String, executors: [String]) {
        self.contextId = contextId
        self.executors = executors
    }

    /// A node calls the context `id`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: WireKeys.self)
        let contextId =
            try fields.decodeIfPresent(String.self, forKey: .contextId) ?? fields.decode(String.self, forKey: .id)
        self.init(contextId: contextId, executors: try fields.decode([String].self, forKey: .executors))
    }

    private enum WireKeys: String, CodingKey {
        case id, contextId, executors
    }
}

/// The contexts of an application with those who may execute in them. Spec: 20, section 6.1.
public typealias ContextsWithExecutorsResponseData = [ContextWithExecutors]
