import Foundation

/// A device that is being certified at the wallet: what the answer must carry, and since when.
///
/// Kept in a store, so that a sign-in survives the app being ended while the wallet is open. Spec: 70, section 6.1.
public struct PendingEnrolment: Codable, Sendable, Equatable {
    /// How long the wallet may take, in seconds.
    public static let lifetime: TimeInterval = 600

    /// Comes back in the callback.
    public let state: String
    /// When the wallet was asked.
    public let startedAt: Date

    /// Makes a value of its parts.
    public init(state: String, startedAt: Date) {
        self.state = state
        self.startedAt = startedAt
    }

    /// Whether an answer would still be taken. One that began in the future did not: the clock was turned back.
    func isAlive(at now: Date) -> Bool { (0...Self.lifetime).contains(now.timeIntervalSince(startedAt)) }
}
