import Foundation
import MeroKit

/// What the node tells listeners inside the process; event streams are built on it.
enum ContextNotice: Sendable {
    case stateMutation(contextId: String, newRoot: String, events: [DevEmittedEvent])
    /// The node's own presence slice in a context changed.
    case ephemeral(contextId: String, author: String, state: [UInt8])
}

/// What a context runs.
struct ContextProgram: Sendable, Equatable {
    var applicationId: String
    /// The contract's name, also while it is not here.
    var contract: String
    /// Nil where only the context's group tells.
    var version: String?
    /// Of an application with several.
    var service: String?

    init(applicationId: String, contract: String, version: String? = nil, service: String? = nil) {
        self.applicationId = applicationId
        self.contract = contract
        self.version = version
        self.service = service
    }

    /// A contract that nobody installed.
    init(bare contract: String) {
        self.init(applicationId: ContextBox.applicationId(ofContract: contract), contract: contract)
    }
}

/// One context: its contract, its state and its lock.
final class ContextBox: Sendable {
    static let eventLimit = 1_000

    struct Inner {
        var program: ContextProgram
        var contract: (any DevContract)?
        /// The bytecode that an upgrade brought; nil for what runs since the beginning.
        var release: String?
        /// The group whose upgrade keeps writers out.
        var upgradingGroup: String?
        /// When keys were written, also those that are gone.
        var stamps: [String: ChangeStamp] = [:]
        var time: UInt64 = 0
        var state = DevState()
        var root: [UInt8]
        var condition: DevContextCondition?
        var role: DevRole
        var events: [DevEmittedEvent] = []
        var presence: [UInt8]?
        var journal: Journal?
    }

    let id: String
    let executor: String
    private let link: PeerLink
    private let notify: @Sendable (ContextNotice) -> Void
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let inner: Locked<Inner>

    init(
        id: String, executor: String, link: PeerLink, inner: sending Inner,
        notify: @escaping @Sendable (ContextNotice) -> Void
    ) {
        self.id = id
        self.executor = executor
        self.link = link
        self.notify = notify
        self.inner = Locked(inner)
    }

    static func applicationId(ofContract name: String) -> String {
        Hex.encode(Digest.sha256(Array("dev-contract:\(name)".utf8)))
    }

    var program: ContextProgram { read { $0.program } }
    var contractName: String { program.contract }
    var applicationId: String { program.applicationId }

    func read<Result>(_ body: (Inner) -> Result) -> Result { inner.withLock { body($0) } }
    func change<Result>(_ body: (inout Inner) -> Result) -> Result { inner.withLock { body(&$0) } }

    // MARK: - Running

    private enum Step {
        case done(JsonTree, root: [UInt8])
        case wait(@Sendable (DevCall) async throws -> DevOutput, DevCall)
    }

    /// What a run left behind.
    struct Run: Sendable {
        var output: JsonTree
        /// The state's root right after it, 64 hex.
        var root: String
    }

    /// Runs a method. Throws `RpcFailure`.
    func run(_ method: String, _ arguments: JsonTree) async throws -> JsonTree {
        try await run(method, arguments, as: nil).output
    }

    /// Runs a method as an account that the node acts for, else as the node itself, whose role then counts. Throws
    /// `RpcFailure`.
    func run(_ method: String, _ arguments: JsonTree, as account: String?) async throws -> Run {
        let step = try inner.withLock { try begin(method, arguments, account, &$0) }
        link.flush()
        switch step {
        case .done(let output, let root): return Run(output: output, root: Hex.encode(root))
        case .wait(let body, let call):
            do {
                let output = try Self.parse(try await body(call))
                return Run(output: output, root: read { Hex.encode($0.root) })
            } catch {
                throw Self.failure(error)
            }
        }
    }

    /// Whether the application declares that a method changes nothing; nil for a method it does not have.
    func isReadOnly(_ method: String) -> Bool? { read { $0.contract?.methods[method].map { !$0.isMutating } } }

    private func begin(
        _ name: String, _ arguments: JsonTree, _ account: String?, _ inner: inout Inner
    ) throws -> Step {
        if let failure = refusal(inner) { throw failure }
        guard let contract = inner.contract else { throw Self.applicationMissing(inner) }
        guard let method = contract.methods[name] else { throw RpcFailure.functionCall("method \"\(name)\" not found") }
        if method.isMutating {
            if let group = inner.upgradingGroup {
                throw RpcFailure("UpgradeInProgress", ["group_id": .string(group)])
            }
            if case .upgradeInProgress(let asBytes)? = inner.condition { throw upgradeInProgress(asBytes) }
            if (account == nil && inner.role.discardsWrites) || inner.condition == .readOnlyWrites {
                throw RpcFailure("ReadOnlyWriteRefused", ["context_id": .string(id)])
            }
        }
        switch method.body {
        case .waiting(let body): return .wait(body, call(name, arguments, account, inner.state))
        case .read(let body):
            do {
                let output = try Self.parse(try body(call(name, arguments, account, inner.state)))
                return .done(output, root: inner.root)
            } catch {
                throw Self.failure(error)
            }
        case .mutate(let body):
            // The state moves into the call and back, so that no second reference makes a change copy all of it.
            var call = call(name, arguments, account, DevState())
            swap(&call.state, &inner.state)
            defer { swap(&call.state, &inner.state) }
            do {
                let output = try Self.parse(try body(&call))
                try settle(&call, &inner)
                return .done(output, root: inner.root)
            } catch {
                call.state.rollback()
                throw Self.failure(error)
            }
        }
    }

    private func call(_ method: String, _ arguments: JsonTree, _ account: String?, _ state: DevState) -> DevCall {
        DevCall(contextId: id, method: method, executor: account ?? executor, state: state, arguments: arguments)
    }

    /// Makes a run's changes durable and tells listeners.
    private func settle(_ call: inout DevCall, _ inner: inout Inner) throws {
        let changes = call.state.changes
        guard !changes.isEmpty || !call.events.isEmpty else { return call.state.commit() }
        try keep(&call.state, events: call.events, &inner)
        guard link.isActive else { return }
        link.enqueue(.writes(ContextNews(context: id, writes: stamp(changes, &inner), events: call.events)))
    }

    /// The caller flushes the link when the lock is free again.
    private func stamp(
        _ changes: [(key: String, old: JsonTree?, new: JsonTree?)], _ inner: inout Inner
    ) -> [ContextNews.Write] {
        inner.time += 1
        let stamp = ChangeStamp(time: inner.time, node: link.id)
        return changes.map { change in
            inner.stamps[change.key] = stamp
            return ContextNews.Write(key: change.key, value: change.new, stamp: stamp)
        }
    }

    private func keep(_ state: inout DevState, events: [DevEmittedEvent], _ inner: inout Inner) throws {
        let changes = state.changes
        if let journal = inner.journal {
            let entries = state.entries
            try journal.record(changes.map { ($0.key, $0.new) }) { entries }
        }
        state.commit()
        for change in changes { inner.root = Self.root(inner.root, change.key, change.old, change.new) }
        inner.events.append(contentsOf: events)
        if inner.events.count > 2 * Self.eventLimit { inner.events.removeFirst(inner.events.count - Self.eventLimit) }
        notify(.stateMutation(contextId: id, newRoot: Hex.encode(inner.root), events: events))
    }

    // MARK: - Other nodes

    /// Takes over what another node wrote, as far as it is newer, and tells listeners. Throws `DevNodeError`.
    func merge(_ news: ContextNews) throws {
        try inner.withLock { inner in
            if let release = news.release { Self.install(release, &inner) }
            var state = DevState()
            swap(&state, &inner.state)
            defer { swap(&state, &inner.state) }
            var accepted: [ContextNews.Write] = []
            for write in news.writes {
                let isNewer =
                    inner.stamps[write.key].map { write.stamp > $0 }
                    ?? (state.entries[write.key] == nil || write.stamp > .origin)
                guard isNewer else { continue }
                accepted.append(write)
                state.put(write.key, write.value)
            }
            guard !state.changes.isEmpty || !news.events.isEmpty else { return state.commit() }
            do {
                try keep(&state, events: news.events, &inner)
            } catch {
                state.rollback()
                throw error
            }
            for write in accepted {
                inner.stamps[write.key] = write.stamp
                inner.time = max(inner.time, write.stamp.time)
            }
        }
    }

    /// All there is, for a node that joins the context or has been away.
    func snapshot() -> ContextNews {
        inner.withLock { inner in
            var writes = inner.state.entries.map { key, value in
                ContextNews.Write(key: key, value: value, stamp: inner.stamps[key] ?? .origin)
            }
            for (key, stamp) in inner.stamps where inner.state.entries[key] == nil {
                writes.append(ContextNews.Write(key: key, value: nil, stamp: stamp))
            }
            let release = inner.contract.flatMap { contract in
                inner.release.map { bytecodeId in
                    ContextRelease(
                        contract: contract, applicationId: inner.program.applicationId, bytecodeId: bytecodeId,
                        version: inner.program.version)
                }
            }
            return ContextNews(context: id, writes: writes, release: release)
        }
    }

    // MARK: - Upgrades

    /// Lets another release run here, once its migration has gone over the state: all or nothing. The other nodes of the
    /// context get both. Throws what the migration throws, and `DevNodeError`.
    func upgrade(to release: ContextRelease, migrating: Bool) throws {
        defer { link.flush() }
        try inner.withLock { inner in
            var state = DevState()
            swap(&state, &inner.state)
            defer { swap(&state, &inner.state) }
            do {
                if migrating { try release.contract.migration?.run(&state) }
                let changes = state.changes
                if !changes.isEmpty { try keep(&state, events: [], &inner) }
                Self.install(release, &inner)
                guard link.isActive else { return }
                let writes = changes.isEmpty ? [] : stamp(changes, &inner)
                link.enqueue(.writes(ContextNews(context: id, writes: writes, release: release)))
            } catch {
                state.rollback()
                throw error
            }
        }
    }

    private static func install(_ release: ContextRelease, _ inner: inout Inner) {
        inner.contract = release.contract
        inner.program.contract = release.contract.name
        inner.program.applicationId = release.applicationId
        inner.program.version = release.version
        inner.release = release.bytecodeId
        inner.upgradingGroup = nil
    }

    // MARK: - State root

    /// Of an empty state. Zeros would say that nothing was synced yet.
    private static let emptyRoot = Digest.sha256(Array("dev-context-state".utf8))

    /// The root depends on the entries alone, not on the way there: the exclusive or of a hash per entry.
    static func root(of entries: [String: JsonTree]) -> [UInt8] {
        entries.reduce(emptyRoot) { root($0, $1.key, nil, $1.value) }
    }

    /// Roughly what the state takes up, in bytes.
    var size: Int {
        read { $0.state.entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.bytes.count } }
    }

    private static func root(_ root: [UInt8], _ key: String, _ old: JsonTree?, _ new: JsonTree?) -> [UInt8] {
        var root = root
        for value in [old, new].compactMap({ $0 }) {
            let hash = Digest.sha256(JsonTree.array([.string(key), value]).bytes)
            for index in root.indices { root[index] ^= hash[index] }
        }
        return root
    }

    // MARK: - Failures

    private static func parse(_ output: DevOutput) throws -> JsonTree {
        do {
            return try output.tree()
        } catch {
            throw RpcFailure.serde("\(error)")
        }
    }

    private static func failure(_ error: any Error) -> RpcFailure {
        switch error {
        case let failure as RpcFailure: return failure
        case DevContractError.failure(let text): return .functionCall(text)
        case DevContractError.panic(let text): return .functionCall("panicked: \(text)")
        case is EncodingError: return .serde("the method's return is not JSON")
        case is DevNodeError: return .inner("other")
        default: return .functionCall("\(error)")
        }
    }

    private static func applicationMissing(_ inner: Inner) -> RpcFailure {
        RpcFailure("ApplicationNotInstalled", ["application_id": .string(inner.program.applicationId)])
    }

    private func upgradeInProgress(_ asBytes: Bool) -> RpcFailure {
        let group = Digest.sha256(Array("group:\(id)".utf8))
        let value: JsonTree = asBytes ? .array(group.map { JsonTree($0) }) : .string(Hex.encode(group))
        return RpcFailure("UpgradeInProgress", ["group_id": value])
    }

    /// The answer of a condition that strikes every method.
    private func refusal(_ inner: Inner) -> RpcFailure? {
        switch inner.condition {
        case nil, .upgradeInProgress, .readOnlyWrites: return nil
        case .unauthorized:
            return RpcFailure("Unauthorized", ["context_id": .string(id), "public_key": .string(executor)])
        case .uninitialized: return RpcFailure("Uninitialized")
        case .applicationNotInstalled: return Self.applicationMissing(inner)
        case .internalError(let kind): return .inner(kind)
        case .internalErrorBare: return RpcFailure("InternalError", [:])
        case .groupKeyPending: return RpcFailure("GroupKeyPending", ["context_id": .string(id)])
        case .xcallNotPermitted: return RpcFailure("XCallNotPermitted", ["context_id": .string(id)])
        case .serdeError(let message): return .serde(message)
        case .notMember: return .notMember
        case .noOwnedIdentity: return .functionCall("No owned identity found for this context")
        case .identityResolutionFailed(let detail):
            return .functionCall("Failed to resolve owned identity for this context: \(detail)")
        case .membershipCheckFailed: return .functionCall("Internal error during membership verification")
        case .custom(let type, let data):
            return RpcFailure(type, data.map { (try? JsonParser.parse($0.utf8)) ?? .string($0) })
        }
    }

    // MARK: - Presence

    static let largestSlice = 16_384

    /// Sets the node's own presence slice. Throws `RpcFailure`.
    func setPresence(_ state: [UInt8]) throws {
        defer { link.flush() }
        try inner.withLock { inner in
            switch inner.condition {
            case .notMember: throw RpcFailure("Unauthorized")
            case .noOwnedIdentity: throw RpcFailure("NoOwnedIdentity")
            case .groupKeyPending: throw RpcFailure("InternalError", "no group key")
            default: break
            }
            guard state.count <= Self.largestSlice else {
                throw RpcFailure(
                    "SliceTooLarge", ["size": JsonTree(state.count), "max": JsonTree(Self.largestSlice)])
            }
            // The same bytes again are a heartbeat, not news.
            guard inner.presence != state else { return }
            inner.presence = state
            notify(.ephemeral(contextId: id, author: executor, state: state))
        }
    }
}
