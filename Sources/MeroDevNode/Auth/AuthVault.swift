import Foundation
import MeroKit

/// Everything the auth service remembers: users, keys, spent refresh tokens.
final class AuthVault: Sendable {
    struct State: Sendable {
        var users = UndoMap<UserRecord>()
        var keys = UndoMap<KeyRecord>()
        var used = UndoMap<UsedToken>()
        var settings = UndoMap<String>()
        var nextOrder: Int64 = 0
        var sweepAbove = 1024

        /// Tokens of an older generation count as expired.
        var generation: UInt32 { settings["generation"].flatMap { UInt32($0) } ?? 0 }

        mutating func order() -> Int64 {
            nextOrder += 1
            return nextOrder
        }

        mutating func commit() {
            users.commit()
            keys.commit()
            used.commit()
            settings.commit()
        }

        mutating func rollback() {
            users.rollback()
            keys.rollback()
            used.rollback()
            settings.rollback()
        }
    }

    private struct Guarded {
        var state = State()
        var journal: Journal?
    }

    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let guarded: Locked<Guarded>
    private let status: NodeStatus
    let secret: [UInt8]

    init(directory: DataDirectory?, status: NodeStatus) throws {
        self.status = status
        var guarded = Guarded()
        var entries: [String: JsonTree] = [:]
        if let directory { (guarded.journal, entries) = try directory.open("auth") }
        guarded.state = Self.state(from: entries)
        let stored = guarded.state.settings["secret"].flatMap(Hex.decode)
        secret = stored ?? SecureRandom.bytes(32)
        if stored == nil {
            guarded.state.settings["secret"] = Hex.encode(secret)
            try Self.persist(&guarded)
        }
        self.guarded = Locked(guarded)
    }

    func read<Result>(_ body: (State) throws -> Result) rethrows -> Result {
        try guarded.withLock { try body($0.state) }
    }

    /// Changes the state and makes it durable, or leaves it as it was and throws.
    func change<Result>(_ body: (inout State) throws -> Result) throws -> Result {
        try guarded.withLock { guarded in
            guard status.isStorageAvailable else { throw DevNodeError.storage("store is down") }
            do {
                let result = try body(&guarded.state)
                try Self.persist(&guarded)
                return result
            } catch {
                guarded.state.rollback()
                throw error
            }
        }
    }

    /// Changes the state whether or not it can be made durable: for what a test demands from outside.
    func force<Result>(_ body: (inout State) -> Result) -> Result {
        guarded.withLock { guarded in
            let result = body(&guarded.state)
            do {
                try Self.persist(&guarded)
            } catch {
                guarded.state.commit()
            }
            return result
        }
    }

    private static func persist(_ guarded: inout Guarded) throws {
        if let journal = guarded.journal {
            let state = guarded.state
            var changes: [(key: String, value: JsonTree?)] = []
            changes += state.users.changes.map { ("user:\($0.key)", $0.new?.tree) }
            changes += state.keys.changes.map { ("key:\($0.key)", $0.new?.tree) }
            changes += state.used.changes.map { ("used:\($0.key)", $0.new?.tree) }
            changes += state.settings.changes.map { ("set:\($0.key)", $0.new.map(JsonTree.string)) }
            try journal.record(changes) { snapshot(state) }
        }
        guarded.state.commit()
    }

    private static func snapshot(_ state: State) -> [String: JsonTree] {
        var entries: [String: JsonTree] = [:]
        for (name, user) in state.users.entries { entries["user:\(name)"] = user.tree }
        for (id, key) in state.keys.entries { entries["key:\(id)"] = key.tree }
        for (id, used) in state.used.entries { entries["used:\(id)"] = used.tree }
        for (name, value) in state.settings.entries { entries["set:\(name)"] = .string(value) }
        return entries
    }

    private static func state(from entries: [String: JsonTree]) -> State {
        var users: [String: UserRecord] = [:]
        var keys: [String: KeyRecord] = [:]
        var used: [String: UsedToken] = [:]
        var settings: [String: String] = [:]
        for (name, tree) in entries {
            guard let colon = name.firstIndex(of: ":") else { continue }
            let rest = String(name[name.index(after: colon)...])
            switch name[..<colon] {
            case "user": users[rest] = UserRecord(username: rest, tree)
            case "key": keys[rest] = KeyRecord(id: rest, tree)
            case "used": used[rest] = UsedToken(tree)
            case "set": settings[rest] = tree.stringValue
            default: break
            }
        }
        var state = State()
        state.users = UndoMap(users)
        state.keys = UndoMap(keys)
        state.used = UndoMap(used)
        state.settings = UndoMap(settings)
        state.nextOrder = keys.values.map(\.order).max() ?? 0
        return state
    }
}
