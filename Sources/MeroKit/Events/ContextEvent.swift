import Foundation

/// Something that happened in a context, or in the group that governs contexts.
///
/// ```swift
/// for try await event in mero.events(contextIds: [contextId]) {
///     switch event.content {
///     case .stateMutation(let mutation): apply(mutation.events)
///     case .presence(let delta): show(delta)
///     default: print(event.kind, event.payload)
///     }
/// }
/// ```
///
/// Treat an event as a hint to read state again: it may come twice, and what happened while the stream was down never
/// comes. Spec: 40, section 3.
public struct ContextEvent: Sendable {
    /// The context that the event is keyed to. Empty for a group-keyed event.
    public var contextId: String { key.contextId }
    /// The event's type as the node names it, `"event"` when it does not. Any name may come up.
    public var kind: String { key.kind }
    /// The group that the event is keyed to: the one that changed, never replaced by its namespace.
    public var groupId: String? { key.groupId }

    private let key: EventKey
    private let source: Source

    private enum Source {
        case text(EventText)
        case value(JSONValue)
    }

    /// An event made by hand, for previews and tests.
    public init(contextId: String, kind: String, payload: JSONValue, groupId: String? = nil) {
        key = EventKey(contextId: contextId, kind: kind, groupId: groupId)
        source = .value(payload)
    }

    init(_ key: EventKey, text: EventText) {
        self.key = key
        source = .text(text)
    }
}

extension ContextEvent {
    /// The whole event, with its ids, its `type` and its `data`.
    ///
    /// An event keeps the text that it came as, which the first call parses. Nothing else here needs that: where the other
    /// properties will do, they are faster. Numbers are `Double`; for every digit see `payloadJSON`.
    public var payload: JSONValue {
        switch source {
        case .text(let text): return text.value
        case .value(let value): return value
        }
    }

    /// The whole event as JSON text, in UTF-8, byte by byte as it came. Empty for one made by hand from a number that JSON
    /// does not have.
    public var payloadJSON: Data {
        eventText.map { $0.withBytes { Data($0) } } ?? Data()
    }

    /// The account whose presence a relay carries. Nil for a node's own presence, and for other kinds of events.
    public var presenceAccount: String? { presence { $0.string("account") } }

    /// The key that signed the presence. Nil for other kinds of events.
    public var presenceAuthor: String? { presence { $0.string("author") } }

    private func presence(_ member: (JSONFields) -> String?) -> String? {
        kind == "Ephemeral" ? withData(member) : nil
    }

    /// Gives the members of `data`. Nil when that is no object.
    func withData<Value>(_ body: (JSONFields) -> Value?) -> Value? { eventText?.withData(body) }

    private var eventText: EventText? {
        switch source {
        case .text(let text): return text
        case .value(let value): return EventText(value)
        }
    }
}

extension ContextEvent {
    /// The kind of the one event that no node sends: the client puts it into its streams where events may have been missed.
    ///
    /// It comes after every reconnect, once for each context and group of the stream, as soon as its events flow again; and
    /// wherever an event was lost on the way. Read the state of `contextId` (or `groupId`) anew then. An app that takes every
    /// event as a hint to read again does the right thing without looking at the kind.
    public static let gapKind = "Gap"

    /// Whether this is the client's own mark for events that may have been missed. See `gapKind`.
    public var isGap: Bool { kind == Self.gapKind }

    static func gap(contextId: String) -> ContextEvent {
        let payload: JSONValue = ["contextId": .string(contextId), "type": .string(gapKind)]
        return ContextEvent(contextId: contextId, kind: gapKind, payload: payload)
    }

    static func gap(groupId: String) -> ContextEvent {
        let payload: JSONValue = ["groupId": .string(groupId), "type": .string(gapKind)]
        return ContextEvent(contextId: "", kind: gapKind, payload: payload, groupId: groupId)
    }
}

extension ContextEvent: CustomStringConvertible {
    /// The kind and the ids. For what else is in it, print `payload`.
    public var description: String {
        let group = groupId.map { " group \($0)" } ?? ""
        return kind + (contextId.isEmpty ? "" : " context \(contextId)") + group
    }
}
