/// The `error` object of a JSON-RPC answer.
///
/// Spec: 40, section 1.4.
struct RpcFailure: Error, Sendable, Equatable {
    var type: String
    /// Nil when the key is absent.
    var data: JsonTree?

    init(_ type: String, _ data: JsonTree? = nil) {
        self.type = type
        self.data = data
    }

    var tree: JsonTree {
        var members = [JsonMember(name: "type", value: .string(type))]
        if let data { members.append(JsonMember(name: "data", value: data)) }
        return .object(members)
    }

    static func parse(_ text: String) -> RpcFailure { RpcFailure("ParseError", .string(text)) }
    static func functionCall(_ text: String) -> RpcFailure { RpcFailure("FunctionCallError", .string(text)) }
    static func inner(_ kind: String) -> RpcFailure { RpcFailure("InternalError", ["kind": .string(kind)]) }
    static func serde(_ message: String) -> RpcFailure { RpcFailure("SerdeError", ["message": .string(message)]) }
    static let notMember = functionCall("Caller is not a member of this context")
    static let contextNotFound = RpcFailure("ContextNotFound")
}
