/// What a subscriber is handed: the one member that makes a frame an event, as JSON text, written once for all.
///
/// An SSE frame is `{` + member + `}`, a WebSocket message `{"id":null,` + member + `}`.
struct EventMessage: Sendable {
    let member: [UInt8]

    /// An event, by the text of its `result`.
    init(result: [UInt8]) { member = Array(#""result":"#.utf8) + result }

    /// Stands for an event that the node could not serialise.
    static let failure = EventMessage(member: Array(#""error":{"type":"InternalError","data":{}}"#.utf8))

    private init(member: [UInt8]) { self.member = member }
}

/// Who an event is for.
enum EventAddress: Sendable, Equatable {
    case context(String)
    case group(String)
    /// The group's administrators alone.
    case groupAdmins(String)
    /// Every connection, whatever it subscribed.
    case everyone
}
