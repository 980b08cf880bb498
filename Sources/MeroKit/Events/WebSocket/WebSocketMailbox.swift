#if canImport(CCurl)
    /// Where a WebSocket's callers and its loop meet: what was received and nobody has taken, what waits to be sent, who waits
    /// for what.
    final class WebSocketMailbox: Sendable {
        private struct State {
            var opening: CheckedContinuation<Void, any Error>?
            var isOpen = false
            var reader: CheckedContinuation<[[UInt8]], any Error>?
            var unread: [[UInt8]] = []
            /// Of `unread`, those at the front that were handed over: removing each by itself would move all others.
            var taken = 0
            var unreadBytes = 0
            var unsent: [[UInt8]] = []
            var unsentBytes = 0
            /// The connection reads no more until somebody takes what is there.
            var isPaused = false
            var wantsClose = false
            /// Nobody waits for the connection any more.
            var isAbandoned = false
            var end: (any Error)?

            /// What a message costs: an empty one is no less of an array than any other.
            static func cost(of message: [UInt8]) -> Int { message.count + 64 }

            mutating func takeBatch() -> [[UInt8]]? {
                guard taken < unread.count else { return nil }
                var end = taken
                var bytes = 0
                repeat {
                    bytes += Self.cost(of: unread[end])
                    end += 1
                } while end < unread.count && bytes + Self.cost(of: unread[end]) <= WebSocketLimit.batch
                let batch: [[UInt8]]
                if taken == 0, end == unread.count {
                    batch = unread
                    unread = []
                    end = 0
                } else {
                    batch = Array(unread[taken..<end])
                    for index in taken..<end { unread[index] = [] }
                    if end == unread.count || end > 4096 {
                        unread.removeFirst(end)
                        end = 0
                    }
                }
                taken = end
                unreadBytes -= bytes
                return batch
            }
        }

        /// What the callers want from the loop.
        struct Orders {
            let unsent: [[UInt8]]
            let wantsClose: Bool
            let isAbandoned: Bool
            /// There is room again for what comes in.
            let resumes: Bool
        }

        private let state = Locked(State())
        private let unreadLimit: Int

        /// - Parameter unreadLimit: Bytes.
        init(unreadLimit: Int) { self.unreadLimit = unreadLimit }

        // MARK: - The callers' side

        /// - Parameter abandoned: Called when the calling task was cancelled and the loop has to hear of it.
        func waitUntilOpen(_ abandoned: @Sendable () -> Void) async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let outcome = state.withLock { state -> Result<Void, any Error>? in
                        if let end = state.end { return .failure(end) }
                        if state.isOpen { return .success(()) }
                        state.opening = continuation
                        return nil
                    }
                    if let outcome { continuation.resume(with: outcome) }
                }
            } onCancel: {
                state.withLock { $0.isAbandoned = true }
                finish(CancellationError())
                abandoned()
            }
        }

        /// - Parameter hasRoom: Called when the loop waits for room and there is some.
        func receive(_ hasRoom: () -> Void) async throws -> [[UInt8]] {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let outcome = state.withLock { state -> Result<[[UInt8]], any Error>? in
                        if Task.isCancelled { return .failure(CancellationError()) }
                        if let batch = state.takeBatch() { return .success(batch) }
                        if let end = state.end { return .failure(end) }
                        state.reader = continuation
                        return nil
                    }
                    if let outcome { continuation.resume(with: outcome) }
                    if state.withLock({ $0.isPaused && $0.unreadBytes <= unreadLimit / 2 }) { hasRoom() }
                }
            } onCancel: {
                state.withLock { state in
                    defer { state.reader = nil }
                    return state.reader
                }?.resume(throwing: CancellationError())
            }
        }

        func send(_ text: [UInt8]) throws {
            try state.withLock { state in
                if let end = state.end { throw end }
                guard state.unsentBytes == 0 || state.unsentBytes + text.count <= WebSocketLimit.unsent else {
                    throw MeroError.network("Too much waits to be sent over the WebSocket")
                }
                state.unsent.append(text)
                state.unsentBytes += text.count
            }
        }

        /// What nobody has taken is dropped.
        func close() {
            state.withLock { state in
                state.wantsClose = true
                state.unread = []
                state.taken = 0
                state.unreadBytes = 0
            }
            finish(MeroError.network("The WebSocket was closed"))
        }

        // MARK: - Both sides

        var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

        /// Answers those who wait. The first reason counts.
        func finish(_ error: any Error) {
            let (opening, reader) = state.withLock { state in
                defer {
                    state.opening = nil
                    state.reader = nil
                }
                if state.end == nil { state.end = error }
                return (state.opening, state.reader)
            }
            opening?.resume(throwing: error)
            reader?.resume(throwing: error)
        }

        // MARK: - The loop's side

        func takeOrders() -> Orders {
            state.withLock { state in
                defer {
                    state.unsent = []
                    state.wantsClose = false
                }
                let resumes = state.isPaused && state.unreadBytes <= unreadLimit / 2
                if resumes { state.isPaused = false }
                return Orders(
                    unsent: state.unsent, wantsClose: state.wantsClose, isAbandoned: state.isAbandoned,
                    resumes: resumes)
            }
        }

        func opened() {
            let opening = state.withLock { state in
                defer { state.opening = nil }
                state.isOpen = true
                return state.opening
            }
            opening?.resume()
        }

        /// - Returns: whether the loop has to stop reading for want of room.
        func deliver(_ messages: [[UInt8]]) -> Bool {
            guard !messages.isEmpty else { return false }
            let (waiting, batch, isFull) = state.withLock {
                state -> (CheckedContinuation<[[UInt8]], any Error>?, [[UInt8]], Bool) in
                // Nobody takes them any more after a close of ours.
                guard state.end == nil else { return (nil, [], false) }
                state.unread += messages
                for message in messages { state.unreadBytes += State.cost(of: message) }
                var handed: [[UInt8]] = []
                let reader = state.reader
                if reader != nil, let batch = state.takeBatch() {
                    handed = batch
                    state.reader = nil
                }
                if state.unreadBytes >= unreadLimit { state.isPaused = true }
                return (reader, handed, state.isPaused)
            }
            waiting?.resume(returning: batch)
            return isFull
        }

        /// Everything that the loop took over was written.
        func hasSentAll() { state.withLock { state in state.unsentBytes = state.unsent.reduce(0) { $0 + $1.count } } }
    }
#endif
