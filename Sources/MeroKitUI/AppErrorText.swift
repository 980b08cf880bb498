import Foundation
import MeroKit

/// Words for a failure that a user of an app can do something with. Spec: 70, section 13.1.
public enum AppErrorText {
    public static func text(for error: any Error) -> String {
        switch error {
        case MeroError.authRevoked: return "Your session was revoked. Please sign in again."
        case MeroError.authenticationFailed: return "Login failed — check your credentials and node URL."
        case MeroError.network(let detail): return "Can't reach Calimero: \(detail)"
        case let error as any LocalizedError: return error.errorDescription ?? "Something went wrong."
        default: return "Something went wrong."
        }
    }
}
