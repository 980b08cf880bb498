import Foundation

/// The presence slices the node tracks: one per context and author, the last one written.
///
/// Spec: 40, section 5.
struct PresenceBoard: Sendable {
    static let timeToLive: TimeInterval = 7
    static let heartbeat: TimeInterval = 2.5
    static let authorLimit = 512

    struct Slice: Sendable, Equatable {
        var author: String
        var account: String?
        var state: [UInt8]
        /// When its last heartbeat came.
        var seenAt: Date
        /// Its author sends heartbeats for ever, as the node does for its own slice.
        var isKeptAlive: Bool

        func isGone(at now: Date) -> Bool { !isKeptAlive && now.timeIntervalSince(seenAt) >= timeToLive }

        /// Milliseconds since the last heartbeat, always below the time to live.
        func age(at now: Date) -> Int {
            let seconds = max(0, now.timeIntervalSince(seenAt))
            let age = isKeptAlive ? seconds.truncatingRemainder(dividingBy: heartbeat) : seconds
            return min(Int(age * 1000), Int(timeToLive * 1000) - 1)
        }
    }

    enum Change: Sendable, Equatable {
        case written(Slice)
        case removed(Slice)
    }

    private var contexts: [String: [String: Slice]] = [:]

    /// Whether anything on it will go by itself.
    var hasMortals: Bool { contexts.values.contains { $0.values.contains { !$0.isKeptAlive } } }

    func slices(of context: String, at now: Date) -> [Slice] {
        (contexts[context] ?? [:]).values.filter { !$0.isGone(at: now) }.sorted { $0.author < $1.author }
    }

    /// The same bytes again are a heartbeat: they change nothing.
    mutating func put(_ slice: Slice, in context: String) -> [Change] {
        var slices = contexts[context] ?? [:]
        var changes: [Change] = []
        let known = slices[slice.author]
        if known == nil, slices.count >= Self.authorLimit {
            let stalest = slices.values.min {
                ($0.isKeptAlive ? 1 : 0, $0.seenAt, $0.author) < ($1.isKeptAlive ? 1 : 0, $1.seenAt, $1.author)
            }
            if let stalest {
                slices[stalest.author] = nil
                changes.append(.removed(stalest))
            }
        }
        if known?.state != slice.state || known?.account != slice.account { changes.append(.written(slice)) }
        slices[slice.author] = slice
        contexts[context] = slices
        return changes
    }

    /// False when there is no such slice, or it is mortal already.
    mutating func makeMortal(_ author: String, in context: String, at now: Date) -> Bool {
        guard contexts[context]?[author]?.isKeptAlive == true else { return false }
        contexts[context]?[author]?.isKeptAlive = false
        contexts[context]?[author]?.seenAt = now
        return true
    }

    mutating func remove(_ author: String, from context: String) -> [Change] {
        guard let slice = contexts[context]?.removeValue(forKey: author) else { return [] }
        return [.removed(slice)]
    }

    /// Drops whose heartbeats have stopped.
    mutating func sweep(at now: Date) -> [(context: String, change: Change)] {
        var changes: [(context: String, change: Change)] = []
        for (context, slices) in contexts {
            for slice in slices.values where slice.isGone(at: now) {
                contexts[context]?[slice.author] = nil
                changes.append((context, .removed(slice)))
            }
        }
        return changes.sorted { ($0.context, $0.change.author) < ($1.context, $1.change.author) }
    }
}

extension PresenceBoard.Change {
    var author: String {
        switch self {
        case .written(let slice), .removed(let slice): return slice.author
        }
    }
}
