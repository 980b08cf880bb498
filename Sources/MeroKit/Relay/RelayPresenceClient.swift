import Foundation

/// Presence of an account that has no node: signed by its device, published and repeated through a relay.
///
/// ```swift
/// let presence = RelayPresenceClient(relay: relay, events: { try client.events })
/// try await presence.set(contextId, state: ["cursor": 7])
/// for try await entry in try presence.subscribe(contextId) { show(entry.author, entry.state) }
/// ```
///
/// What was set is sent again every 2.5 seconds until `set(_:state:)` with nil, `close()`, or until the client goes away;
/// others then see it end within 7 seconds. A clock more than 7 seconds off makes every statement fail with a 400.
/// Spec: 60, section 11, and 40, section 5.5.
public final class RelayPresenceClient: Sendable {
    private let events: @Sendable () throws -> SseClient
    private let sender: PresenceSender

    /// - Parameters:
    ///   - relay: Signs and publishes.
    ///   - events: Brings what `subscribe` delivers. Asked by `subscribe` only: publishing needs no events.
    ///   - heartbeat: Seconds between two repetitions: a tenth at least, and 2.5 for what is no positive number.
    ///   - now: The clock of the statements.
    public init(
        relay: RelayClient, events: @escaping @Sendable () throws -> SseClient, heartbeat: TimeInterval = 2.5,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.events = events
        sender = PresenceSender(relay: relay, heartbeat: heartbeat, now: now)
    }

    deinit { sender.stopAll() }

    /// Publishes the device's presence in the context as JSON; nil takes it back.
    ///
    /// - Throws: `AccountError.intentRefused` or `MeroError.http` when the relay refuses for good (any 4xx but 429): nothing
    ///   is repeated then. A relay that is busy, unavailable or out of reach is no error: the next repetition makes up for it.
    ///   `MeroError.network` for a state that JSON cannot express, and `AccountError.invalidInput` for a clock that shows no
    ///   date: nothing is sent then.
    public func set(_ contextId: String, state: JSONValue?) async throws {
        try await set(contextId, state: state, codec: .json)
    }

    /// Publishes the device's presence in the context; nil takes it back.
    ///
    /// - Throws: What the codec throws, and what `set(_:state:)` does.
    public func set<T: Sendable>(_ contextId: String, state: T?, codec: PresenceCodec<T>) async throws {
        try await sender.set(contextId) { try state.map(codec.encode) }
    }

    /// Who is present in the context. See `EphemeralClient.subscribe`.
    ///
    /// - Throws: What the source of events throws, such as `MeroTransportError.missingNodeKey`.
    public func subscribe(_ contextId: String) throws -> AsyncThrowingStream<EphemeralEntry<JSONValue>, Error> {
        try subscribe(contextId, codec: .json)
    }

    /// The same for states that are not JSON. What the codec refuses to decode is left out.
    public func subscribe<T: Sendable>(
        _ contextId: String, codec: PresenceCodec<T>
    ) throws -> AsyncThrowingStream<EphemeralEntry<T>, Error> {
        PresenceStream.make(contextId, codec: codec, from: try events())
    }

    /// Stops every repetition, and sends nothing.
    public func close() { sender.stopAll() }
}
