/// An error inside a JSON-RPC answer.
///
/// A node names the `type` and gives `data`; it sends neither a code nor a message. Spec: 10, section 1.6, and 40,
/// section 1.4 for the list of types.
public struct RpcError: Error, Sendable, Equatable {
    /// The code on the wire, `-1` when there is none.
    public let code: Int
    /// The message on the wire, else one made of `type` and `data`.
    public let message: String
    /// The kind of error: `"FunctionCallError"`, `"ContextNotFound"`, ... The list is open.
    public let type: String?
    /// Details, whose form depends on `type`.
    public let data: JSONValue?

    /// An error, as a JSON-RPC answer would carry it.
    public init(code: Int, message: String, type: String? = nil, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.type = type
        self.data = data
    }

    /// The `type` of a write that this node's role in the context discards.
    public static let readOnlyWriteRefusedType = "ReadOnlyWriteRefused"

    /// True when the node's role in the context discards writes. The same node will never accept it: send the write to
    /// a node with a writing role, or as an intent.
    public var isReadOnlyWriteRefused: Bool { type == Self.readOnlyWriteRefusedType }

    /// The context that refused the write, nil for any other error.
    public var refusedContextId: String? {
        isReadOnlyWriteRefused ? data?["context_id"]?.stringValue : nil
    }
}

extension RpcError {
    /// Builds the error from what stood on the wire.
    init(code: Int?, message: String?, type: String?, data: JSONValue?) {
        self.init(
            code: code ?? -1, message: message ?? Self.derivedMessage(type: type, data: data), type: type, data: data)
    }

    private static func derivedMessage(type: String?, data: JSONValue?) -> String {
        guard let type else { return "RPC error" }
        if type == readOnlyWriteRefusedType {
            let place = data?["context_id"]?.stringValue.map { " \($0)" } ?? ""
            return "This node has a read-only role in the context\(place) and discards its own writes"
        }
        if let detail = data?.stringValue { return "\(type): \(detail)" }
        return type
    }
}
