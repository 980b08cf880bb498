/// What the answer to a deletion of a key amounts to, whichever shape the node chose.
///
/// The fields stand under `data` or at the top level, the outcome is called `success` or `status` or is missing
/// altogether, and a 200 without either means that the key is gone. Spec: 10, section 9.9.
struct DeletionOutcome: Decodable {
    let success: Bool
    let message: String

    private enum CodingKeys: String, CodingKey {
        case data, success, status, message
    }

    init(from decoder: any Decoder) throws {
        let top = try decoder.container(keyedBy: CodingKeys.self)
        let fields = (try? top.nestedContainer(keyedBy: CodingKeys.self, forKey: .data)) ?? top
        let outcome =
            (try? fields.decode(Bool.self, forKey: .success)) ?? (try? fields.decode(Bool.self, forKey: .status))
        success = outcome ?? true
        message = (try? fields.decode(String.self, forKey: .message)) ?? ""
    }
}
