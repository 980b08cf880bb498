/// Presence in one context, picked from the events of a shared connection.
enum PresenceStream {
    /// How many entries wait for a slow consumer.
    static let limit = 4096

    /// - Parameter limit: Beyond it the oldest entries are dropped: presence is what counts now.
    static func make<State: Sendable>(
        _ contextId: String, codec: PresenceCodec<State>, from sse: SseClient, limit: Int = Self.limit
    ) -> AsyncThrowingStream<EphemeralEntry<State>, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            let events = sse.on { event in
                if let entry = EphemeralEntry(event, in: contextId, codec: codec) { continuation.yield(entry) }
            }
            let end = sse.onEnd { continuation.finish(throwing: $0) }
            let start = Task {
                sse.connect()
                // A failure needs no answer here: the connection asks again, or ends and says so.
                try? await sse.subscribeForPresence(contextId)
            }
            continuation.onTermination = { _ in
                events.cancel()
                end.cancel()
                start.cancel()
                // The connection lives at least as long as the stream over it.
                withExtendedLifetime(sse) {}
            }
        }
    }
}
