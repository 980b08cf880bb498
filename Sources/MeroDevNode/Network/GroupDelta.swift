/// One field of a group, or a device, as a node changed it.
struct GroupDelta: Sendable {
    /// A group's id, or `device:` and a device's.
    var group: String
    /// A path in the group's tree; empty for all of it.
    var field: String
    /// Nil for what is gone.
    var value: JsonTree?
    var stamp: ChangeStamp
}

/// A group's tree as fields that change independently of each other: two nodes that were apart may both add members.
enum GroupFields {
    private static let maps: Set<String> = ["members", "contextMetadata", "contextCapabilities", "rootKeys"]
    private static let lists: Set<String> = ["contexts", "revoked", "barred", "used", "bound"]

    static func split(_ tree: JsonTree) -> [String: JsonTree] {
        var fields: [String: JsonTree] = [:]
        for member in tree.members {
            if maps.contains(member.name) {
                for entry in member.value.members { fields["\(member.name)/\(entry.name)"] = entry.value }
            } else if lists.contains(member.name) {
                for (index, item) in (member.value.arrayValue ?? []).enumerated() {
                    if let text = item.stringValue { fields["\(member.name)/\(text)"] = JsonTree(index) }
                }
            } else {
                fields[member.name] = member.value
            }
        }
        return fields
    }

    static func join(_ fields: [String: JsonTree]) -> JsonTree {
        var members: [JsonMember] = []
        var parts: [String: [(name: String, value: JsonTree)]] = [:]
        for (field, value) in fields {
            let words = field.split(separator: "/", maxSplits: 1).map(String.init)
            if words.count == 2 {
                parts[words[0], default: []].append((words[1], value))
            } else {
                members.append(JsonMember(name: field, value: value))
            }
        }
        for (name, entries) in parts {
            if lists.contains(name) {
                let ordered = entries.sorted {
                    ($0.value.integer(Int.self) ?? 0, $0.name) < ($1.value.integer(Int.self) ?? 0, $1.name)
                }
                members.append(JsonMember(name: name, value: JsonTree(ordered.map(\.name))))
            } else {
                let map = Dictionary(entries.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
                members.append(JsonMember(name: name, value: .map(map)))
            }
        }
        return .object(members.sorted { $0.name < $1.name })
    }

    /// The fields that differ. The place of an item in a list is none of its own.
    static func changes(from old: [String: JsonTree], to new: [String: JsonTree]) -> [(field: String, value: JsonTree?)]
    {
        var changes: [(String, JsonTree?)] = []
        for (field, value) in new {
            if let held = old[field], held == value || isItem(field) { continue }
            changes.append((field, value))
        }
        for field in old.keys where new[field] == nil { changes.append((field, nil)) }
        return changes.sorted { $0.0 < $1.0 }
    }

    /// What two nodes with the same group agree on, whatever order things came in.
    static func digestible(_ tree: JsonTree) -> JsonTree {
        let fields = split(tree).map { field, value in (field, isItem(field) ? JsonTree.bool(true) : value) }
        return .map(Dictionary(fields, uniquingKeysWith: { $1 }))
    }

    private static func isItem(_ field: String) -> Bool {
        lists.contains(String(field.prefix { $0 != "/" })) && field.contains("/")
    }
}
