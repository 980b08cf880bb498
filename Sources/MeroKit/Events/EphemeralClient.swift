import Foundation

/// Presence on a node: a few bytes for each member of a context that the others see at once and nobody stores.
///
/// ```swift
/// try await mero.ephemeral.set(contextId, state: ["cursor": 7])
/// for try await entry in try mero.ephemeral.subscribe(contextId) { show(entry.author, entry.state) }
/// ```
///
/// The node signs as its own identity in the context, and repeats what was set until it stops; there is nothing to take it
/// back with: set a value that the app reads as "gone". Spec: 40, sections 5.1 and 5.5.
public final class EphemeralClient: Sendable {
    private let rpc: RpcClient
    private let sse: SseClient

    /// - Parameters:
    ///   - http: Sends `set`.
    ///   - events: Brings what `subscribe` delivers, over its shared connection.
    public init(http: any HttpClient, events: SseClient) {
        rpc = RpcClient(http: http)
        sse = events
    }

    /// Publishes this node's presence in the context as JSON.
    ///
    /// - Throws: `MeroError.rpc` when the node refuses (`Unauthorized`, `NoOwnedIdentity`, `SliceTooLarge` over 16,384 bytes),
    ///   and what any call throws, such as `MeroError.network` for a state that JSON cannot express.
    public func set(_ contextId: String, state: JSONValue) async throws {
        try await set(contextId, state: state, codec: .json)
    }

    /// Publishes this node's presence in the context.
    ///
    /// - Throws: What the codec throws, and what `set(_:state:)` does.
    public func set<State: Sendable>(_ contextId: String, state: State, codec: PresenceCodec<State>) async throws {
        try await rpc.setEphemeral(contextId: contextId, state: try codec.encode(state))
    }

    /// Who is present in the context: first what the node knows (with an `ageMs`), then every change.
    ///
    /// Starts the shared connection and subscribes to the context without waiting for either. The end of the loop detaches
    /// it and leaves the context subscribed. States that are no JSON are left out. It throws when the connection ends for
    /// good: `MeroError.authRevoked`, or a 403 as `MeroError.http`.
    ///
    /// After a reconnect the node sends anew who is present, but not who went meanwhile: forget an author who has not been
    /// heard of for a while, or all of them at a gap of `SseClient`. For a slow consumer the newest 4,096 entries are kept.
    public func subscribe(_ contextId: String) throws -> AsyncThrowingStream<EphemeralEntry<JSONValue>, Error> {
        try subscribe(contextId, codec: .json)
    }

    /// The same for states that are not JSON. What the codec refuses to decode is left out.
    public func subscribe<State: Sendable>(
        _ contextId: String, codec: PresenceCodec<State>
    ) throws -> AsyncThrowingStream<EphemeralEntry<State>, Error> {
        PresenceStream.make(contextId, codec: codec, from: sse)
    }
}
