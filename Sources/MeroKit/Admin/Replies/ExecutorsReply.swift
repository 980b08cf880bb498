/// `{"contexts": [...]}`, the list under `data`, or the bare list. Spec: 20, section 6.1.
struct ExecutorsReply: Decodable, Sendable {
    let contexts: [ContextWithExecutors]

    private enum CodingKeys: String, CodingKey {
        case contexts, data
    }

    init(from decoder: any Decoder) throws {
        guard let fields = try? decoder.container(keyedBy: CodingKeys.self) else {
            contexts = try [ContextWithExecutors](from: decoder)
            return
        }
        if let contexts = try fields.decodeIfPresent([ContextWithExecutors].self, forKey: .contexts) {
            self.contexts = contexts
        } else {
            contexts = try fields.decode([ContextWithExecutors].self, forKey: .data)
        }
    }
}
