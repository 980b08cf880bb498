import Foundation
import MeroKit

/// How far this machine's clock and the node's are apart.
struct ClockSkew: Sendable {
    /// Positive when the node is ahead. Whole seconds: an HTTP date is no finer.
    let seconds: Int

    /// Nil when the header is no HTTP date. `before` and `after` are this machine's times around the request.
    init?(dateHeader: String, before: Date, after: Date) {
        guard let theirs = httpDate(dateHeader) else { return nil }
        let earliest = before.timeIntervalSince1970.rounded(.down)
        let latest = after.timeIntervalSince1970
        let stamp = theirs.timeIntervalSince1970
        if stamp < earliest {
            seconds = Int((stamp - earliest).rounded())
        } else {
            seconds = Int(max(0, stamp - latest).rounded())
        }
    }

    var check: Check {
        let name = "clock"
        let distance = abs(seconds)
        let finding = "the node's clock is \(distance) s \(seconds < 0 ? "behind" : "ahead")"
        if distance <= 5 { return .ok(name, distance == 0 ? "the node's clock agrees" : finding) }
        let hint = "Set the clocks (timedatectl set-ntp true): tokens and signatures live by them"
        return distance <= Self.statementLifetime ? .warn(name, finding, hint) : .fail(name, finding, hint)
    }

    /// A signed login is good for 300 s: beyond that no signature of this machine is in time.
    private static let statementLifetime = 300
}
