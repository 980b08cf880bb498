import MeroKit

/// What bodies about groups are made of.
extension JsonFields {
    func bool(_ name: String) throws -> Bool {
        let value = try value(name)
        guard let flag = value.boolValue else { throw JsonShapeProblem.type(value, expected: "a boolean") }
        return flag
    }

    func optionalBool(_ name: String) throws -> Bool? { optional(name) == nil ? nil : try bool(name) }

    func strings(_ name: String) throws -> [String] {
        guard let texts = try optionalStrings(name) else {
            throw try JsonShapeProblem.type(value(name), expected: "a sequence")
        }
        return texts
    }

    func mask(_ name: String) throws -> UInt32 {
        let value = try value(name)
        guard let mask = value.integer(UInt32.self) else { throw JsonShapeProblem.type(value, expected: "u32") }
        return mask
    }

    /// A name and entries. Throws `JsonShapeProblem`.
    func label() throws -> GroupLabel {
        var entries: [GroupMetadataEntry] = []
        if let data = optional("data") {
            guard case .object(let members) = data else { throw JsonShapeProblem.type(data, expected: "a map") }
            for member in members {
                guard let text = member.value.stringValue else {
                    throw JsonShapeProblem.type(member.value, expected: "a string")
                }
                entries.removeAll { $0.key.utf8.elementsEqual(member.name.utf8) }
                entries.append(GroupMetadataEntry(key: member.name, value: text))
            }
        }
        return GroupLabel(name: try optionalString("name"), data: entries)
    }

    /// Throws `JsonShapeProblem` for a role that there is not.
    static func role(_ text: String) throws -> DevRole {
        guard let role = DevRole(rawValue: text) else {
            throw JsonShapeProblem(
                description: "unknown variant `\(text)`, expected one of `Admin`, `Member`, `ReadOnly`, `ReadOnlyTee`, "
                    + "`RelayTee`")
        }
        return role
    }
}
