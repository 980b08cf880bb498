import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Presence of an account. Spec: 60, section 11, and 40, section 5.5.
@Suite("Relay presence") struct RelayPresenceTests {
    private typealias Rig = RelayRig

    /// A presence client over a scripted relay that answers with these statuses, the last one for ever.
    private struct Scripted {
        let rig: RelayRig
        let presence: RelayPresenceClient

        init(heartbeat: TimeInterval = 0.02, _ statuses: [Int]) throws {
            let rig = try RelayRig { _, count, _ in
                .status(statuses[min(count, statuses.count - 1)], [:], #"{"error":"no"}"#)
            }
            self.rig = rig
            presence = RelayPresenceClient(
                relay: rig.relay, events: { throw MeroTransportError.missingNodeKey(surface: "SSE events") },
                heartbeat: heartbeat, now: { rig.clock.now })
        }

        /// How many statements went out for a context.
        func count(of context: String) -> Int { rig.engine.requests.filter { $0.url.contains(context) }.count }

        var bodies: [JSONValue] { rig.engine.requests.indices.compactMap { rig.body($0) } }
    }

    @Test func whatWasSetIsRepeatedAndSignedAnew() async throws {
        let scripted = try Scripted([204])
        try await scripted.presence.set(Rig.context, state: ["typing": true])
        try await eventually { scripted.bodies.count >= 4 }
        scripted.presence.close()
        let bodies = scripted.bodies.prefix(4)
        let sequences = bodies.compactMap { $0["seq"]?.doubleValue }
        // The clock stands still, the sequence does not.
        #expect(sequences == (0..<4).map { 1_790_000_000_250 + Double($0) })
        #expect(Set(bodies.compactMap { $0["signature"]?.stringValue }).count == 4)
        for body in bodies {
            #expect(body.objectValue?.keys.sorted() == ["authorProof", "sentAtMs", "seq", "signature", "state"])
            #expect(body["state"]?.stringValue == "7b22747970696e67223a747275657d")
            #expect(body["authorProof"]?.stringValue == scripted.rig.device.credential)
            let statement = try PresenceStatement(
                context: Rig.context, author: scripted.rig.device.keys.signPublicKeyBytes,
                sequence: UInt64(body["seq"]?.doubleValue ?? 0), sentAt: 1_790_000_000_250,
                state: Data(#"{"typing":true}"#.utf8))
            let signature = try Hex.decode(body["signature"]?.stringValue ?? "", label: "signature", bytes: 64)
            #expect(statement.isSigned(signature))
        }
    }

    @Test func nilTakesItBackOnce() async throws {
        let scripted = try Scripted([204])
        try await scripted.presence.set(Rig.context, state: "here")
        try await eventually { scripted.bodies.count >= 2 }
        try await scripted.presence.set(Rig.context, state: nil)
        let last = try #require(scripted.bodies.last)
        #expect(last["state"] == .null)
        let count = scripted.bodies.count
        // Long enough for several heartbeats of another context, none of this one.
        try await scripted.presence.set(Rig.group, state: 1)
        try await eventually { scripted.bodies.count >= count + 4 }
        #expect(scripted.rig.engine.requests.dropFirst(count).allSatisfy { $0.url.contains(Rig.group) })
        // null as a state is a state.
        try await scripted.presence.set(Rig.context, state: JSONValue.null)
        #expect(scripted.bodies.contains { $0["state"] == "6e756c6c" })
        scripted.presence.close()
    }

    @Test(arguments: [400, 403, 413, 401, 404, 422]) func aRefusalIsThrownAndEndsIt(status: Int) async throws {
        let scripted = try Scripted([status, 204])
        let error = await failure(of: { try await scripted.presence.set(Rig.context, state: 1) })
        switch error {
        case AccountError.intentRefused(_, false, let told)?: #expect(told == status && [400, 403].contains(status))
        case MeroError.http(let answer)?: #expect(answer.status == status)
        default: Issue.record("\(String(describing: error))")
        }
        // Long enough for several heartbeats of another context, none of this one.
        try await scripted.presence.set(Rig.group, state: 1)
        try await eventually { scripted.count(of: Rig.group) >= 5 }
        #expect(scripted.count(of: Rig.context) == 1)
        scripted.presence.close()
    }

    @Test(arguments: [429, 500, 503]) func aPassingFailureIsMadeUpFor(status: Int) async throws {
        let scripted = try Scripted([status, status, 204])
        try await scripted.presence.set(Rig.context, state: 1)
        try await eventually { scripted.bodies.count >= 4 }
        scripted.presence.close()
    }

    /// A later `set` of the same context wins; a closed client starts nothing; a client that is gone stops.
    @Test func onlyTheNewestIsRepeated() async throws {
        let scripted = try Scripted([204])
        for number in 0..<5 { try await scripted.presence.set(Rig.context, state: .number(Double(number))) }
        let count = scripted.bodies.count
        try await eventually { scripted.bodies.count >= count + 3 }
        #expect(scripted.bodies.dropFirst(count).allSatisfy { $0["state"]?.stringValue == "34" })
        let sequences = scripted.bodies.compactMap { $0["seq"]?.doubleValue }
        #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
        scripted.presence.close()
        var gone: RelayPresenceClient? = RelayPresenceClient(
            relay: scripted.rig.relay, events: { throw CancellationError() }, heartbeat: 0.02)
        try await gone?.set(Rig.group, state: 1)
        gone = nil
        let left = scripted.count(of: Rig.group)
        // As long as another client lives for several heartbeats.
        let other = RelayPresenceClient(
            relay: scripted.rig.relay, events: { throw CancellationError() }, heartbeat: 0.02)
        try await other.set(Rig.executor, state: 1)
        try await eventually { scripted.count(of: Rig.executor) >= 6 }
        #expect(scripted.count(of: Rig.group) <= left + 1)
        other.close()
    }

    /// Statements of one context leave in order, one at a time.
    @Test func statementsDoNotOvertakeEachOther() async throws {
        let running = Locked((now: 0, most: 0))
        let rig = try RelayRig { _, _, _ in
            running.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
            try await Task.sleep(nanoseconds: 2_000_000)
            running.withLock { $0.now -= 1 }
            return .status(204)
        }
        let presence = RelayPresenceClient(relay: rig.relay, events: { throw CancellationError() }, heartbeat: 60)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await presence.set(Rig.context, state: .number(Double(number))) }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0.most } == 1)
        let sequences = rig.engine.requests.indices.compactMap { rig.body($0)?["seq"]?.doubleValue }
        #expect(sequences.count == 20 && sequences == sequences.sorted())
        presence.close()
    }

    @Test func aSetThatIsCancelledLeavesTheLine() async throws {
        let isStuck = Locked(false)
        let rig = try RelayRig { _, _, _ in
            isStuck.withLock { $0 = true }
            try await Task.sleep(nanoseconds: 600_000_000_000)
            return .status(204)
        }
        let presence = RelayPresenceClient(relay: rig.relay, events: { throw CancellationError() })
        let first = Task { try await presence.set(Rig.context, state: 1) }
        try await eventually { isStuck.withLock { $0 } }
        let second = Task { try await presence.set(Rig.context, state: 2) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        presence.close()
    }

    /// No heartbeat makes a busy loop, and none of them traps.
    @Test(
        arguments: [
            (0, 2.5), (-1, 2.5), (-.infinity, 2.5), (.nan, 2.5), (.leastNonzeroMagnitude, 0.1), (0.02, 0.1), (0.5, 0.5),
            (2.5, 2.5),
            (.infinity, 3600), (1e300, 3600),
        ] as [(TimeInterval, TimeInterval)])
    func heartbeatsAreSane(heartbeat: TimeInterval, expected: TimeInterval) async throws {
        #expect(PresenceSender.interval(heartbeat) == expected)
        let scripted = try Scripted(heartbeat: heartbeat, [204])
        try await scripted.presence.set(Rig.context, state: 1)
        scripted.presence.close()
        #expect(!scripted.bodies.isEmpty)
    }

    /// A clock that shows nonsense is told so; nothing traps and nothing is sent.
    @Test(arguments: [Double.nan, .infinity, 1e17, 1e300]) func aClockShowsADate(seconds: Double) async throws {
        let rig = try RelayRig { _, _, _ in .status(204) }
        let now = Date(timeIntervalSince1970: seconds)
        let presence = RelayPresenceClient(
            relay: rig.relay, events: { throw CancellationError() }, now: { now })
        guard case AccountError.invalidInput? = await failure(of: { try await presence.set(Rig.context, state: 1) })
        else {
            Issue.record("\(seconds) was signed")
            return
        }
        presence.close()
        // A login's date is counted in seconds, so there is room for more of them.
        let statable = UInt64(sinceEpoch: seconds) != nil
        let error = await failure(of: {
            try await RelayLogin.login(
                relayURL: "http://127.0.0.1:1", nodeKey: Rig.executorKey, credential: rig.device.credential,
                keys: rig.device.keys, now: now)
        })
        switch error {
        case is MeroError: #expect(statable)
        case AccountError.invalidInput?: #expect(!statable)
        default: Issue.record("\(seconds): \(String(describing: error))")
        }
        let clock = RelayClock(now: { now })
        #expect(clock.milliseconds >= clock.seconds)
        #expect(rig.engine.requests.isEmpty)
    }

    /// What JSON cannot express is an error like those of calls, and sends nothing.
    @Test(arguments: [JSONValue.number(.nan), .number(.infinity), ["a": [.number(-.infinity)]]])
    func aStateIsJson(state: JSONValue) async throws {
        let scripted = try Scripted([204])
        guard
            case MeroError.network(let text)? = await failure(of: {
                try await scripted.presence.set(Rig.context, state: state)
            })
        else {
            Issue.record("it was sent")
            return
        }
        #expect(text.hasPrefix("Cannot be written as JSON: "))
        let node = ScriptedEngine { _, _ in .status(200) }
        let url = try #require(URL(string: Rig.url))
        let ephemeral = EphemeralClient(
            http: URLSessionHttpClient(baseURL: url, engine: node),
            events: SseClient(
                baseURL: url, credentials: StreamCredentials(source: .bearer { nil }), engine: node))
        guard case MeroError.network? = await failure(of: { try await ephemeral.set(Rig.context, state: state) })
        else {
            Issue.record("it was sent to a node")
            return
        }
        struct Typed: Codable, Sendable {
            var value = Double.nan
        }
        guard
            case MeroError.network? = await failure(of: {
                try await scripted.presence.set(Rig.context, state: Typed(), codec: .json)
            })
        else {
            Issue.record("a type of the app's was sent")
            return
        }
        #expect(scripted.bodies.isEmpty && node.requests.isEmpty)
    }

    @Test func badInputIsRefusedUnsent() async throws {
        let scripted = try Scripted([204])
        guard case AccountError.invalidInput? = await failure(of: { try await scripted.presence.set("ab", state: 1) })
        else {
            Issue.record("an odd id was sent")
            return
        }
        struct Odd: Error {}
        let codec = PresenceCodec<Int>(encode: { _ in throw Odd() }, decode: { _ in 0 })
        await #expect(throws: Odd.self) { try await scripted.presence.set(Rig.context, state: 1, codec: codec) }
        #expect(scripted.bodies.isEmpty)
        #expect(throws: MeroTransportError.missingNodeKey(surface: "SSE events")) {
            _ = try scripted.presence.subscribe(Rig.context)
        }
    }

    /// Two accounts of one relay see each other.
    @Test func anAccountIsSeenByAnother() async throws {
        let fixture = try await RelayNodeFixture.start()
        let bob = try DevAccount()
        try fixture.node.addMember(bob.accountId, group: fixture.namespace)
        let watcher = try MeroTransportClient(
            .relay(
                RelayTransportConfig(
                    relay: try fixture.relay(account: bob),
                    proof: ProofCredential(credential: bob.credential, keys: bob.keys))))
        let shown = try MeroTransportClient(.relay(RelayTransportConfig(relay: try fixture.relay())))
        guard case .relay(let watching) = try watcher.ephemeral, case .relay(let showing) = try shown.ephemeral else {
            Issue.record("no presence")
            return
        }
        var entries = try watching.subscribe(fixture.keyValue).makeAsyncIterator()
        let events: SseClient = try watcher.events
        try await eventually { events.status.isComplete }
        try await showing.set(fixture.keyValue, state: ["cursor": 7])
        let entry = try #require(try await entries.next())
        #expect(entry.author == fixture.ada.keys.signPublicKey && entry.account == fixture.ada.accountId)
        #expect(entry.state == ["cursor": 7] && !entry.removed)
        try await showing.set(fixture.keyValue, state: nil)
        let gone = try #require(try await entries.next())
        #expect(gone.removed && gone.state == nil && gone.author == entry.author)
        // Who is no member is told so.
        let stranger = try DevAccount()
        let strange = RelayPresenceClient(
            relay: try fixture.relay(account: stranger), events: { throw CancellationError() })
        guard
            case AccountError.intentRefused(_, false, 403)? = await failure(of: {
                try await strange.set(fixture.keyValue, state: 1)
            })
        else {
            Issue.record("a stranger was shown")
            return
        }
        watcher.close()
        shown.close()
        await fixture.stop()
    }
}
