/// For which applications a device may speak. On the wire `"all"`, or `{"only": [...]}`.
///
/// Spec: 30, section 3.7.
public enum DeviceScope: Codable, Sendable, Equatable {
    /// For every application.
    case all
    /// For these, at least one.
    case only([String])

    private static let allWord = "all"

    private enum CodingKeys: String, CodingKey {
        case only
    }

    public init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            guard word == Self.allWord else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath, debugDescription: "no scope of a device is called \(word)"))
            }
            self = .all
        } else {
            self = .only(try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .only))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .all:
            var word = encoder.singleValueContainer()
            try word.encode(Self.allWord)
        case .only(let applications):
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(applications, forKey: .only)
        }
    }
}
