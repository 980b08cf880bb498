import Foundation
import Testing

@testable import MeroKit

/// A store that is slow, or never answers, is slow for its own callers only.
@Suite("Lanes of nonce stores") struct NonceLanesTests {
    private typealias Rig = RelayRig

    /// A store that hands out nothing before it is told to.
    private final class StuckStore: WarrantNonceStore {
        private let inner = MemoryWarrantNonceStore()
        private let gate = DispatchSemaphore(value: 0)
        let waiting = Locked(0)
        private let only: String?

        /// - Parameter only: The one relay that it is stuck for; nil for all.
        init(only: String? = nil) { self.only = only }

        func open() { gate.signal() }

        func next(relay: String) -> UInt64 {
            if only == nil || only == relay {
                waiting.withLock { $0 += 1 }
                gate.wait()
                gate.signal()
            }
            return inner.next(relay: relay)
        }

        func advance(relay: String, to floor: UInt64) { inner.advance(relay: relay, to: floor) }
    }

    /// A store that is no object.
    private struct ValueStore: WarrantNonceStore {
        let inner: any WarrantNonceStore
        func next(relay: String) -> UInt64 { inner.next(relay: relay) }
        func advance(relay: String, to floor: UInt64) { inner.advance(relay: relay, to: floor) }
    }

    @Test(.timeLimit(.minutes(1))) func otherStoresAndOtherRelaysGoOn() async throws {
        let stuck = (0..<20).map { _ in StuckStore() }
        let waiters = stuck.map { store in Task { try await NonceDesk.next(store, Rig.url) } }
        try await eventually { stuck.allSatisfy { $0.waiting.withLock { $0 } == 1 } }
        // Every one of them would have met a stuck one in a few lanes that are shared.
        for number in 0..<50 {
            #expect(try await NonceDesk.next(MemoryWarrantNonceStore(), "https://relay\(number).example") == 1)
            #expect(try await NonceDesk.next(MemoryWarrantNonceStore(), Rig.url) == 1)
        }
        #expect(try await NonceDesk.next(ValueStore(inner: MemoryWarrantNonceStore()), Rig.url) == 1)
        // The same store, for another relay.
        let half = StuckStore(only: Rig.url)
        let behind = Task { try await NonceDesk.next(half, Rig.url) }
        try await eventually { half.waiting.withLock { $0 } == 1 }
        #expect(try await NonceDesk.next(half, "https://other.example") == 1)
        // And a whole write.
        let rig = try RelayRig { route, _, _ in route == "GET intents" ? Rig.description : Rig.done() }
        _ = try await rig.relay.execute(contextId: Rig.context, method: "set")
        for store in stuck + [half] { store.open() }
        for waiter in waiters + [behind] { #expect(try await waiter.value == 1) }
    }

    @Test func aLaneKeepsItsOrder() async throws {
        let lanes = NonceLanes(threads: 3)
        let stores = (0..<10).map { _ in MemoryWarrantNonceStore() }
        let seen = Locked<[Int: [Int]]>([:])
        let running = Locked((now: 0, most: 0, inLane: Set<Int>(), overlaps: 0))
        for number in 0..<1000 {
            let lane = number % stores.count
            // A relay, its groups, and its URL with a slash share a lane.
            let sequence = [Rig.url, Rig.url + "/", "\(Rig.url)|governance|\(number)"][number % 3]
            lanes.run(NonceLanes.Key(stores[lane], sequence)) {
                running.withLock { running in
                    running.now += 1
                    running.most = max(running.most, running.now)
                    if !running.inLane.insert(lane).inserted { running.overlaps += 1 }
                }
                seen.withLock { $0[lane, default: []].append(number) }
                running.withLock { running in
                    running.now -= 1
                    running.inLane.remove(lane)
                }
            }
        }
        try await eventually { seen.withLock { $0.values.map(\.count).reduce(0, +) } == 1000 }
        try await eventually { running.withLock { $0.now } == 0 }
        for (lane, numbers) in seen.withLock({ $0 }) {
            #expect(numbers == Array(stride(from: lane, to: 1000, by: stores.count)))
        }
        #expect(running.withLock { $0.most } <= 3 && running.withLock { $0.overlaps } == 0)
    }

    /// Threads are bounded, and a lane that waits for one gets it before a busy lane gets it again.
    @Test func threadsAreShared() async throws {
        let lanes = NonceLanes(threads: 1)
        let first = MemoryWarrantNonceStore()
        let second = MemoryWarrantNonceStore()
        let gate = DispatchSemaphore(value: 0)
        let order = Locked<[String]>([])
        lanes.run(NonceLanes.Key(first, Rig.url)) { gate.wait() }
        for _ in 0..<3 { lanes.run(NonceLanes.Key(first, Rig.url)) { order.withLock { $0.append("busy") } } }
        lanes.run(NonceLanes.Key(second, Rig.url)) { order.withLock { $0.append("waiting") } }
        gate.signal()
        try await eventually { order.withLock { $0.count } == 4 }
        #expect(order.withLock { $0 } == ["waiting", "busy", "busy", "busy"])
    }
}
