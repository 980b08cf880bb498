import Foundation
import MeroKit

/// How many handshakes a node takes: so many at once, and so many more each second.
///
/// Spec: 80, section 1.5.
final class HandshakeRate: Sendable {
    private let burst: Double
    private let perSecond: Double
    private let state: Locked<(tokens: Double, at: Date?)>

    init(burst: Int, perSecond: Int) {
        self.burst = Double(burst)
        self.perSecond = Double(perSecond)
        state = Locked((Double(burst), nil))
    }

    /// False when there were too many.
    func take(at now: Date) -> Bool {
        state.withLock { state in
            let passed = max(0, state.at.map { now.timeIntervalSince($0) } ?? 0)
            state = (min(burst, state.tokens + passed * perSecond), now)
            guard state.tokens >= 1 else { return false }
            state.tokens -= 1
            return true
        }
    }
}
