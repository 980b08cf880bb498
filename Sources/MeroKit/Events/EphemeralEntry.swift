import Foundation

/// One author's presence in a context, or that it ended.
///
/// Spec: 40, sections 5.4 and 5.5.
public struct EphemeralEntry<State: Sendable>: Sendable {
    /// The key that signed it. No proof of membership.
    public let author: String
    /// The account, when a relay carries its presence.
    public let account: String?
    /// What the author published; nil when the presence ended.
    public let state: State?
    /// The node no longer tracks the author. No proof that the author is gone.
    public let removed: Bool
    /// How old the state is, in milliseconds, when it is a replay of what was known at the time of subscribing. Nil for a
    /// change that just happened.
    public let ageMs: UInt64?

    /// One author's presence, for previews and tests.
    public init(author: String, account: String? = nil, state: State?, removed: Bool = false, ageMs: UInt64? = nil) {
        self.author = author
        self.account = account
        self.state = state
        self.removed = removed
        self.ageMs = ageMs
    }
}

extension EphemeralEntry {
    /// What an event says about presence in one context.
    ///
    /// Nil, and to be skipped, when it is about something else, names no author, or carries a state that the codec does not
    /// take: one author's odd bytes must not cost the others.
    init?(_ event: ContextEvent, in contextId: String, codec: PresenceCodec<State>) {
        guard event.contextId == contextId, case .presence(let delta) = event.content else { return nil }
        do {
            self.init(
                author: delta.author, account: delta.account, state: try delta.state.map(codec.decode),
                removed: delta.removed, ageMs: delta.ageMs)
        } catch {
            return nil
        }
    }
}

extension EphemeralEntry: Equatable where State: Equatable {}
