/// An answer that some nodes put under `data` and others do not. Spec: 20, section 1.3, and 30, section 1.2.
struct FlatReply<Value: Decodable & Sendable>: Decodable, Sendable {
    let payload: Value

    private enum CodingKeys: String, CodingKey {
        case data
    }

    init(from decoder: any Decoder) throws {
        if let fields = try? decoder.container(keyedBy: CodingKeys.self),
            let enveloped = try? fields.decodeIfPresent(Value.self, forKey: .data)
        {
            payload = enveloped
        } else {
            payload = try Value(from: decoder)
        }
    }
}
