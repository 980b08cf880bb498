import Foundation

/// An invitation that was opened and not yet answered, e.g. because nobody was signed in.
///
/// It is kept as it came, with everything around it. Spec: 70, section 10.3.
public struct PendingInvitation: Codable, Sendable, Equatable {
    /// The payload, as JSON.
    public let json: String
    /// When it was opened.
    public let receivedAt: Date

    /// - Parameters:
    ///   - payload: What was opened.
    ///   - receivedAt: When that was.
    public init(_ payload: InvitationPayload, receivedAt: Date = Date()) throws {
        json = try payload.json
        self.receivedAt = receivedAt
    }

    /// The invitation and what is around it. Throws `MeroError.decoding`.
    public var payload: InvitationPayload { get throws { try InvitationPayload(json: json) } }
}

/// Where an app keeps the invitation that waits for an answer: across the sign-in, and across restarts if the store does.
///
/// ```swift
/// let waiting = PendingInvitationStore(store: .keychain(account: "pending-invitation"))
/// try waiting.keep(payload)                    // a link was opened, nobody is signed in
/// if let payload = waiting.current() { … }     // after the sign-in: ask the person, then join
/// waiting.clear()                              // answered, either way
/// ```
///
/// Spec: 70, section 10.3.
public struct PendingInvitationStore: Sendable {
    private let store: AnyValueStore<PendingInvitation>

    /// - Parameter store: Holds the one invitation.
    public init(store: AnyValueStore<PendingInvitation> = .memory()) { self.store = store }

    /// Keeps an invitation in place of the one before. Throws `AccountError.invalidInput` for one that has expired.
    public func keep(_ payload: InvitationPayload, now: Date = Date()) throws {
        try payload.invitation.checkNotExpired(at: now)
        store.save(try PendingInvitation(payload, receivedAt: now))
    }

    /// The invitation that waits; nil when there is none. One that has expired, or cannot be read, is dropped.
    public func current(now: Date = Date()) -> InvitationPayload? {
        guard let pending = store.load() else { return nil }
        guard let payload = try? pending.payload, !payload.invitation.isExpired(at: now) else {
            store.clear()
            return nil
        }
        return payload
    }

    /// Forgets it: the person has answered.
    public func clear() { store.clear() }
}
