/// A refusal with the node's own words: `{"error":"<text>"}`, and for an error of a method also `type` and `data`.
///
/// Spec: 20, section 1.9, and 60, section 1.
struct NodeRefusal: Error, Sendable, Equatable {
    var status: Int
    var text: String
    /// The error of a method that ran, as JSON-RPC would tell it.
    var method: RpcFailure?

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }

    /// Whose message is kept to the node's log.
    static let hidden = NodeRefusal(500, "Internal server error")

    var response: DevHttpResponse {
        var members = [JsonMember(name: "error", value: .string(text))]
        if let method { members += method.tree.members }
        return .json(status, .object(members))
    }

    /// Runs a handler whose refusals are thrown.
    static func answering(_ body: () async throws -> DevHttpResponse) async -> DevHttpResponse {
        do {
            return try await body()
        } catch let refusal as NodeRefusal {
            return refusal.response
        } catch let early as EarlyReply {
            return early.response
        } catch {
            return hidden.response
        }
    }
}
