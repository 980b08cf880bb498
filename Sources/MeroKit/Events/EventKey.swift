/// What an event is about: the same for most events of a stream, which share it.
final class EventKey: Sendable {
    let contextId: String
    let kind: String
    let groupId: String?

    init(contextId: String, kind: String, groupId: String?) {
        self.contextId = contextId
        self.kind = kind
        self.groupId = groupId
    }
}
