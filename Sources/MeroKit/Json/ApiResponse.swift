/// The envelope of most answers: `{"data": ..., "error": ...}`.
///
/// In a 2xx answer only `data` counts. Spec: 10, section 9.2.
public struct ApiResponse<T: Codable & Sendable>: Codable, Sendable {
    /// The payload.
    public var data: T?
    /// Text for a person; nil in a success.
    public var error: String?

    /// Makes a value of its parts.
    public init(data: T?, error: String? = nil) {
        self.data = data
        self.error = error
    }

    /// An `error` of another form than text is left aside.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        data = try container.decodeIfPresent(T.self, forKey: .data)
        error = try? container.decodeIfPresent(String.self, forKey: .error)
    }

    private enum CodingKeys: String, CodingKey {
        case data, error
    }
}
