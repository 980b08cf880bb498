import Foundation

/// What a node says, unsealed, instead of taking a sealed request.
///
/// Nobody vouches for it: whoever carries the request can write it as well. Spec: 80, section 1.7.
public struct SealedRefusal: Sendable, Equatable {
    /// E.g. `unknown_session`, `busy`, `too_large`.
    public let code: String?
    /// For a person.
    public let message: String?

    /// A refusal, as its body states it.
    public init(code: String?, message: String?) {
        self.code = code
        self.message = message
    }
}

extension HTTPError {
    /// The code and message of a refusal by the sealed transport, or by a node that takes only sealed requests. Nil unless
    /// the body has an `error` object with one of them.
    ///
    /// Spec: 80, sections 1.7 and 9.
    public var sealedRefusal: SealedRefusal? {
        guard let bodyText, case .object(let body)? = try? JSONValue(jsonBytes: Data(bodyText.utf8)),
            case .object(let error)? = body["error"]
        else { return nil }
        let refusal = SealedRefusal(code: error["code"]?.stringValue, message: error["message"]?.stringValue)
        return refusal.code == nil && refusal.message == nil ? nil : refusal
    }
}
