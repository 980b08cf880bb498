import Foundation

/// Bytes on the wire: sends one request and hands back one answer.
///
/// An engine knows no JSON, no tokens and no retries, and it never follows a redirect: a 3xx is an answer like any
/// other. It must
/// - throw `CancellationError` promptly when the calling task is cancelled, and stop the transfer;
/// - throw `EngineError` for everything that yields no complete answer, saying whether the request can have reached the
///   other side;
/// - never send `sendAtMostOnce` requests twice, not even when a reused connection dies (spec 00, ruling 28);
/// - resume every caller exactly once;
/// - keep no cookies and no cache, and verify TLS always.
protocol HttpEngine: AnyObject, Sendable {
    func perform(_ request: EngineRequest) async throws -> EngineResponse
}

struct EngineRequest: Sendable {
    /// Absolute, percent-encoded; sent as it stands.
    var url: String
    /// Upper case: `GET`, `HEAD`, `POST`, ...
    var method: String
    /// Sent as they stand. A body brings its `Content-Type` here; without one, none is sent.
    var headers: [(name: String, value: String)]
    var body: EngineBody = .none
    /// Seconds in which no byte moves in either direction (connecting included) before the attempt fails as `.timedOut`.
    var inactivityTimeout: TimeInterval
    var sendAtMostOnce: Bool = false
    var sink: EngineSink
    var uploadProgress: (@Sendable (TransferProgress) -> Void)?
    var downloadProgress: (@Sendable (TransferProgress) -> Void)?
    /// Called by an engine that is about to send the request a second time by itself.
    var onResend: (@Sendable () -> Void)?
    /// Nil where sink and body tell.
    var statedSize: TransferSize?
}

extension EngineRequest {
    enum TransferSize { case small, stream, large }

    /// How much moves at once: what buffers are worth it.
    var transferSize: TransferSize {
        if let statedSize { return statedSize }
        switch sink {
        case .file: return .large
        case .stream: return .stream
        case .memory: break
        }
        switch body {
        case .none: return .small
        case .bytes(let data): return data.count > 1 << 20 ? .large : .small
        case .file: return .large
        }
    }
}

enum EngineBody: Sendable {
    case none
    case bytes(Data)
    /// Streamed from disk. A missing or unreadable file is `EngineError.Kind.file`, before anything is sent.
    case file(URL)
}

/// Where the answer's body goes.
enum EngineSink: Sendable {
    /// Kept in memory. More bytes than `limit` (after decompression) end the call with `.tooLarge`.
    case memory(limit: Int)
    /// A 2xx body is written to this file, which the engine creates anew with mode 0600 and removes again on any
    /// failure. Of any other answer the first 64 KiB come back in `EngineResponse.body` and no file is left behind.
    case file(URL)
    /// A 2xx body is handed on as it arrives and not kept; the call ends with it, or when the receiver has enough. Of any
    /// other answer the first 64 KiB come back in `EngineResponse.body`.
    case stream(any EngineBodyReceiver)
}

/// Takes the body of an answer piece by piece, in order, and never two pieces at once.
///
/// Called on a thread that serves other calls as well: be quick, and wait for nothing.
protocol EngineBodyReceiver: AnyObject, Sendable {
    func receive(_ bytes: UnsafeRawBufferPointer) -> EngineAppetite
}

/// What a receiver wants after a piece.
enum EngineAppetite: Sendable {
    case more
    /// It has what it came for: the engine answers its caller at once. The connection has `EngineFarewell.time` to come to
    /// its end, so that it can be used again; what it brings until then may still be handed on.
    case enough
    /// Nothing more: the engine answers its caller and closes the connection.
    case stop
}

/// What becomes of a connection whose caller has been answered before its end.
enum EngineFarewell {
    /// Seconds.
    static let time: TimeInterval = 1
    /// How many connections of one engine are waited for: one that never ends on purpose must not gather them.
    static let most = 128
}

struct EngineResponse: Sendable {
    var status: Int
    /// Names in lower case; values of repeated headers are joined with `", "`.
    var headers: [String: String]
    /// Empty when the body went elsewhere.
    var body: Data
}

/// Why there is no answer.
struct EngineError: Error, Sendable {
    enum Kind: Sendable, Equatable {
        /// No connection: name resolution, refused, no route, TLS handshake or certificate.
        case unreachable
        /// Nothing moved for the allowed time.
        case timedOut
        /// The connection broke, or what came was not HTTP, or the body was cut short.
        case connectionLost
        /// The answer is larger than the sink allows.
        case tooLarge
        /// A local file could not be read or written.
        case file
        /// The engine was closed, or its session invalidated. Trying again is pointless.
        case closed
        /// The request is not one that can be sent (a malformed URL or header).
        case invalidRequest
    }

    let kind: Kind
    /// False only when it is certain that no byte of the request reached the other side.
    let mayHaveReachedNode: Bool
    /// For a person; no secrets, no request headers.
    let message: String
}
