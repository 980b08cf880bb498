/// What is set as metadata of a group, a member or a context.
///
/// Spec: 30, section 5.9.
public struct MetadataRecord: Codable, Sendable {
    /// The name.
    public let name: String?
    /// Whatever else was set.
    public let data: [String: String]
    /// Unix milliseconds.
    public let updatedAt: Int
    /// The key of the device that set it.
    public let updatedBy: String

    /// Makes a value of its parts.
    public init(name: String? = nil, data: [String: String], updatedAt: Int, updatedBy: String) {
        self.name = name
        self.data = data
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try fields.decodeIfPresent(String.self, forKey: .name),
            data: try fields.decodeIfPresent([String: String].self, forKey: .data) ?? [:],
            updatedAt: try fields.decode(Int.self, forKey: .updatedAt),
            updatedBy: try fields.decode(String.self, forKey: .updatedBy))
    }
}

/// Body that replaces a record of metadata. To change the name alone, send the old `data` along.
///
/// Spec: 30, section 5.9.
public struct SetMetadataRequest: Codable, Sendable {
    /// 1 to 64 bytes; nil keeps the name that there is.
    public var name: String?
    /// At most 64 entries, keys of 1 to 64 bytes, values of at most 4096. Nil empties the map.
    public var data: [String: String]?

    /// Makes a value of its parts.
    public init(name: String? = nil, data: [String: String]? = nil) {
        self.name = name
        self.data = data
    }
}

/// Metadata of a group. Spec: 30, section 5.9.
public typealias SetGroupMetadataRequest = SetMetadataRequest
/// Metadata of a member. Spec: 30, section 5.9.
public typealias SetMemberMetadataRequest = SetMetadataRequest
/// Metadata of a context. Spec: 30, section 5.9.
public typealias SetContextMetadataRequest = SetMetadataRequest

/// Metadata as the whole answer has it.
///
/// Spec: 30, section 5.9.
public struct GetMetadataResponseData: Codable, Sendable {
    /// Nil when none was ever set.
    public let data: MetadataRecord?

    /// Makes a value of its parts.
    public init(data: MetadataRecord? = nil) { self.data = data }
}
