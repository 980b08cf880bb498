import MeroKit

/// The event connections that are open, and what the next ones will suffer. It outlives restarts of the node.
final class StreamRegistry: Sendable {
    private struct Entry {
        let stream: any LiveStream
        var task: Task<Void, Never>?
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var next = 0
        var shape = StreamShape()
        var cuts: [(frames: Int?, bytes: Int?)] = []
    }

    private let state = Locked(State())

    /// Adds a connection and gives it its shape. The number is what it is removed by.
    func add(_ stream: any LiveStream) -> Int {
        let (number, shape) = state.withLock { state in
            state.next += 1
            state.entries[state.next] = Entry(stream: stream)
            var shape = state.shape
            if !state.cuts.isEmpty {
                let cut = state.cuts.removeFirst()
                shape.cutAfterFrames = cut.frames
                shape.cutAfterBytes = cut.bytes
            }
            return (state.next, shape)
        }
        stream.apply(shape)
        return number
    }

    /// Leaves the task that tends the connection, and ends by removing it, to ``drain()``.
    func tend(_ number: Int, by task: Task<Void, Never>) {
        state.withLock { $0.entries[number]?.task = task }
    }

    func remove(_ number: Int) { _ = state.withLock { $0.entries.removeValue(forKey: number) } }

    /// In the order they opened.
    var open: [(number: Int, stream: any LiveStream)] {
        state.withLock { $0.entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value.stream) } }
    }

    /// Waits until nothing tends a connection any more; the connections must be over.
    func drain() async {
        let tasks = state.withLock { $0.entries.values.compactMap(\.task) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    // MARK: - Faults

    /// Changes the shape of every connection, open or to come.
    func reshape(_ change: (inout StreamShape) -> Void) {
        let (shape, streams) = state.withLock { state in
            change(&state.shape)
            return (state.shape, state.entries.values.map(\.stream))
        }
        for stream in streams { stream.apply(shape) }
    }

    func cutNext(frames: Int? = nil, bytes: Int? = nil) { state.withLock { $0.cuts.append((frames, bytes)) } }

    func forgetCuts() { state.withLock { $0.cuts.removeAll() } }
}
