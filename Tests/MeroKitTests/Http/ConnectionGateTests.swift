import Testing

@testable import MeroKit

@Suite struct ConnectionGateTests {
    let origin = RequestTarget.Origin(scheme: "http", host: "h", port: 1)

    @Test func neverAdmitsMoreThanTheLimit() async throws {
        let gate = ConnectionGate()
        let active = Locked((now: 0, most: 0, done: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    try await gate.run(origin, limit: 7) {
                        active.withLock { state in
                            state.now += 1
                            state.most = max(state.most, state.now)
                        }
                        for _ in 0..<3 { await Task.yield() }
                        active.withLock { state in
                            state.now -= 1
                            state.done += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (now, most, done) = active.withLock { $0 }
        #expect(now == 0 && most <= 7 && done == 500)
    }

    @Test func cancelledWaitersLeaveAndBlockNobody() async throws {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &generator)
        print("ConnectionGateTests seed", seed)
        var random = SeededGenerator(seed: seed)
        let gate = ConnectionGate()
        let entered = Locked(0)
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<400 {
            let task = Task {
                try await gate.run(origin, limit: 3) {
                    entered.withLock { $0 += 1 }
                    await Task.yield()
                }
            }
            if Int.random(in: 0..<3, using: &random) == 0 { task.cancel() }
            tasks.append(task)
        }
        var succeeded = 0
        for task in tasks {
            do {
                try await task.value
                succeeded += 1
            } catch { #expect(error is CancellationError) }
        }
        #expect(succeeded == entered.withLock { $0 })
        // All places are free again.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await gate.run(origin, limit: 3) {} } }
            try await group.waitForAll()
        }
    }
}
