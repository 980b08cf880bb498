import Foundation
import MeroKit
import Testing

@testable import mero

@Suite("Who is present")
struct PresenceRosterTests {
    private func delta(
        _ author: String, _ state: [Int]? = [1], account: String? = nil
    ) throws -> ContextEvent.EphemeralDelta {
        var data: [String: JSONValue] = ["author": .string(author)]
        if let state { data["state"] = .array(state.map { .number(Double($0)) }) } else { data["removed"] = true }
        if let account { data["account"] = .string(account) }
        let payload: JSONValue = ["contextId": "c", "type": "Ephemeral", "data": .object(data)]
        let event = ContextEvent(contextId: "c", kind: "Ephemeral", payload: payload)
        guard case .presence(let delta) = event.content else { throw CancellationError() }
        return delta
    }

    @Test("join, change, leave; repeats say nothing")
    func life() throws {
        var roster = PresenceRoster()
        #expect(roster.take(try delta("a", nil), at: 0) == nil)
        #expect(roster.take(try delta("a"), at: 0) == .join)
        #expect(roster.take(try delta("a"), at: 1) == nil)
        #expect(roster.take(try delta("a", [2]), at: 2) == .change)
        #expect(roster.take(try delta("a", [2], account: "x"), at: 2) == .change)
        #expect(roster.take(try delta("a", nil), at: 3) == .leave)
        #expect(roster.take(try delta("a", [2]), at: 4) == .join)
    }

    @Test("after a gap, who is not heard of within two seconds is gone")
    func gap() throws {
        var roster = PresenceRoster()
        for author in ["a", "b", "c"] { _ = roster.take(try delta(author), at: 0) }
        roster.connectionLost(at: 10)
        roster.connectionLost(at: 20)
        // The node repeats who is there even before the subscription is confirmed.
        #expect(roster.take(try delta("b"), at: 21) == nil)
        roster.gap(at: 22)
        #expect(roster.takeUnheard(at: 23.9).isEmpty)
        #expect(roster.take(try delta("c"), at: 23.9) == nil)
        #expect(roster.takeUnheard(at: 24).map(\.author) == ["a"])
        #expect(roster.takeUnheard(at: 30).isEmpty)
        #expect(roster.take(try delta("a"), at: 31) == .join)
    }

    @Test("without a gap nobody is judged")
    func noGap() throws {
        var roster = PresenceRoster()
        _ = roster.take(try delta("a"), at: 0)
        roster.connectionLost(at: 1)
        #expect(roster.takeUnheard(at: 1000).isEmpty)
    }
}
