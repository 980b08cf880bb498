import Foundation
import MeroKit

/// A task that everybody in the context sees.
public struct TaskItem: Codable, Sendable, Equatable {
    public var title: String
    public var isDone = false
}

/// The tasks of a context. It does not know whether a node or a relay stands behind the client.
///
/// The contract is a key-value store; each task is an entry of its own, so that two people who change different tasks at
/// the same time do not undo each other's work.
public struct TaskList: Sendable {
    private let client: MeroTransportClient
    private let contextId: String
    private static let prefix = "task/"

    public init(_ client: MeroTransportClient, contextId: String) {
        self.client = client
        self.contextId = contextId
    }

    /// All tasks, the oldest first.
    public func all() async throws -> [(id: String, task: TaskItem)] {
        let entries: [String: String] = try await client.rpc.execute(
            contextId: contextId, method: "entries", argsJson: [:])
        return entries.filter { $0.key.hasPrefix(Self.prefix) }.sorted { $0.key < $1.key }.compactMap { key, value in
            // Whatever else is in the store is not ours to judge.
            guard let task = try? JSONDecoder().decode(TaskItem.self, from: Data(value.utf8)) else { return nil }
            return (String(key.dropFirst(Self.prefix.count)), task)
        }
    }

    /// Adds a task, and tells its id.
    @discardableResult
    public func add(_ title: String, now: Date = Date()) async throws -> String {
        // Sorts by time, and is not the same for two people.
        let id = "\(Int(now.timeIntervalSince1970 * 1000))-\(UUID().uuidString.prefix(8))"
        try await put(TaskItem(title: title), id)
        return id
    }

    /// Ticks a task off. False when it is not there.
    public func finish(_ id: String) async throws -> Bool {
        guard var task = try await all().first(where: { $0.id == id })?.task else { return false }
        task.isDone = true
        try await put(task, id)
        return true
    }

    /// Calls `body` with all tasks, now and whenever somebody changed them, until the task is cancelled.
    public func watch(_ body: ([(id: String, task: TaskItem)]) -> Void) async throws {
        let (statuses, report) = AsyncStream.makeStream(
            of: EventStreamStatus.self, bufferingPolicy: .bufferingNewest(1))
        let events = try client.events.events(contextIds: [contextId]) { report.yield($0) }
        // What happens before events flow would be missed: the first reading comes after that, or when they cannot flow.
        for await status in statuses {
            let isDecided = [.active, .refused].contains(status.contexts[contextId])
            if isDecided || [.waiting, .ended].contains(status.connection) { break }
        }
        body(try await all())
        // A gap means that events may have been missed: reading again is right then, too.
        for try await event in events where event.isGap || event.kind == "StateMutation" {
            body(try await all())
        }
    }

    private func put(_ task: TaskItem, _ id: String) async throws {
        let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
        let _: Empty = try await client.rpc.execute(
            contextId: contextId, method: "set",
            argsJson: ["key": .string(Self.prefix + id), "value": .string(text)])
    }
}
