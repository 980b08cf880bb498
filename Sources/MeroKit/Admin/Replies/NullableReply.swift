/// `{"data": T or null}`, where null is an answer and a missing `data` is none. Spec: 20, section 1.3.
struct NullableReply<Value: Decodable & Sendable>: Decodable, Sendable {
    private let isPresent: Bool
    private let data: Value?

    private enum CodingKeys: String, CodingKey {
        case data
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        isPresent = fields.contains(.data)
        data = try fields.decodeIfPresent(Value.self, forKey: .data)
    }

    /// The payload, nil for null. Throws `MeroError.emptyResponse` with this text when there is neither.
    func payload(orThrow text: String) throws -> Value? {
        guard isPresent else { throw MeroError.emptyResponse(text) }
        return data
    }
}
