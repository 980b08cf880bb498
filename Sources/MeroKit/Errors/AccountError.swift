import Foundation

/// What goes wrong in the account layer: keys, credentials, warrants, relays that refuse, the cloud's answers.
///
/// No text in here repeats a secret. Spec: 70, section 7, and 60, section 3.
public enum AccountError: Error, Sendable, Equatable {
    /// An argument that cannot be used: found before anything was signed or sent.
    case invalidInput(String)
    /// A device certificate that does not hold, or is not for this device.
    case credentialRejected(String)
    /// The wallet did not certify the device.
    case enrolmentDeclined(String)
    /// A callback that answers another request than the one that is pending.
    case stateMismatch
    /// The key that a relay signs with could not be learned from something trusted.
    case relayKeyUnavailable(String)
    /// A relay took no action on a warrant. With `retryable`, a fresh warrant may be taken.
    case intentRefused(reason: String, retryable: Bool, status: Int)
    /// An answer that does not fit the question.
    case protocolViolation(String)
    /// There is no session or credential for what was asked.
    case notSignedIn(String)
    /// The cloud refused to host a namespace.
    case haRefused(code: String, status: Int, body: String?)
    /// Nobody is there who could admit the bearer of an invitation. `reason` is `not-hosted` or `no-named-node`.
    case invitationNotClaimable(namespaceId: String, reason: String)
}

extension AccountError: LocalizedError {
    /// One line for a person. The same text as `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .invalidInput(let text), .enrolmentDeclined(let text), .protocolViolation(let text),
            .notSignedIn(let text):
            return text
        case .credentialRejected(let text): return "Credential rejected: \(text)"
        case .stateMismatch: return "The callback does not answer the request that is pending"
        case .relayKeyUnavailable(let text): return "Relay node key unavailable: \(text)"
        case .intentRefused(let reason, _, let status): return "Relay refused the intent (HTTP \(status)): \(reason)"
        case .haRefused(let code, _, _): return Self.haRefusalMessages[code] ?? "The cloud refused HA: \(code)"
        case .invitationNotClaimable(let namespaceId, let reason):
            return "Nobody can admit the bearer of the invitation to \(namespaceId): \(reason)"
        }
    }
}

extension AccountError {
    /// What a person should do about a refusal, by the cloud's code. Spec: 70, section 5.3.
    package static let haRefusalMessages = [
        "account_not_linked": "Link the account to your cloud user in the wallet first",
        "account_linked_to_several_users": "The account is linked to several cloud users: unlink it from all but one",
        "ha_request_pending":
            "Another namespace of this account still waits for its first node: try again once it has one",
        "unknown_relay": "The cloud does not run that relay",
        "relay_not_dialable": "The relay has no address yet: try again later",
    ]
}
