import MeroKit

/// What happens on an event stream, one JSON object a line, for programs.
///
/// The shapes are promised: members are added, never changed or taken away.
///
/// ```
/// {"type":"event","time":T,"event":{...what the node sent as `result`...}}
/// {"type":"gap","time":T,"contextId":ID}            or "groupId"
/// {"type":"status","time":T,"connection":"open","contexts":{ID:"active"},"groups":{},"error":{...}}
/// ```
enum EventDocument {
    static func event(_ event: ContextEvent, at moment: Moment) -> Report {
        if event.isGap {
            let id: Report.Member =
                event.groupId.map { .init(name: "groupId", value: .string($0)) }
                ?? .init(name: "contextId", value: .string(event.contextId))
            return .object(head("gap", moment) + [id])
        }
        let payload = event.exactPayload.map(Report.text) ?? Report(event.payload)
        return .object(head("event", moment) + [.init(name: "event", value: payload)])
    }

    static func status(_ status: EventStreamStatus, at moment: Moment) -> Report {
        var members = head("status", moment)
        members.append(.init(name: "connection", value: .string(word(status.connection))))
        members.append(.init(name: "contexts", value: words(status.contexts)))
        members.append(.init(name: "groups", value: words(status.groups)))
        if let error = status.lastError { members += Failure(describing: error).reportMembers }
        return .object(members)
    }

    static func head(_ type: String, _ moment: Moment) -> [Report.Member] {
        [.init(name: "type", value: .string(type)), .init(name: "time", value: .string(moment.utc))]
    }

    private static func words(_ subscriptions: [String: EventStreamStatus.Subscription]) -> Report {
        .object(
            subscriptions.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string(word($0.value))) })
    }

    private static func word(_ connection: EventStreamStatus.Connection) -> String {
        switch connection {
        case .idle: return "idle"
        case .connecting: return "connecting"
        case .open: return "open"
        case .waiting: return "waiting"
        case .ended: return "ended"
        }
    }

    private static func word(_ subscription: EventStreamStatus.Subscription) -> String {
        switch subscription {
        case .requested: return "requested"
        case .active: return "active"
        case .refused: return "refused"
        }
    }
}
