/// What a node with sealed transport refuses in the clear.
///
/// Nothing authenticates it: whoever is on the way can write one. Spec: 80, sections 1.7 and 9.
public struct SealedRefusal: Sendable, Equatable {
    /// What to go by, e.g. `sealed_required`.
    public let code: String?
    /// For a person.
    public let message: String?
}

extension HTTPError {
    /// What the node said about sealing; nil unless the body's `error` is an object with a `code` or a `message`.
    public var sealedRefusal: SealedRefusal? {
        guard let bodyText, let error = (try? JSONValue(jsonBytes: Array(bodyText.utf8)))?["error"] else { return nil }
        let refusal = SealedRefusal(code: error["code"]?.stringValue, message: error["message"]?.stringValue)
        return refusal.code == nil && refusal.message == nil ? nil : refusal
    }
}
