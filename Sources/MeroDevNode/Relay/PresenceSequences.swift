import Foundation
import MeroKit

/// The newest presence update of every device in every context.
final class PresenceSequences: Sendable {
    private struct Entry {
        var sequence: UInt64
        var at: Date
    }

    enum Verdict: Sendable, Equatable {
        case news
        /// Not newer than what is held.
        case stale
        case tooSoon
    }

    private let entries = Locked<[String: Entry]>([:])

    /// Notes an update and tells whether it counts.
    func note(
        _ sequence: UInt64, of author: String, in context: String, at now: Date, interval: TimeInterval
    ) -> Verdict {
        let key = "\(context)|\(author)"
        return entries.withLock { entries in
            if let held = entries[key] {
                let since = now.timeIntervalSince(held.at)
                if interval > 0, since >= 0, since < interval { return .tooSoon }
                if sequence <= held.sequence { return .stale }
            }
            entries[key] = Entry(sequence: sequence, at: now)
            return .news
        }
    }

    func newest(of author: String, in context: String) -> UInt64? {
        entries.withLock { $0["\(context)|\(author)"]?.sequence }
    }

    /// As the end of a process does.
    func forget() { entries.withLock { $0.removeAll() } }
}
