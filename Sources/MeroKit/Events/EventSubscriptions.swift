import Foundation

/// The ids that events are about.
struct EventIds: Sendable, Equatable {
    var contexts: [String] = []
    var groups: [String] = []

    var isEmpty: Bool { contexts.isEmpty && groups.isEmpty }

    /// Nil for a single id.
    var halves: (EventIds, EventIds)? {
        let count = contexts.count + groups.count
        guard count > 1 else { return nil }
        let firstContexts = min(contexts.count, count / 2)
        let firstGroups = count / 2 - firstContexts
        return (
            EventIds(contexts: Array(contexts[..<firstContexts]), groups: Array(groups[..<firstGroups])),
            EventIds(contexts: Array(contexts[firstContexts...]), groups: Array(groups[firstGroups...]))
        )
    }
}

extension EventIds {
    /// What a node says it subscribed, in the `result` of its answer. Nil when the answer does not say.
    init?(result body: Data, contexts: String, groups: String) {
        guard let result = (try? JSONValue(jsonBytes: body))?["result"], let granted = result[contexts]?.arrayValue
        else {
            return nil
        }
        self.init(
            contexts: granted.compactMap(\.stringValue),
            groups: result[groups]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }
}

/// What a connection is to be subscribed to, and how far the node agrees.
struct EventSubscriptions: Sendable {
    private struct Entry {
        let id: String
        var status = EventStreamStatus.Subscription.requested
        /// The node was asked and has not answered: its events may come already.
        var isAsked = false
        /// Its events came, or may have, in an earlier session, and have been missed since.
        var wasActive = false
    }

    private struct List {
        private var order: [String] = []
        private var entries: [String: Entry] = [:]

        var ids: [String] { order }
        var statuses: [String: EventStreamStatus.Subscription] { entries.mapValues(\.status) }

        /// Returns those that are new.
        mutating func add(_ ids: [String]) -> [String] {
            ids.filter { id in
                guard entries[id] == nil else { return false }
                entries[id] = Entry(id: id)
                order.append(id)
                return true
            }
        }

        /// Returns those that were there.
        mutating func remove(_ ids: [String]) -> [String] {
            let known = ids.filter { entries.removeValue(forKey: $0) != nil }
            if !known.isEmpty { order.removeAll { entries[$0] == nil } }
            return known
        }

        mutating func endSession() {
            for id in order {
                guard var entry = entries[id] else { continue }
                if entry.status == .active || entry.isAsked { entry.wasActive = true }
                entry.isAsked = false
                entry.status = .requested
                entries[id] = entry
            }
        }

        mutating func setAsked(_ isAsked: Bool, _ ids: [String]) {
            for id in ids { entries[id]?.isAsked = isAsked }
        }

        /// Returns those that take up an earlier session's events again.
        mutating func confirm(_ ids: [String], granted: [String]?) -> [String] {
            // Ids are hexadecimal in either case, or base58: alike only if they are the same but for an id's case.
            let granted = granted.map { Set($0.map { $0.lowercased() }) }
            return ids.filter { id in
                guard entries[id] != nil else { return false }
                entries[id]?.isAsked = false
                let isActive = granted?.contains(id.lowercased()) ?? true
                entries[id]?.status = isActive ? .active : .refused
                guard isActive, entries[id]?.wasActive == true else { return false }
                entries[id]?.wasActive = false
                return true
            }
        }
    }

    private var contextList = List()
    private var groupList = List()

    var contexts: [String: EventStreamStatus.Subscription] { contextList.statuses }
    var groups: [String: EventStreamStatus.Subscription] { groupList.statuses }
    var all: EventIds { EventIds(contexts: contextList.ids, groups: groupList.ids) }

    /// Remembers the ids. Returns those that are new.
    mutating func add(_ ids: EventIds) -> EventIds {
        EventIds(contexts: contextList.add(ids.contexts), groups: groupList.add(ids.groups))
    }

    /// Forgets the ids. Returns those that were known.
    mutating func remove(_ ids: EventIds) -> EventIds {
        EventIds(contexts: contextList.remove(ids.contexts), groups: groupList.remove(ids.groups))
    }

    /// The connection is gone: nothing is confirmed any more.
    mutating func endSession() {
        contextList.endSession()
        groupList.endSession()
    }

    /// Tells that a request for these ids goes out, or that the node has refused it. What was granted is for `confirm`.
    mutating func setAsked(_ isAsked: Bool, _ ids: EventIds) {
        contextList.setAsked(isAsked, ids.contexts)
        groupList.setAsked(isAsked, ids.groups)
    }

    /// Takes the node's answer.
    ///
    /// - Parameter granted: Nil when the answer does not say.
    /// - Returns: a mark for each id whose events were missed since an earlier session.
    mutating func confirm(_ ids: EventIds, granted: EventIds?) -> [ContextEvent] {
        contextList.confirm(ids.contexts, granted: granted?.contexts).map { .gap(contextId: $0) }
            + groupList.confirm(ids.groups, granted: granted?.groups).map { .gap(groupId: $0) }
    }

    /// A mark for everything.
    func gaps() -> [ContextEvent] {
        contextList.ids.map { .gap(contextId: $0) } + groupList.ids.map { .gap(groupId: $0) }
    }
}
