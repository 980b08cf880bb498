import Foundation
import MeroKit

/// The body of a route whose handler checks it by itself: whatever is wrong with it is a 400 with JSON.
///
/// Spec: 20, section 1.9; 30, section 1.3.
struct AdminBody {
    let fields: JsonFields

    /// Throws `NodeRefusal` unless the body is an object of these members at most.
    static func read(_ request: DevHttpRequest, _ names: [String], limit: Int) throws -> AdminBody {
        guard request.hasJsonContentType else {
            throw NodeRefusal(400, "Expected request with `Content-Type: application/json`")
        }
        guard request.bodyLength <= UInt64(max(0, limit)), let bytes = request.wholeBody else {
            throw EarlyReply(.bodyTooLarge)
        }
        let tree: JsonTree
        do {
            tree = try JsonParser.parse(bytes)
        } catch {
            throw NodeRefusal(400, "JSON syntax error: Failed to parse the request body as JSON: \(error)")
        }
        do {
            return AdminBody(fields: try JsonFields(tree, allowed: names, what: "a request"))
        } catch {
            let unknown = tree.members.first { !names.contains($0.name) }?.name
            throw refusal(error, at: unknown.map { ($0, end(of: $0, in: bytes)) })
        }
    }

    /// Reads members. Throws `NodeRefusal` for one of another shape, or what `body` throws of its own.
    func callAsFunction<Value>(_ body: (JsonFields) throws -> Value) throws -> Value {
        try Self.shaped { try body(fields) }
    }

    /// Throws `NodeRefusal` for a member of another shape, or what `body` throws of its own.
    static func shaped<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as JsonShapeProblem {
            throw refusal(problem)
        }
    }

    private static func refusal(_ problem: any Error, at place: (name: String, column: Int)? = nil) -> NodeRefusal {
        let what = place.map { "\($0.name): \(problem) at line 1 column \($0.column)" } ?? "\(problem)"
        return NodeRefusal(
            400, "Invalid JSON data: Failed to deserialize the JSON body into the target type: \(what)")
    }

    /// Where a name that is not allowed ends, as the node's reader counts.
    private static func end(of name: String, in body: Data) -> Int {
        let quoted = JsonTree.string(name).data
        guard let range = body.range(of: quoted) else { return 0 }
        return body.distance(from: body.startIndex, to: range.upperBound)
    }
}

/// The body of a POST that has nothing to say: nothing, or an object without members. The framework answers for another.
enum EmptyBody {
    /// Throws `EarlyReply`.
    static func check(_ request: DevHttpRequest, limit: Int) throws {
        guard request.bodyLength > 0 else { return }
        switch request.jsonBody(limit: limit) {
        case .tree(let tree): _ = try RelayService.shaped { try JsonFields(tree, allowed: [], what: "a request") }
        case .refused(let answer): throw EarlyReply(answer)
        }
    }
}

extension JsonFields {
    /// 64 hexadecimal characters, in lower case. Throws `JsonShapeProblem`.
    func id(_ name: String) throws -> String { try Self.id(try string(name), name) }

    /// Nil when the member is absent or null.
    func optionalId(_ name: String) throws -> String? { try optionalString(name).map { try Self.id($0, name) } }

    private static func id(_ text: String, _ name: String) throws -> String {
        guard let bytes = Hex.decode(text), bytes.count == 32 else {
            throw JsonShapeProblem(
                description: "\(name): invalid value: string \(JsonTree.string(text).text), expected 64 hexadecimal "
                    + "characters")
        }
        return Hex.encode(bytes)
    }

    /// Numbers of 0 to 255. Throws `JsonShapeProblem`.
    func bytes(_ name: String) throws -> [UInt8] {
        let value = try value(name)
        guard let items = value.arrayValue else { throw JsonShapeProblem.type(value, expected: "a sequence") }
        return try items.map { item in
            guard let byte = item.integer(UInt8.self) else { throw JsonShapeProblem.type(item, expected: "u8") }
            return byte
        }
    }
}
