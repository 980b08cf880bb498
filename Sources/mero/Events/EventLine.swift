import Foundation
import MeroKit

/// One event on one line, for people.
struct EventLine: Sendable {
    let style: Style

    /// `14:03:07.125  StateMutation  6b762d73  Inserted {"key":"greeting","value":"hello"}`
    func text(_ event: ContextEvent, at moment: Moment) -> String {
        let id = event.contextId.isEmpty ? event.groupId ?? "" : event.contextId
        let says = Self.says(event).printable
        return line(moment, kind: event.kind, id: id, says: event.isGap ? style.yellow(says) : says)
    }

    /// - Parameter says: Safe to print.
    func line(_ moment: Moment, kind: String, id: String, says: String) -> String {
        let kind = kind.printable
        let padding = String(repeating: " ", count: max(0, Self.kindWidth - kind.columns))
        let parts = [style.dim(moment.local), style.bold(kind) + padding, style.cyan(Self.short(id)), says]
        return parts.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static let kindWidth = "StateMutation".count

    // MARK: - By kind

    private static func says(_ event: ContextEvent) -> String {
        switch event.content {
        case .stateMutation(let mutation): return says(mutation)
        case .syncStatus(let status): return says(status)
        case .appVersionChanged(let change):
            return "\(change.fromVersion ?? "unknown") -> \(change.toVersion ?? "unknown")"
        case .xCall(let call): return "\(call.function) of \(short(call.targetContextId)): \(says(call.outcome))"
        case .presence(let delta): return says(delta)
        case .memberJoined(let change), .memberAdded(let change), .memberRemoved(let change):
            let account = change.memberAccount.map(short) ?? "unknown account"
            return account + (change.role.map { " as \($0)" } ?? "")
        case .migrationStarted(let start):
            return "\(start.fromVersion) -> \(start.toVersion), state version \(start.toStateVersion), "
                + "\(start.localContextsTotal) contexts on this node"
        case .migrationProgress(let progress):
            return "\(progress.migrated) of \(progress.total) migrated, \(progress.inProgress) in progress, "
                + "\(progress.failed) failed, \(progress.unknown) unknown"
        case .cascadeProgress(let progress):
            return "subgroup \(short(progress.subgroupId)): \(progress.localContextsSwapped) of "
                + "\(progress.localContextsTotal) contexts"
        case .migrationCompleted(let end): return "\(end.toVersion) at \(at(end.completedAt))"
        case .gap: return "events may have been missed, read the state again"
        case .other: return shortened(event.exactPayload?["data"]?.compact ?? "")
        }
    }

    private static func says(_ mutation: ContextEvent.StateMutation) -> String {
        if mutation.events.isEmpty { return mutation.newRoot.map { "root \(short($0))" } ?? "" }
        return mutation.events.map { event in
            let data = datum(event.data)
            return event.kind + (data.isEmpty ? "" : " " + data)
        }.joined(separator: "; ")
    }

    private static func says(_ status: ContextEvent.SyncStatus) -> String {
        var parts = [says(status.state)]
        if status.failureCount > 0 { parts.append("\(status.failureCount) failures in a row") }
        if let error = status.lastError { parts.append(shortened(error)) }
        return parts.joined(separator: ", ")
    }

    private static func says(_ state: SyncState) -> String {
        switch state {
        case .idle: return "idle"
        case .waitingForPeers: return "waiting for peers"
        case .syncing: return "syncing"
        case .receivingSnapshot(let records, let percent, let eta):
            let parts = [
                records.map { "\($0) records" }, percent.map { "\($0) %" }, eta.map { "\($0) s left" },
            ].compactMap { $0 }
            return "receiving a snapshot" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
        case .backingOff(let seconds): return "backing off" + (seconds.map { ", next try in \($0) s" } ?? "")
        case .unknown(let name): return name
        }
    }

    private static func says(_ outcome: ContextEvent.XCall.Outcome) -> String {
        switch outcome {
        case .ok: return "ok"
        case .denied(let reason): return "denied" + (reason.map { ", \(shortened($0))" } ?? "")
        case .executionFailed(let message): return "failed" + (message.map { ", \(shortened($0))" } ?? "")
        case .unknown(let status): return status
        }
    }

    private static func says(_ delta: ContextEvent.EphemeralDelta) -> String {
        let author = short(delta.author) + (delta.account.map { " of account \(short($0))" } ?? "")
        if delta.removed { return "\(author) left" }
        let age = delta.ageMs.map { ", \($0) ms old" } ?? ""
        return "\(author): \(datum(delta.state ?? Data()))\(age)"
    }

    private static func at(_ seconds: UInt64) -> String {
        // Far beyond any calendar the number itself says more.
        seconds < 1 << 40 ? Report.timestamp(Date(timeIntervalSince1970: Double(seconds))) : "\(seconds)"
    }
}

extension EventLine {
    /// Enough of an id to tell it from its neighbours.
    static func short(_ id: String) -> String { String(id.prefix(8)).printable }

    /// Bytes of a contract or a person: as JSON, else as text, else in hexadecimal.
    static func datum(_ data: Data) -> String {
        if data.isEmpty { return "" }
        if let json = try? ExactJSON(jsonBytes: data) { return shortened(json.compact) }
        if let text = String(exactly: Array(data)) { return shortened(JSONPrinter.quoted(text)) }
        return shortened("0x" + Hex.encode(data))
    }

    private static func shortened(_ text: String) -> String {
        text.count <= longestText ? text : text.prefix(longestText) + "..."
    }

    private static let longestText = 240
}

extension ContextEvent {
    /// The event with all its digits, nil for one that is no JSON.
    var exactPayload: ExactJSON? { try? ExactJSON(jsonBytes: payloadJSON) }
}
