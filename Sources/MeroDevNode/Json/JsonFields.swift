/// Why a JSON value does not have the shape a route takes.
struct JsonShapeProblem: Error, Sendable, Equatable, CustomStringConvertible {
    var description: String

    static func unknown(_ name: String, expected: [String]) -> JsonShapeProblem {
        let names = expected.map { "`\($0)`" }
        switch names.count {
        case 0: return JsonShapeProblem(description: "unknown field `\(name)`, there are no fields")
        case 1: return JsonShapeProblem(description: "unknown field `\(name)`, expected \(names[0])")
        case 2: return JsonShapeProblem(description: "unknown field `\(name)`, expected \(names[0]) or \(names[1])")
        default:
            return JsonShapeProblem(
                description: "unknown field `\(name)`, expected one of \(names.joined(separator: ", "))")
        }
    }

    static func missing(_ name: String) -> JsonShapeProblem { JsonShapeProblem(description: "missing field `\(name)`") }

    static func duplicate(_ name: String) -> JsonShapeProblem {
        JsonShapeProblem(description: "duplicate field `\(name)`")
    }

    static func type(_ found: JsonTree, expected: String) -> JsonShapeProblem {
        JsonShapeProblem(description: "invalid type: \(describe(found)), expected \(expected)")
    }

    private static func describe(_ value: JsonTree) -> String {
        switch value {
        case .null: return "null"
        case .bool(let flag): return "boolean `\(flag)`"
        case .number(let text):
            return text.allSatisfy { $0.isNumber || $0 == "-" } ? "integer `\(text)`" : "floating point `\(text)`"
        case .string: return "string"
        case .array: return "sequence"
        case .object: return "map"
        }
    }
}

/// An object whose members are all known: the node's request bodies are closed.
struct JsonFields {
    private let members: [String: JsonTree]

    /// Throws `JsonShapeProblem` for anything but an object, for a member that is not allowed and for a repeated one.
    init(_ tree: JsonTree, allowed: [String], what: String = "an object") throws {
        guard case .object(let list) = tree else { throw JsonShapeProblem.type(tree, expected: what) }
        var members: [String: JsonTree] = [:]
        for member in list {
            guard allowed.contains(member.name) else {
                throw JsonShapeProblem.unknown(member.name, expected: allowed)
            }
            guard members.updateValue(member.value, forKey: member.name) == nil else {
                throw JsonShapeProblem.duplicate(member.name)
            }
        }
        self.members = members
    }

    func value(_ name: String) throws -> JsonTree {
        guard let value = members[name] else { throw JsonShapeProblem.missing(name) }
        return value
    }

    /// Nil when the member is absent or null.
    func optional(_ name: String) -> JsonTree? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    func string(_ name: String) throws -> String {
        let value = try value(name)
        guard let text = value.stringValue else { throw JsonShapeProblem.type(value, expected: "a string") }
        return text
    }

    func optionalString(_ name: String) throws -> String? {
        guard let value = optional(name) else { return nil }
        guard let text = value.stringValue else { throw JsonShapeProblem.type(value, expected: "a string") }
        return text
    }

    func optionalStrings(_ name: String) throws -> [String]? {
        guard let value = optional(name) else { return nil }
        guard let items = value.arrayValue else { throw JsonShapeProblem.type(value, expected: "a sequence") }
        return try items.map {
            guard let text = $0.stringValue else { throw JsonShapeProblem.type($0, expected: "a string") }
            return text
        }
    }

    func unsigned(_ name: String) throws -> UInt64 {
        let value = try value(name)
        guard let number = value.integer(UInt64.self) else { throw JsonShapeProblem.type(value, expected: "u64") }
        return number
    }

    func optionalUnsigned(_ name: String) throws -> UInt64? {
        guard let value = optional(name) else { return nil }
        guard let number = value.integer(UInt64.self) else { throw JsonShapeProblem.type(value, expected: "u64") }
        return number
    }

    func object(_ name: String) throws -> JsonTree {
        let value = try value(name)
        guard case .object = value else { throw JsonShapeProblem.type(value, expected: "a map") }
        return value
    }
}
