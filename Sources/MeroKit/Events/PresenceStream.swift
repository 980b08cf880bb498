/// Presence in one context, picked from the events of a shared connection.
enum PresenceStream {
    static func make<State: Sendable>(
        _ contextId: String, codec: PresenceCodec<State>, from sse: SseClient
    ) -> AsyncThrowingStream<EphemeralEntry<State>, any Error> {
        AsyncThrowingStream { continuation in
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
