import MeroKit

/// Picks what is worth telling from the changes of a stream's status.
struct StatusNarrator: Sendable {
    /// Whether the node has delivered anything that was asked for, at any time.
    private(set) var wasActive = false
    /// Why the last attempt failed, nil when it did not.
    private(set) var lastError: (any Error)?
    private var isDown = false
    private var reason = ""
    private var refused: Set<String> = []
    private var lastDocument = ""

    /// Sentences without a full stop.
    ///
    /// - Parameter node: The node's address, for the first one.
    mutating func remarks(on status: EventStreamStatus, node: String) -> [String] {
        lastError = status.lastError
        switch status.connection {
        case .idle, .connecting, .ended: return []
        case .waiting: return remarksOnLoss(status)
        case .open: return status.isSettled ? remarksOnOpening(status, node: node) : []
        }
    }

    private mutating func remarksOnLoss(_ status: EventStreamStatus) -> [String] {
        let reason = status.lastError.map { Failure(describing: $0).message } ?? "the stream ended"
        // An outage is told once, and again only when its reason changes.
        if isDown && reason == self.reason { return [] }
        defer {
            isDown = true
            self.reason = reason
        }
        let what = isDown || !wasActive ? "No connection" : "Connection lost"
        return ["\(what): \(reason); trying again"]
    }

    private mutating func remarksOnOpening(_ status: EventStreamStatus, node: String) -> [String] {
        var remarks: [String] = []
        let all = status.all
        let active = all.filter { $0.subscription == .active }.count
        if !wasActive && active > 0 {
            remarks.append("Connected to \(node), \(active) of \(all.count) ids are watched (Ctrl-C ends it)")
        } else if isDown && active > 0 {
            remarks.append("Connected again")
        }
        if active > 0 { wasActive = true }
        isDown = false
        for (what, id, subscription) in all {
            if subscription != .refused {
                refused.remove(id)
            } else if refused.insert(id).inserted {
                remarks.append("The node delivers nothing about \(what) \(id): unknown, or not for this session")
            }
        }
        return remarks
    }

    /// The status as a document, nil when that says what the last one said.
    mutating func document(on status: EventStreamStatus, at moment: Moment) -> Report? {
        lastError = status.lastError
        if status.isSettled && status.all.contains(where: { $0.subscription == .active }) { wasActive = true }
        if status.connection == .idle { return .none }
        let report = EventDocument.status(status, at: moment)
        guard case .object(let members) = report else { return report }
        let text = Report.object(members.filter { $0.name != "time" }).json
        guard text != lastDocument else { return .none }
        lastDocument = text
        return report
    }

    /// Whether the node has refused all that was asked for from the start: nothing will ever come.
    func isHopeless(_ status: EventStreamStatus) -> Bool {
        !wasActive && status.isSettled && status.all.allSatisfy { $0.subscription == .refused }
    }
}

extension EventStreamStatus {
    /// Whether the node has answered to everything that was asked for.
    fileprivate var isSettled: Bool {
        connection == .open && all.allSatisfy { $0.subscription != .requested }
    }

    fileprivate var all: [(what: String, id: String, subscription: Subscription)] {
        contexts.sorted { $0.key < $1.key }.map { ("context", $0.key, $0.value) }
            + groups.sorted { $0.key < $1.key }.map { ("group", $0.key, $0.value) }
    }
}
