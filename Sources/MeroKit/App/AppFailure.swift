import Foundation

/// What went wrong, as far as an app can tell a person something useful about it.
///
/// Spec: 70, section 13.1.
public enum AppFailure: Error, Sendable, Equatable {
    /// The node's address cannot be one.
    case invalidNodeURL
    /// No user name or no password.
    case missingCredentials
    /// The node does not know the user, or cannot be logged in to.
    case authenticationFailed
    /// The node has ended the session.
    case sessionRevoked
    /// The node, the relay or the cloud is out of reach.
    case network(String)
    /// The wallet did not certify the device.
    case enrolmentDeclined
    /// The callback answers another request than the app's.
    case stateMismatch
    /// The wallet's answer does not hold.
    case credentialRejected
    /// A hosted login came back from another node than the one that was asked.
    case untrustedNode(String)
    /// The account has no relay yet.
    case noRelay
    /// The session lacks a right, which a new login can ask for.
    case permissionMissing(String)
    /// What an account cannot do over a relay, by its name.
    case notOverRelay(String)
    /// Anything else, in its own words.
    case other(String)

    /// What an error is to an app.
    public init(_ error: any Error) {
        switch error {
        case let failure as AppFailure: self = failure
        case MeroError.authRevoked: self = .sessionRevoked
        case MeroError.authenticationFailed: self = .authenticationFailed
        case MeroError.network(let detail): self = .network(detail)
        case AccountError.enrolmentDeclined: self = .enrolmentDeclined
        case AccountError.stateMismatch: self = .stateMismatch
        case AccountError.credentialRejected: self = .credentialRejected
        case let error as any LocalizedError: self = .other(error.errorDescription ?? Self.unknown)
        default: self = .other(Self.unknown)
        }
    }

    private static let unknown = "Something went wrong."

    /// One sentence for a person.
    public var text: String {
        switch self {
        case .invalidNodeURL: return "Enter a valid node URL (e.g. http://localhost:4001)."
        case .missingCredentials: return "Username and password are required."
        case .authenticationFailed: return "Login failed — check your credentials and node URL."
        case .sessionRevoked: return "Your session was revoked. Please sign in again."
        case .network(let detail): return "Can't reach Calimero: \(detail)"
        case .enrolmentDeclined: return "This device was not approved. You can try again."
        case .stateMismatch: return "That sign-in did not come from this app. Please try again."
        case .credentialRejected:
            return "The wallet's answer could not be verified, so nothing was saved. Please try again."
        case .untrustedNode(let url): return "The sign-in came back from another node (\(url)). Nothing was saved."
        case .noRelay: return "No relay serves this account yet. Redeem an invitation to get one."
        case .permissionMissing(let name): return "This sign-in lacks the right \(name). Sign in again to grant it."
        case .notOverRelay(let name): return "\(name) takes a node of your own: a relay cannot do it for an account."
        case .other(let text): return text
        }
    }
}

extension AppFailure: LocalizedError {
    /// The same as `text`.
    public var errorDescription: String? { text }
}
