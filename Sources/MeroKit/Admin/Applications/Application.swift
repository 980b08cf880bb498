/// An application that a node has installed.
///
/// Spec: 20, section 5.5.
public struct Application: Codable, Sendable {
    /// The application's id, 64 lower-case hex digits on current nodes.
    public let id: String
    /// The blobs of its code.
    public let blob: ApplicationBlob
    /// Bytes of the bundle.
    public let size: Int
    /// Where it came from.
    public let source: String
    /// Bytes, each 0 to 255.
    public let metadata: [Int]
    /// Who signed it, as a `did:key:z…`; empty for an application that nobody signed.
    public let signerId: String
    /// The package, empty when it has none.
    public let package: String
    /// The version, empty when it has none.
    public let version: String

    /// Makes a value of its parts.
    public init(
        id: String, blob: ApplicationBlob, size: Int, source: String, metadata: [Int], signerId: String,
        package: String, version: String
    ) {
        self.id = id
        self.blob = blob
        self.size = size
        self.source = source
        self.metadata = metadata
        self.signerId = signerId
        self.package = package
        self.version = version
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try fields.decode(String.self, forKey: .id),
            blob: try fields.decode(ApplicationBlob.self, forKey: .blob),
            size: try fields.decode(Int.self, forKey: .size),
            source: try fields.decode(String.self, forKey: .source),
            metadata: try fields.decode([Int].self, forKey: .metadata),
            signerId: try fields.decodeIfPresent(String.self, forKey: .signerId) ?? "",
            package: try fields.decodeIfPresent(String.self, forKey: .package) ?? "",
            version: try fields.decodeIfPresent(String.self, forKey: .version) ?? "")
    }

    private enum CodingKeys: String, CodingKey {
        case id, blob, size, source, metadata, package, version
        case signerId = "signer_id"
    }
}

/// The blobs of an application's code.
///
/// Spec: 20, section 5.5.
public struct ApplicationBlob: Codable, Sendable {
    /// The code as it was installed.
    public let bytecode: String
    /// What the node made of it.
    public let compiled: String

    /// Makes a value of its parts.
    public init(bytecode: String, compiled: String) {
        self.bytecode = bytecode
        self.compiled = compiled
    }
}
