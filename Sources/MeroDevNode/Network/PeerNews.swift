/// What one node tells the others.
enum PeerNews: Sendable {
    /// Groups of a namespace, or devices when there is none.
    case groups([GroupDelta], namespace: String?)
    /// What happened in a group. Comes behind the change itself, and also when there is nothing to tell.
    case announcement([GroupEvent], namespace: String)
    case writes(ContextNews)
    case presence(PresenceNews)

    var context: String? {
        switch self {
        case .groups, .announcement: return nil
        case .writes(let news): return news.context
        case .presence(let news): return news.context
        }
    }
}

/// An event about a group.
typealias GroupEvent = (event: DevEvent, group: String)

/// What a run of a method changed, or all that a context holds.
struct ContextNews: Sendable {
    struct Write: Sendable {
        var key: String
        /// Nil for a key that is gone.
        var value: JsonTree?
        var stamp: ChangeStamp
    }

    var context: String
    var writes: [Write]
    var events: [DevEmittedEvent] = []
    /// What runs the context from now on, with the release that it is of.
    var release: ContextRelease?
}

/// A contract as a certain release has it.
struct ContextRelease: Sendable {
    var contract: any DevContract
    var applicationId: String
    var bytecodeId: String
    /// Nil where only the context's group tells.
    var version: String?
}

/// A presence slice that an author wrote, beat or took away.
struct PresenceNews: Sendable {
    var context: String
    var author: String
    var account: String?
    /// Nil for one that was taken away.
    var state: [UInt8]?
    var isKeptAlive: Bool
}
