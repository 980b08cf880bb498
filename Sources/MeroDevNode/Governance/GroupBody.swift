import MeroKit

/// Bodies of the routes that judge them themselves: everything wrong with one is 400 with an `error`.
///
/// Spec: 30, section 1.3.
enum GroupBody {
    private static let target = "Failed to deserialize the JSON body into the target type"

    /// A closed object. Throws `NodeRefusal`, and `EarlyReply` for a body that is too large.
    static func read(_ request: DevHttpRequest, _ allowed: [String], limit: Int) throws -> JsonFields {
        switch request.jsonBody(limit: limit) {
        case .tree(let tree):
            // The refusal of an unknown field names it twice, the path first.
            if let stranger = tree.members.first(where: { !allowed.contains($0.name) }) {
                let problem = JsonShapeProblem.unknown(stranger.name, expected: allowed)
                throw NodeRefusal(400, "Invalid JSON data: \(target): \(stranger.name): \(problem)")
            }
            return try shaped { try JsonFields(tree, allowed: allowed, what: "a request") }
        case .refused(let answer):
            guard answer.status != 413, case .bytes(let bytes) = answer.body else { throw EarlyReply(answer) }
            let text = String(decoding: bytes, as: UTF8.self)
            let prefix = "Failed to parse the request body as JSON: "
            throw NodeRefusal(
                400, text.hasPrefix(prefix) ? "JSON syntax error: \(text.dropFirst(prefix.count))" : text)
        }
    }

    /// Throws `NodeRefusal` for a member of another shape.
    static func shaped<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let problem as JsonShapeProblem {
            throw NodeRefusal(400, "Invalid JSON data: \(target): \(problem)")
        }
    }
}

/// Collects what is wrong with the values of a body, so that all of it is told at once.
struct BodyCheck {
    private(set) var problems: [String] = []

    mutating func fail(_ field: String, _ reason: String) {
        problems.append("Field '\(field)' has invalid format: \(reason)")
    }

    mutating func fail(hex field: String, _ reason: String = "not valid hex") {
        problems.append("Field '\(field)' contains invalid hex encoding: \(reason)")
    }

    mutating func missing(_ field: String) { problems.append("Field '\(field)' is required but was empty") }

    /// An id or key of 32 bytes in lower case.
    @discardableResult
    mutating func id(_ text: String, _ field: String) -> String { hex(text, field, bytes: 32) }

    @discardableResult
    mutating func hex(_ text: String, _ field: String, bytes: Int) -> String {
        if text.count != 2 * bytes {
            problems.append("Field '\(field)' must be exactly \(2 * bytes) characters (got \(text.count))")
        } else if Hex.decode(text) == nil {
            fail(hex: field)
        }
        return text.lowercased()
    }

    mutating func length(_ text: String, _ field: String, atMost limit: Int) {
        if text.isEmpty { return missing(field) }
        if text.count > limit {
            problems.append("Field '\(field)' exceeds maximum length of \(limit) characters (got \(text.count))")
        }
    }

    /// Throws `NodeRefusal`.
    func finish() throws {
        guard let first = problems.first else { return }
        throw NodeRefusal(400, problems.count == 1 ? first : "Validation errors: \(problems.joined(separator: "; "))")
    }
}

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
