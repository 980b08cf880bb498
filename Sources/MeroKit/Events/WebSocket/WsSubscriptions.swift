/// The ids that an event client is to follow, each once, in the order in which they came.
struct WsSubscriptions: Sendable, Equatable {
    private(set) var contextIds: [String] = []
    private(set) var groupIds: [String] = []

    init(contextIds: [String] = [], groupIds: [String] = []) {
        _ = Self.add(contextIds, to: &self.contextIds)
        _ = Self.add(groupIds, to: &self.groupIds)
    }

    var isEmpty: Bool { contextIds.isEmpty && groupIds.isEmpty }

    /// - Returns: those that are new.
    mutating func add(_ contexts: [String], _ groups: [String]) -> WsSubscriptions {
        var new = WsSubscriptions()
        new.contextIds = Self.add(contexts, to: &contextIds)
        new.groupIds = Self.add(groups, to: &groupIds)
        return new
    }

    /// - Returns: those that were there.
    mutating func remove(_ contexts: [String], _ groups: [String]) -> WsSubscriptions {
        var removed = WsSubscriptions()
        removed.contextIds = Self.remove(contexts, from: &contextIds)
        removed.groupIds = Self.remove(groups, from: &groupIds)
        return removed
    }

    private static func add(_ ids: [String], to known: inout [String]) -> [String] {
        var seen = Set(known)
        let new = ids.filter { seen.insert($0).inserted }
        known += new
        return new
    }

    private static func remove(_ ids: [String], from known: inout [String]) -> [String] {
        let wanted = Set(ids)
        let removed = known.filter(wanted.contains)
        known.removeAll(where: wanted.contains)
        return removed
    }
}
