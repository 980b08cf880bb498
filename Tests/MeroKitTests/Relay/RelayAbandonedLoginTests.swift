import Foundation
import Testing

@testable import MeroKit

/// A login that nobody waits for any more ends. Spec: 60, section 9.
@Suite("Abandoned logins") struct RelayAbandonedLoginTests {
    /// A relay that answers nothing before it is told to, unless its caller leaves.
    private final class StalledEngine: HttpEngine {
        let counts = Locked((started: 0, ended: 0))
        let isOpen = Locked(false)

        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            counts.withLock { $0.started += 1 }
            defer { counts.withLock { $0.ended += 1 } }
            while !isOpen.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
            return RelayRig.data(
                #"{"challenge":"\#(RelayRig.context)","access_token":"opaque","refresh_token":"r"}"#)
        }
    }

    private func make(_ engine: StalledEngine) throws -> RelayObserver {
        let device = try AccountDevice()
        // Each of its own host, of which every one has a limited number of connections.
        return RelayObserver(
            relayURL: "https://\(UUID().uuidString).example", nodeKey: RelayRig.executorKey,
            credential: device.credential, signer: device.keys, audience: .cli, clientName: nil, ttlSeconds: 300,
            engine: engine
        ) { engine }
    }

    enum Ending: CaseIterable { case dropped, closed, droppedWithListeners }

    @Test(arguments: Ending.allCases) func streamsTakeTheirLoginsAlong(ending: Ending) async throws {
        let engine = StalledEngine()
        var observers: [RelayObserver] = []
        var listeners: [Any] = []
        for _ in 0..<100 {
            let observer = try make(engine)
            observer.events.connect()
            observer.ws.connect()
            if ending == .droppedWithListeners { listeners.append(observer.events.on { _ in }) }
            observers.append(observer)
        }
        try await eventually { engine.counts.withLock { $0.started } == 100 }
        if ending == .closed { for observer in observers { observer.close() } }
        if ending != .closed { observers = [] }
        try await eventually { engine.counts.withLock { $0.ended } == 100 }
        // Ended, and not begun again.
        #expect(engine.counts.withLock { $0.started } == 100)
        #expect(listeners.count == (ending == .droppedWithListeners ? 100 : 0))
        // What was closed can be opened again.
        if let observer = observers.first {
            observer.events.connect()
            try await eventually { engine.counts.withLock { $0.started } == 101 }
            observer.close()
            try await eventually { engine.counts.withLock { $0.ended } == 101 }
        }
    }

    /// Others who wait keep it going.
    @Test func oneWhoStaysKeepsTheLogin() async throws {
        let engine = StalledEngine()
        let observer = try make(engine)
        let first = Task { try await observer.accessToken() }
        try await eventually { engine.counts.withLock { $0.started } == 1 }
        observer.events.connect()
        let second = Task { try await observer.accessToken() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        observer.close()
        try await eventually { observer.events.status.connection == .idle }
        engine.isOpen.withLock { $0 = true }
        #expect(try await first.value == "opaque")
        // A challenge and a token.
        #expect(engine.counts.withLock { $0.started } == 2)
    }

    /// The session of a delegated account's reads is no different.
    @Test func aReadTakesItsLoginAlong() async throws {
        let counts = Locked((started: 0, ended: 0))
        let token = DelegatedToken {
            counts.withLock { $0.started += 1 }
            defer { counts.withLock { $0.ended += 1 } }
            try await Task.sleep(nanoseconds: 600_000_000_000)
            throw MeroError.network("late")
        }
        let readers = (0..<20).map { _ in Task { try await token.token() } }
        try await eventually { counts.withLock { $0.started } == 1 }
        for reader in readers { reader.cancel() }
        for reader in readers { await #expect(throws: CancellationError.self) { try await reader.value } }
        try await eventually { counts.withLock { $0.started == $0.ended } }
    }

    // MARK: The flight itself

    /// However callers come and go, each that stays gets a result, and none gets another's cancellation.
    @Test func whoeverStaysGetsAResult() async throws {
        let flight = SingleFlight<Int>(endsWhenAbandoned: true)
        let work: @Sendable () async throws -> Int = {
            try await Task.sleep(nanoseconds: 200_000)
            return 7
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        let value = try await flight.value(work).value
                        #expect(value == 7)
                    } else {
                        let task = Task { try await flight.value(work).value }
                        if number.isMultiple(of: 3) { await Task.yield() }
                        task.cancel()
                        let outcome = await task.result
                        switch outcome {
                        case .success(let value): #expect(value == 7)
                        case .failure(let error): #expect(error is CancellationError)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func aFlightThatMustLandGoesOn() async throws {
        let flight = SingleFlight<Int>()
        let isOpen = Locked(false)
        let isDone = Locked(false)
        let task = Task {
            try await flight.value {
                while !isOpen.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
                isDone.withLock { $0 = true }
                return 1
            }
        }
        task.cancel()
        _ = await task.result
        isOpen.withLock { $0 = true }
        try await eventually { isDone.withLock { $0 } }
    }
}
