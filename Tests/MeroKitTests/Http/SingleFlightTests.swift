import Testing

@testable import MeroKit

@Suite struct SingleFlightTests {
    /// Opens once and lets everybody through.
    actor Gate {
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []
        func open() {
            isOpen = true
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
        func pass() async {
            if isOpen { return }
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    @Test func manyCallersShareOneRun() async throws {
        let flight = SingleFlight<Int>()
        let gate = Gate()
        let runs = Locked(0)
        let calls = (0..<200).map { _ in
            Task {
                try await flight.value {
                    runs.withLock { $0 += 1 }
                    await gate.pass()
                    return 7
                }
            }
        }
        await gate.open()
        var started = 0
        for call in calls {
            let (value, joined) = try await call.value
            #expect(value == 7)
            if !joined { started += 1 }
        }
        #expect(started == runs.withLock { $0 })
        // After the end a new caller starts anew.
        let (again, joined) = try await flight.value { 8 }
        #expect(again == 8 && !joined)
    }

    @Test func aCancelledWaiterLeavesAndTheRunGoesOn() async throws {
        let flight = SingleFlight<Int>()
        let gate = Gate()
        let started = Gate()
        let first = Task {
            try await flight.value {
                await started.open()
                await gate.pass()
                return 1
            }
        }
        await started.pass()
        let second = Task { try await flight.value { 1 } }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await gate.open()
        let value = try await second.value.value
        #expect(value == 1)
    }

    @Test func aForgottenRunStillAnswersThoseWhoWait() async throws {
        let flight = SingleFlight<Int>()
        let gate = Gate()
        let started = Gate()
        let first = Task {
            try await flight.value {
                await started.open()
                await gate.pass()
                return 1
            }
        }
        await started.pass()
        flight.forget()
        #expect(try await flight.value { 2 }.value == 2)
        await gate.open()
        #expect(try await first.value.value == 1)
    }

    @Test func everyWaiterGetsTheSameError() async {
        let flight = SingleFlight<Int>()
        await #expect(throws: MeroError.self) { _ = try await flight.value { throw MeroError.noRefreshToken } }
    }
}
