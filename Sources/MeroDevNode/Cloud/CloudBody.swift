import Foundation
import MeroKit

/// The JSON body of a request, read as the cloud's framework does: what is not asked for is passed over.
struct CloudBody {
    private let tree: JsonTree

    /// Throws `CloudProblem` for a body that is no JSON object.
    init(_ request: DevHttpRequest) throws {
        guard let body = request.wholeBody, !body.isEmpty else {
            throw CloudProblem.invalid(["body"], type: "missing", "Field required", input: .null)
        }
        guard request.hasJsonContentType else {
            throw CloudProblem.invalid(
                ["body"], type: "model_attributes_type",
                "Input should be a valid dictionary or object to extract fields from",
                input: .string(String(decoding: body.prefix(200), as: UTF8.self)))
        }
        guard let tree = try? JsonParser.parse(body) else {
            throw CloudProblem.invalid(["body", 0], type: "json_invalid", "JSON decode error", input: [:])
        }
        guard case .object = tree else {
            throw CloudProblem.invalid(
                ["body"], type: "model_attributes_type",
                "Input should be a valid dictionary or object to extract fields from", input: tree)
        }
        self.tree = tree
    }

    subscript(name: String) -> JsonTree? { tree[name].flatMap { $0 == .null ? nil : $0 } }

    func value(_ name: String) throws -> JsonTree {
        guard let value = tree[name] else {
            throw CloudProblem.invalid(["body", .string(name)], type: "missing", "Field required", input: tree)
        }
        return value
    }

    func string(_ name: String) throws -> String { try Self.string(try value(name), at: ["body", .string(name)]) }

    /// 64 lower-case hexadecimal characters.
    func id(_ name: String) throws -> String { try Self.id(try string(name), at: ["body", .string(name)]) }

    /// Nil when the member is absent or null.
    func optionalStrings(_ name: String) throws -> [String]? {
        guard let value = self[name] else { return nil }
        guard let items = value.arrayValue else {
            throw CloudProblem.invalid(
                ["body", .string(name)], type: "list_type", "Input should be a valid list", input: value)
        }
        return try items.enumerated().map {
            try Self.string($0.element, at: ["body", .string(name), JsonTree($0.offset)])
        }
    }

    /// An object with these texts; a text may go by several names.
    func strings(of name: String, _ members: [[String]]) throws -> [String] {
        let object = try value(name)
        guard case .object = object else {
            throw CloudProblem.invalid(
                ["body", .string(name)], type: "model_type", "Input should be a valid dictionary", input: object)
        }
        return try members.map { names in
            let place: [JsonTree] = ["body", .string(name), .string(names.first ?? "")]
            guard let value = names.lazy.compactMap({ object[$0] }).first else {
                throw CloudProblem.invalid(place, type: "missing", "Field required", input: object)
            }
            return try Self.string(value, at: place)
        }
    }

    static func string(_ value: JsonTree, at place: [JsonTree]) throws -> String {
        guard let text = value.stringValue else {
            throw CloudProblem.invalid(place, type: "string_type", "Input should be a valid string", input: value)
        }
        return text
    }

    static func id(_ text: String, at place: [JsonTree]) throws -> String {
        guard isId(text) else {
            throw CloudProblem.invalid(
                place, type: "string_pattern_mismatch", "String should match pattern '^[0-9a-f]{64}$'",
                input: .string(text))
        }
        return text
    }

    static func isId(_ text: String, bytes: Int = 32) -> Bool {
        text.utf8.count == 2 * bytes
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

extension RouteCall {
    /// An id in the path, which is written in lower case. Throws `CloudProblem`.
    func cloudId(_ name: String) throws -> String {
        try CloudBody.id(parameters[name] ?? "", at: ["path", .string("\(name)_id")])
    }
}
