import Foundation
import MeroKit

/// `/admin-api/alias`.
///
/// Spec: 20, section 6.9.
struct AliasService: Sendable {
    let aliases: AliasBook
    let bodyLimit: Int

    func create(_ kind: AliasBook.Kind, _ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let tree: JsonTree
            switch call.request.jsonBody(limit: bodyLimit) {
            case .tree(let body): tree = body
            case .refused(let answer): throw EarlyReply(answer)
            }
            let (name, id) = try RelayService.shaped { () -> (String, String) in
                let fields = try JsonFields(tree, allowed: ["alias", kind.field], what: "a request")
                let name = try fields.string("alias")
                guard AliasBook.isName(name) else { throw Self.badName }
                return (name, try fields.id(kind.field))
            }
            guard try aliases.create(kind, name, id) else { throw NodeRefusal(409, "alias already exists") }
            return .json(200, ["data": .null])
        }
    }

    private static let badName = JsonShapeProblem(
        description: "alias: invalid value, expected 1 to 50 characters of A-Z a-z 0-9 . _ -")

    /// The name that a path carries. Throws `EarlyReply`.
    private func name(_ call: RouteCall) throws -> String {
        let name = call.parameters["name"] ?? ""
        guard AliasBook.isName(name) else {
            throw EarlyReply(.text(400, "Invalid URL: Cannot parse value at `name`: \(Self.badName)"))
        }
        try EmptyBody.check(call.request, limit: bodyLimit)
        return name
    }

    func lookUp(_ kind: AliasBook.Kind, _ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let value = aliases[kind, try name(call)]
            return .json(200, ["data": ["value": value.map { .string($0) } ?? .null]])
        }
    }

    func delete(_ kind: AliasBook.Kind, _ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            try aliases.delete(kind, try name(call))
            return .json(200, ["data": .null])
        }
    }

    func list(_ kind: AliasBook.Kind) -> DevHttpResponse { .json(200, ["data": .map(aliases.all(kind))]) }
}
