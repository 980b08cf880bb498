/// A context as a node holds it.
///
/// Spec: 20, section 6.1.
public struct Context: Codable, Sendable {
    /// The context.
    public let id: String
    /// The application that runs in it.
    public let applicationId: String
    /// The service of the application, if that has several.
    public let serviceName: String?
    /// Of its state. A context that was joined and not yet synced has one of zeros, or of ones on old nodes.
    public let contextStateHash: String
    /// The newest changes, each 32 bytes. Empty for a fresh context.
    public let dagHeads: [[Int]]
    /// The version that runs in this context, which need not be the newest one installed.
    public let applicationVersion: String?
    /// Its label.
    public let name: String?

    /// Makes a value of its parts.
    public init(
        id: String, applicationId: String, serviceName: String? = nil, contextStateHash: String, dagHeads: [[Int]],
        applicationVersion: String? = nil, name: String? = nil
    ) {
        self.id = id
        self.applicationId = applicationId
        self.serviceName = serviceName
        self.contextStateHash = contextStateHash
        self.dagHeads = dagHeads
        self.applicationVersion = applicationVersion
        self.name = name
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try fields.decode(String.self, forKey: .id),
            applicationId: try fields.decode(String.self, forKey: .applicationId),
            serviceName: try fields.decodeIfPresent(String.self, forKey: .serviceName),
            contextStateHash: try fields.decode(String.self, forKey: .contextStateHash),
            dagHeads: try fields.decodeIfPresent([[Int]].self, forKey: .dagHeads) ?? [],
            applicationVersion: try fields.decodeIfPresent(String.self, forKey: .applicationVersion),
            name: try fields.decodeIfPresent(String.self, forKey: .name))
    }
}
