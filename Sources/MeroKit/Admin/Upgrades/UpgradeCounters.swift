/// The counters of an upgrade, which have other names on the wire than in this package. Spec: 30, section 3.4.
struct UpgradeCounters: Decodable {
    let total: Int?
    let completed: Int?
    let failed: Int?

    private enum CodingKeys: String, CodingKey {
        case localContextsTotal, localContextsSwapped, localContextsFailed, total, completed, failed
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func counter(_ current: CodingKeys, _ old: CodingKeys) throws -> Int? {
            try fields.decodeIfPresent(Int.self, forKey: current) ?? fields.decodeIfPresent(Int.self, forKey: old)
        }
        total = try counter(.localContextsTotal, .total)
        completed = try counter(.localContextsSwapped, .completed)
        failed = try counter(.localContextsFailed, .failed)
    }
}
