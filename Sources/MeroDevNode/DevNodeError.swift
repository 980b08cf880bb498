import Foundation

/// Why a dev node could not start or change.
public enum DevNodeError: Error, Sendable, Equatable, LocalizedError {
    /// The data directory or a file in it cannot be read or written, or another node uses it.
    case storage(String)
    /// An id that is not 64 hexadecimal characters.
    case invalidId(String)
    /// The context exists already with another contract.
    case contextExists(String)
    /// The node knows no such context.
    case unknownContext(String)
    /// The node knows no such group.
    case unknownGroup(String)
    /// A presence slice over 16,384 bytes, with its size.
    case sliceTooLarge(Int)
    /// Text that is not the JSON it should be.
    case invalidJson(String)
    /// A node said no: the status and the text that a caller over HTTP would have got.
    case refused(Int, String)
    /// No bundle, or one that cannot be installed.
    case invalidBundle(String)
    /// The node has no such application.
    case unknownApplication(String)
    /// The HTTP server could not be started.
    case server(String)

    /// A sentence for people.
    public var errorDescription: String? {
        switch self {
        case .storage(let text): return "Dev node storage: \(text)"
        case .invalidId(let id): return "Not an id of 64 hexadecimal characters: \(id)"
        case .contextExists(let id): return "Context \(id) already runs another contract"
        case .unknownContext(let id): return "The dev node has no context \(id)"
        case .unknownGroup(let id): return "The dev node has no group \(id)"
        case .sliceTooLarge(let size): return "A presence slice of \(size) bytes is over the limit of 16384"
        case .invalidJson(let text): return "Not the JSON it should be: \(text)"
        case .refused(let status, let text): return "Refused with \(status): \(text)"
        case .invalidBundle(let text): return "Not a signed application bundle: \(text)"
        case .unknownApplication(let id): return "The dev node has no application \(id)"
        case .server(let text): return "Dev node server: \(text)"
        }
    }
}
