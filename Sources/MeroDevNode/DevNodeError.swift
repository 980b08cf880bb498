import Foundation

/// Why a dev node could not start or change.
public enum DevNodeError: Error, Sendable, Equatable, LocalizedError {
    /// The data directory or a file in it cannot be read or written, or another node uses it.
    case storage(String)
    /// An id that is not 64 hexadecimal characters.
    case invalidId(String)
    /// The context exists already with another contract.
    case contextExists(String)
    /// The HTTP server could not be started.
    case server(String)

    /// A sentence for people.
    public var errorDescription: String? {
        switch self {
        case .storage(let text): return "Dev node storage: \(text)"
        case .invalidId(let id): return "Not an id of 64 hexadecimal characters: \(id)"
        case .contextExists(let id): return "Context \(id) already runs another contract"
        case .server(let text): return "Dev node server: \(text)"
        }
    }
}
