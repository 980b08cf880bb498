import Foundation

/// A node's reason for an error, as its body states it.
///
/// The same pair of `type` and `data` that a JSON-RPC error carries. Spec: 10, section 1.3.
public struct ErrorRefusal: Sendable, Equatable {
    /// The text under `error`.
    public let message: String?
    /// The kind of error, e.g. `"FunctionCallError"`.
    public let type: String?
    /// Whatever stands under `data`. A present `null` is `.null`, an absent key is nil.
    public let data: JSONValue?

    /// A refusal, as a body would state it.
    public init(message: String? = nil, type: String? = nil, data: JSONValue? = nil) {
        self.message = message
        self.type = type
        self.data = data
    }

    /// Reads an error body; nil when it is not a JSON object, or holds none of the three.
    init?(bodyText: String) {
        guard case .object(let object)? = try? JSONValue(jsonBytes: Array(bodyText.utf8)) else { return nil }
        let message = object["error"]?.stringValue
        let type = object["type"]?.stringValue
        let data = object["data"]
        if message == nil && type == nil && data == nil { return nil }
        self.init(message: message, type: type, data: data)
    }
}
