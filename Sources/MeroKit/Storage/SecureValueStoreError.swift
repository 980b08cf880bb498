import Foundation

/// A store of secrets that cannot be used. No text in here repeats what is stored.
public enum SecureValueStoreError: Error, Sendable, Equatable {
    /// Something is stored and cannot be read, or is not what belongs there. It was left as it is.
    case unreadable(String)
    /// Nothing could be stored.
    case unwritable(String)
}

extension SecureValueStoreError: LocalizedError {
    /// One line for a person. The same text as `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .unreadable(let text): return "What is stored cannot be read: \(text)"
        case .unwritable(let text): return "Nothing can be stored: \(text)"
        }
    }
}
