import Dispatch
import Foundation
import MeroKit

/// Writes who comes, changes and goes in one context.
actor PresenceReporter {
    private let context: String
    private let reporter: StreamReporter
    private let line: EventLine
    private var roster = PresenceRoster()

    init(context: String, reporter: StreamReporter, style: Style) {
        self.context = context
        self.reporter = reporter
        line = EventLine(style: style)
    }

    /// False when no more is wanted.
    func take(_ event: ContextEvent) async throws -> Bool {
        switch event.content {
        case .gap:
            roster.gap(at: Self.now)
            let moment = Moment()
            try await reporter.remark(
                line.line(
                    moment, kind: "gap", id: context, says: "who left meanwhile is not told; asking the node anew"),
                EventDocument.event(event, at: moment))
            return true
        case .presence(let delta):
            guard let change = roster.take(delta, at: Self.now) else { return true }
            return try await tell(change, delta)
        default: return true
        }
    }

    func take(_ status: EventStreamStatus) async throws {
        if status.connection == .waiting { roster.connectionLost(at: Self.now) }
        try await reporter.tell(status)
    }

    /// False when no more is wanted.
    func tick() async throws -> Bool {
        for (author, account) in roster.takeUnheard(at: Self.now) {
            let goesOn = try await tell(
                .leave, author: author, account: account, says: "not heard of since the connection broke",
                rest: [.init(name: "reason", value: "unheard")])
            if !goesOn { return false }
        }
        return true
    }

    private func tell(_ change: PresenceRoster.Change, _ delta: ContextEvent.EphemeralDelta) async throws -> Bool {
        if change == .leave {
            return try await tell(change, author: delta.author, account: delta.account, says: "", rest: [])
        }
        let state = delta.state ?? Data()
        let age = delta.ageMs.map { ", \($0) ms ago" } ?? ""
        var rest: [Report.Member] = []
        if let json = try? ExactJSON(jsonBytes: state) {
            rest.append(.init(name: "state", value: .text(json)))
        } else {
            rest.append(.init(name: "stateHex", value: .string(Hex.encode(state))))
        }
        if let age = delta.ageMs { rest.append(.init(name: "ageMs", value: .integer(Int64(clamping: age)))) }
        return try await tell(
            change, author: delta.author, account: delta.account, says: EventLine.datum(state) + age, rest: rest)
    }

    private func tell(
        _ change: PresenceRoster.Change, author: String, account: String?, says: String, rest: [Report.Member]
    ) async throws -> Bool {
        let moment = Moment()
        var members = EventDocument.head(change.rawValue, moment)
        members.append(.init(name: "contextId", value: .string(context)))
        members.append(.init(name: "author", value: .string(author)))
        if let account { members.append(.init(name: "account", value: .string(account))) }
        let who = account.map { "(account \(EventLine.short($0))) " } ?? ""
        return try await reporter.tell(
            line.line(moment, kind: change.rawValue, id: author, says: (who + says).printable),
            .object(members + rest))
    }

    private static var now: TimeInterval { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
