import Foundation

/// Why something could not be sent sealed, or why what came back does not count.
///
/// None of these is ever answered by sending again, and none by sending unsealed. What a node, or somebody on the way,
/// refuses in the clear is not here: it is `MeroError.http`, see `HTTPError.sealedRefusal`. Spec: 80, section 9.
public enum SealedTransportError: Error, Sendable, Equatable {
    /// The request leads elsewhere than to the sealed node. Nothing was sent.
    case outsideBase(url: String, base: String)
    /// The transport key is not a key of 32 bytes that anything can be agreed with. Nothing was sent.
    case transportKey
    /// A header's value is neither visible ASCII, space nor tab, or its name is none, so that the node would refuse the request.
    /// Nothing was sent.
    case invalidHeader(name: String)
    /// The path and the headers together are longer than a node takes, in bytes. Nothing was sent.
    case headTooLarge(limit: Int)
    /// The request is larger than a node takes in one piece. Nothing was sent.
    case requestTooLarge(limit: Int)
    /// A WebSocket cannot be sealed; use `events`.
    case webSocket
    /// The answer to the handshake did not come from the holder of the transport key.
    case handshake
    /// A success that is not sealed. Somebody on the way may have written it.
    case notSealed(status: Int)
    /// A part of the answer is larger than the node ever sends.
    case frameTooLarge
    /// A part of the answer was not sealed by the attested node for this request, or not for this place in it.
    case notFromNode
    /// The parts of the answer are in an order, or of a kind, that means nothing.
    case malformed
    /// The answer ends before its end: what arrived of it was genuine, but it is not all.
    case cutShort
}

extension SealedTransportError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .outsideBase(let url, let base): return "Refusing to send \(url) outside the sealed node at \(base)"
        case .transportKey: return "The transport key of the sealed node is not a usable key"
        case .invalidHeader(let name):
            return "The header \(name) cannot be sealed: its name has to be a token, its value ASCII"
        case .headTooLarge(let limit): return "The path and headers of a sealed request can have \(limit) bytes at most"
        case .requestTooLarge(let limit): return "A sealed request can have \(limit) bytes at most"
        case .webSocket: return "A WebSocket cannot be sealed; subscribe to events over server-sent events instead"
        case .handshake: return "The answer to the sealed handshake did not come from the attested node"
        case .notSealed(let status): return "The answer was not sealed (HTTP \(status))"
        case .frameTooLarge: return "A frame of the sealed answer is larger than the node sends"
        case .notFromNode: return "The answer was not sealed by the attested node"
        case .malformed: return "The sealed answer is malformed"
        case .cutShort: return "The sealed answer was cut short"
        }
    }
}
