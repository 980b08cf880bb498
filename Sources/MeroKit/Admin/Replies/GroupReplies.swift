/// `{"members": [...]}` of a group; nil where the field is missing or null. Spec: 30, section 5.1.
struct GroupMembersReply: Decodable, Sendable {
    let members: [GroupMember]?
    let selfIdentity: String?
}

/// `{"subgroups": [...]}`, or the list under `data`, or neither. Spec: 30, section 1.2.
struct SubgroupsReply: Decodable, Sendable {
    let subgroups: [SubgroupEntry]

    private enum CodingKeys: String, CodingKey {
        case subgroups, data
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        subgroups =
            try fields.decodeIfPresent([SubgroupEntry].self, forKey: .subgroups)
            ?? fields.decodeIfPresent([SubgroupEntry].self, forKey: .data) ?? []
    }
}
