/// The aliases of one kind that a node knows. On the wire a map of names to ids.
///
/// Spec: 20, sections 4.5 and 6.9.
public struct ListAliasesResponseData: Codable, Sendable {
    /// Ids by name.
    public let entries: [String: String]

    /// The same as a list, by name.
    public var aliases: [AliasEntry] {
        entries.sorted { $0.key < $1.key }.map { AliasEntry(name: $0.key, value: $0.value) }
    }

    /// Makes a value of its parts.
    public init(entries: [String: String]) { self.entries = entries }

    /// Of several with one name the last one counts.
    public init(aliases: [AliasEntry]) {
        self.init(entries: Dictionary(aliases.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
    }

    public init(from decoder: any Decoder) throws {
        self.init(entries: try decoder.singleValueContainer().decode([String: String].self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(entries)
    }
}

/// A name and the id that it stands for. Spec: 20, section 4.5.
public struct AliasEntry: Codable, Sendable {
    /// The name.
    public let name: String
    /// A context, an application or a device.
    public let value: String

    /// Makes a value of its parts.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
