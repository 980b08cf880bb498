import Foundation
import MeroKit

/// What a call says: the context, the method, and its arguments to the last digit.
struct CallArguments: Sendable {
    let context: String
    let method: String
    let arguments: RawJSON

    /// Reads `<context>`, `<method>` and `<json>`.
    init(_ invocation: Invocation) async throws {
        let words = invocation.arguments
        guard let context = words.operand("context"), let method = words.operand("method") else {
            throw Failure(code: .usage, message: "This needs <context> and <method>")
        }
        if words.has(.raw), words.has(.json) {
            throw Failure(
                code: .usage, message: "--raw and --json exclude each other",
                hint: "Leave out one of them; nothing was sent")
        }
        let json = JSONArgument(name: "The argument <json>")
        let parsed = try await json.parse(words.operand("json") ?? "{}", input: invocation.surroundings.input)
        guard case .object = parsed else {
            throw Failure(
                code: .usage, message: "The argument <json> has to be an object, with the method's parameters by name",
                hint: #"Write {"name":"value"}; nothing was sent"#)
        }
        self.context = context
        self.method = method
        arguments = try RawJSON(parsed.compact)
    }
}
