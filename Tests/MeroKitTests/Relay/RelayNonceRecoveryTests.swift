import Foundation
import Testing

@testable import MeroKit

/// What follows a spent number. Spec: 60, sections 4.3 to 4.5.
@Suite("Relay nonces") struct RelayNonceRecoveryTests {
    private typealias Rig = RelayRig

    private static func script(
        lookup: @escaping @Sendable () -> EngineResponse, post: @escaping @Sendable (Int) -> EngineResponse
    ) -> RelayRig.Script {
        { route, count, _ in
            switch route {
            case "GET intents": return Rig.description
            case "POST intents": return post(count)
            case "POST warrant-nonce": return lookup()
            default: return .status(500)
            }
        }
    }

    private static func spentOnce(_ count: Int) -> EngineResponse {
        count == 0 ? Rig.refused(403, Rig.spent) : Rig.done()
    }

    /// As on current nodes: nobody can tell, so the counter goes on at the clock.
    @Test func withoutALookupTheClockIsTheFloor() async throws {
        let rig = try RelayRig(Self.script(lookup: { .status(404) }, post: Self.spentOnce))
        _ = try await rig.relay.execute(contextId: Rig.context, method: "set")
        #expect(rig.routes == ["GET intents", "POST intents", "POST warrant-nonce", "GET intents", "POST intents"])
        #expect(try rig.warrants().map(\.tail.nonce) == [1, 1_790_000_000_250])
        #expect(rig.nonces.next(relay: Rig.url) == 1_790_000_000_251)
        #expect(rig.body(2)?.objectValue?.keys.sorted() == ["authorProof"])
    }

    @Test func aLookupSaysWhereToGoOn() async throws {
        let rig = try RelayRig(
            token: "t0k3n",
            Self.script(
                lookup: { Rig.data(#"{"seen":true,"highWaterNonce":9007199254740992,"nextNonce":9007199254740993}"#) },
                post: Self.spentOnce))
        _ = try await rig.relay.execute(contextId: Rig.context, method: "set")
        #expect(try rig.warrants().map(\.tail.nonce) == [1, 9_007_199_254_740_993])
        let lookup = try #require(rig.engine.requests.first { $0.url.hasSuffix("/warrant-nonce") })
        #expect(lookup.header("Authorization") == "Bearer t0k3n")
        #expect(
            rig.engine.requests.filter { $0.url.hasSuffix("/intents") }.allSatisfy { $0.header("Authorization") == nil }
        )
    }

    @Test func aDeviceThatHasSpentEverythingSaysSo() async throws {
        let rig = try RelayRig(
            Self.script(
                lookup: { Rig.data(#"{"seen":true,"highWaterNonce":18446744073709551615}"#) }, post: Self.spentOnce))
        guard
            case AccountError.intentRefused(let reason, false, 409)? = await failure(of: {
                try await rig.relay.execute(contextId: Rig.context, method: "set")
            })
        else {
            Issue.record("no refusal")
            return
        }
        #expect(reason.contains("spent every nonce in context \(Rig.context)"))
        #expect(rig.routes == ["GET intents", "POST intents", "POST warrant-nonce"])
    }

    @Test func theSecondRefusalIsTheLast() async throws {
        let rig = try RelayRig(
            Self.script(
                lookup: { .status(500) },
                post: { $0 == 0 ? Rig.refused(403, Rig.spent) : Rig.refused(403, "nonce again") }))
        let error = await failure(of: { try await rig.relay.execute(contextId: Rig.context, method: "set") })
        #expect(error as? AccountError == .intentRefused(reason: "nonce again", retryable: true, status: 403))
        #expect(rig.routes.filter { $0 == "POST intents" }.count == 2)
    }

    /// The first copy may have been the one that spent it.
    @Test func aWarrantThatWasSentTwiceHasNoSuccessor() async throws {
        let rig = try RelayRig(
            Self.script(lookup: { .status(404) }, post: { $0 == 0 ? .status(429) : Rig.refused(403, Rig.spent) }))
        let error = await failure(of: { try await rig.relay.execute(contextId: Rig.context, method: "set") })
        #expect(error as? AccountError == .intentRefused(reason: Rig.spent, retryable: true, status: 403))
        #expect(rig.routes == ["GET intents", "POST intents", "POST intents"])
        #expect(try Set(rig.warrants().map(\.tail.nonce)) == [1])
    }

    /// A relay that says "nonce" when it is only asked who it is gets no warrant at all.
    @Test func aRefusedQuestionIsNotASpentNonce() async throws {
        let rig = try RelayRig { _, _, _ in Rig.refused(403, "nonce") }
        _ = await failure(of: { try await rig.relay.execute(contextId: Rig.context, method: "set") })
        #expect(rig.routes == ["GET intents"])
    }

    @Test func cancellationDuringTheLookupIsNotSwallowed() async throws {
        let isAsked = Locked(false)
        let rig = try RelayRig { route, count, _ in
            switch route {
            case "GET intents": return Rig.description
            case "POST intents": return Self.spentOnce(count)
            default:
                isAsked.withLock { $0 = true }
                try await Task.sleep(nanoseconds: 600_000_000_000)
                return .status(404)
            }
        }
        let task = Task { try await rig.relay.execute(contextId: Rig.context, method: "set") }
        try await eventually { isAsked.withLock { $0 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(rig.routes.filter { $0 == "POST intents" }.count == 1)
    }

    @Test func recoverNonceThrowsWhatTheLookupThrows() async throws {
        let rig = try RelayRig { _, _, _ in .status(404) }
        #expect(
            (await failure(of: { try await rig.relay.recoverNonce(contextId: Rig.context) }) as? MeroError)?.httpStatus
                == 404)
        guard
            case AccountError.invalidInput? = await failure(of: {
                try await rig.relay.warrantNonce(contextId: Rig.context, authorDeviceKey: Rig.executorKey)
            })
        else {
            Issue.record("another device's numbers were asked for")
            return
        }
    }

    @Test func statesAreReadDigitByDigit() throws {
        func parse(_ json: String) throws -> RelayWarrantNonceState { try .parse(Data(json.utf8)) }
        #expect(
            try parse(#"{"data":{"seen":true,"highWaterNonce":18446744073709551614,"nextNonce":18446744073709551615}}"#)
                == RelayWarrantNonceState(nextNonce: .max, highWaterNonce: .max - 1, seen: true))
        #expect(
            try parse(#"{"data":{"seen":false,"nextNonce":0}}"#)
                == .init(nextNonce: 0, highWaterNonce: nil, seen: false))
        #expect(
            try parse(#"{"data":{"seen":true,"nextNonce":null}}"#)
                == .init(nextNonce: nil, highWaterNonce: .max, seen: true))
        for bad in [
            "", "[]", "{}", #"{"data":{"nextNonce":1.5}}"#, #"{"data":{"nextNonce":-1}}"#,
            #"{"data":{"nextNonce":"7"}}"#,
        ] {
            #expect(throws: MeroError.self) { try parse(bad) }
        }
    }

    // MARK: The recovering source

    private struct Lookup: WarrantNonceLookup {
        let asked = Counting()
        let answer: @Sendable (Int) async throws -> RelayWarrantNonceState

        final class Counting: Sendable {
            let count = Locked(0)
        }

        func warrantNonce(contextId: String, authorDeviceKey: String) async throws -> RelayWarrantNonceState {
            let number = asked.count.withLock { count in
                count += 1
                return count
            }
            return try await answer(number)
        }

        static func says(_ next: UInt64?) -> Lookup {
            Lookup { _ in RelayWarrantNonceState(nextNonce: next, highWaterNonce: nil, seen: true) }
        }

        static var fails: Lookup { Lookup { _ in throw MeroError.network("down") } }
    }

    private static func source(
        _ lookups: [Lookup], _ local: MemoryWarrantNonceStore = .init(), _ onFailure: OnLookupFailure = .throw
    ) throws -> RecoveringWarrantNonces {
        try RecoveringWarrantNonces(
            lookups: lookups, contextId: Rig.context, authorDeviceKey: Rig.executorKey, sequence: Rig.url, local: local,
            onLookupFailure: onFailure)
    }

    @Test func theHighestAnswerCountsAndIsKept() async throws {
        let lookups = [Lookup.says(3), .says(70), .fails, .says(nil)]
        let local = MemoryWarrantNonceStore()
        let source = try Self.source(lookups, local)
        let numbers = Locked<[UInt64]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let number = try await source.next()
                    numbers.withLock { $0.append(number) }
                }
            }
            try await group.waitForAll()
        }
        #expect(numbers.withLock { $0.sorted() } == Array(70..<120))
        #expect(lookups.map { $0.asked.count.withLock { $0 } } == [1, 1, 1, 1])
        #expect(local.next(relay: Rig.url) == 120)
    }

    @Test func aLocalStoreThatIsAheadStaysAhead() async throws {
        let local = MemoryWarrantNonceStore()
        local.advance(relay: Rig.url, to: 500)
        let source = try Self.source([.says(3)], local)
        #expect(try await source.next() == 500)
        #expect(try await source.next() == 501)
    }

    @Test func aFailureIsNotRemembered() async throws {
        let lookup = Lookup { number in
            if number == 1 { throw MeroError.network("down") }
            return RelayWarrantNonceState(nextNonce: 9, highWaterNonce: 8, seen: true)
        }
        let source = try Self.source([lookup])
        guard case MeroError.network? = await failure(of: { try await source.next() }) else {
            Issue.record("the failure was hidden")
            return
        }
        #expect(try await source.next() == 9)
        #expect(try await source.next() == 10)
        #expect(try await Self.source([.fails], .init(), .local).next() == 1)
    }

    @Test func whereEverythingIsSpentNothingIsHandedOut() async throws {
        for lookups in [[Lookup.says(nil)], [.fails, .says(nil)]] {
            guard
                case AccountError.intentRefused(_, false, 409)? = await failure(of: {
                    try await Self.source(lookups).next()
                })
            else {
                Issue.record("a number was handed out")
                continue
            }
        }
        let last = try Self.source([.says(.max)])
        #expect(try await last.next() == .max)
        guard case AccountError.intentRefused(_, false, 409)? = await failure(of: { try await last.next() }) else {
            Issue.record("the sequence wrapped")
            return
        }
        #expect(throws: AccountError.self) { try Self.source([]) }
    }
}
