import Foundation
import MeroKit

/// Who is present in one context, as far as the events tell.
struct PresenceRoster: Sendable {
    enum Change: String, Sendable {
        case join, change, leave
    }

    private struct Member {
        var account: String?
        var state: Data
        /// In seconds since any fixed point in time.
        var heardAt: TimeInterval
    }

    private var members: [String: Member] = [:]
    private var lostAt: TimeInterval?
    /// From then on, who was not heard of since `lostAt` is gone.
    private var judgement: (lostAt: TimeInterval, at: TimeInterval)?

    /// After a reconnect the node sends all who are present, within this many seconds. Spec: 40, section 2.4.
    private static let repeatsWithin: TimeInterval = 2

    /// Takes an event; nil when it says nothing new.
    mutating func take(_ delta: ContextEvent.EphemeralDelta, at now: TimeInterval) -> Change? {
        if delta.removed { return members.removeValue(forKey: delta.author) == nil ? nil : .leave }
        let member = Member(account: delta.account, state: delta.state ?? Data(), heardAt: now)
        guard let known = members.updateValue(member, forKey: delta.author) else { return .join }
        return known.state == member.state && known.account == member.account ? nil : .change
    }

    /// The connection broke: nobody is told about who goes from now on.
    mutating func connectionLost(at now: TimeInterval) { lostAt = lostAt ?? now }

    /// The connection is back.
    mutating func gap(at now: TimeInterval) {
        judgement = (lostAt ?? now, now + Self.repeatsWithin)
        lostAt = nil
    }

    /// Takes out who was present when the connection broke and was not heard of since. Returns them by author.
    mutating func takeUnheard(at now: TimeInterval) -> [(author: String, account: String?)] {
        guard let judgement, now >= judgement.at else { return [] }
        self.judgement = nil
        let gone = members.filter { $0.value.heardAt < judgement.lostAt }
        for author in gone.keys { members[author] = nil }
        return gone.sorted { $0.key < $1.key }.map { ($0.key, $0.value.account) }
    }
}
