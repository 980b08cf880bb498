/// Nothing: the type of an answer whose body is of no interest.
///
/// Decodes from any JSON value, and from an empty body where an HTTP client offers one. Encodes to nothing, which
/// `JSONEncoder` refuses at the top level: send `{}` as `HttpBody.json(Data("{}".utf8))`. Spec: 10, section 2.1.
public struct Empty: Codable, Sendable {
    /// The only value.
    public init() {}

    /// Takes whatever stands there.
    public init(from decoder: any Decoder) throws {}

    /// Writes nothing.
    public func encode(to encoder: any Encoder) throws {}
}
