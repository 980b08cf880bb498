import MeroKit

/// The events of one context, taken one by one; nothing is waited for longer than a few seconds.
struct DemoStream: Sendable {
    private let events: AsyncThrowingStream<ContextEvent, any Error>
    private let isActive: Locked<Bool>

    init(_ sse: SseClient, context: String) {
        let isActive = Locked(false)
        self.isActive = isActive
        events = sse.events(contextIds: [context], groupIds: []) { status in
            isActive.withLock { $0 = status.isComplete }
        }
    }

    /// Waits until the node delivers events.
    func untilActive() async throws {
        try await Self.within("the event stream") { [isActive] in
            while !isActive.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
        }
    }

    /// - Parameter what: What is waited for, for the complaint when it does not come.
    func next(_ what: String) async throws -> ContextEvent {
        try await Self.within(what) { [events] in
            for try await event in events { return event }
            throw CancellationError()
        }
    }

    static func within<Value: Sendable>(
        _ what: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(nanoseconds: 10_000_000_000)
                throw Failure(code: .unreachable, message: "\(what) did not come within 10 s")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}
