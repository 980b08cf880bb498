import Foundation
import MeroKit

/// The contexts of a node.
final class ContextRuntime: Sendable {
    private struct State {
        var boxes: [String: ContextBox] = [:]
        var order: [String] = []
        /// What is on disk of each.
        var records: [String: JsonTree] = [:]
        var contracts: [String: any DevContract] = [:]
        var observers: [Int: @Sendable (ContextNotice) -> Void] = [:]
        var nextObserver = 0
        var journal: Journal?
    }

    let link: PeerLink
    private let directory: DataDirectory?
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(
        directory: DataDirectory?, contracts: [any DevContract], link: PeerLink = PeerLink(id: "", network: nil)
    ) throws {
        self.link = link
        self.directory = directory
        var state = State()
        for contract in [KeyValueContract(), ProbeContract()] as [any DevContract] + contracts {
            state.contracts[contract.name] = contract
        }
        var entries: [String: JsonTree] = [:]
        if let directory { (state.journal, entries) = try directory.open("node-contexts") }
        self.state = Locked(state)
        let known = entries.sorted { ($0.value["order"]?.integer(Int.self) ?? 0) < ($1.value["order"]?.integer() ?? 0) }
        for (id, tree) in known {
            guard let name = tree["contract"]?.stringValue, let executor = tree["executor"]?.stringValue else {
                continue
            }
            let role = tree["role"]?.stringValue.flatMap(DevRole.init) ?? .member
            let contract = self.state.withLock { $0.contracts[name] }
            let box = try makeBox(
                id: id, name: name, contract: contract, executor: executor, role: role,
                release: tree["release"]?.stringValue)
            self.state.withLock { state in
                state.boxes[id] = box
                state.order.append(id)
                state.records[id] = tree
            }
        }
    }

    private func makeBox(
        id: String, name: String, contract: (any DevContract)?, executor: String, role: DevRole,
        release: String? = nil
    ) throws -> ContextBox {
        var journal: Journal?
        var entries: [String: JsonTree] = [:]
        if let directory { (journal, entries) = try directory.open("contexts/\(id)") }
        return ContextBox(
            id: id, executor: executor, link: link,
            inner: ContextBox.Inner(
                contract: contract, contractName: name, release: release, state: DevState(entries),
                root: ContextBox.root(of: entries), role: role, journal: journal)
        ) { [weak self] notice in self?.publish(notice) }
    }

    var ids: [String] { state.withLock { $0.order } }
    var contracts: [any DevContract] { state.withLock { Array($0.contracts.values) } }

    /// Ids are hexadecimal in either case.
    subscript(id: String) -> ContextBox? { state.withLock { $0.boxes[id] ?? $0.boxes[id.lowercased()] } }

    /// Creates a context, or takes up one that was there before with the same contract. Throws `DevNodeError`.
    func create(_ contract: any DevContract, id: String?, role: DevRole) throws -> String {
        let id = try id.map(Self.checkedId) ?? Hex.encode(SecureRandom.bytes(32))
        state.withLock { $0.contracts[contract.name] = contract }
        if let box = self[id] {
            guard box.contractName == contract.name else { throw DevNodeError.contextExists(id) }
            box.change { inner in
                inner.contract = contract
                inner.role = role
            }
            return id
        }
        try add(try newBox(contract, id: id, role: role))
        return id
    }

    /// Counts a contract among those that are installed.
    func learn(_ contract: any DevContract) { state.withLock { $0.contracts[contract.name] = contract } }

    /// Counts a contract among those that are installed, unless another release of it is.
    func learnIfNew(_ contract: any DevContract) {
        state.withLock { state in
            if state.contracts[contract.name] == nil { state.contracts[contract.name] = contract }
        }
    }

    /// A context that nobody knows of until ``add(_:)``. Throws `DevNodeError`.
    func newBox(_ contract: any DevContract, id: String, role: DevRole) throws -> ContextBox {
        try makeBox(
            id: id, name: contract.name, contract: contract, executor: Hex.encode(SecureRandom.bytes(32)), role: role)
    }

    /// Throws `DevNodeError`, also when there is one of the same id.
    func add(_ box: ContextBox) throws {
        try state.withLock { state in
            guard state.boxes[box.id] == nil else { throw DevNodeError.contextExists(box.id) }
            let record = Self.record(box, order: state.order.count)
            let records = state.records
            try state.journal?.record([(box.id, record)]) { records }
            state.boxes[box.id] = box
            state.order.append(box.id)
            state.records[box.id] = record
        }
    }

    /// Not to be asked for a box that others have, while the runtime is held: a box calls back while it is held.
    private static func record(_ box: ContextBox, order: Int) -> JsonTree {
        let (name, role, release) = box.read { ($0.contractName, $0.role, $0.release) }
        return [
            "contract": .string(name), "executor": .string(box.executor), "role": .string(role.rawValue),
            "order": JsonTree(order), "release": release.map { .string($0) } ?? .null,
        ]
    }

    /// Writes down what a context runs now. Throws `DevNodeError`.
    func noteRelease(of box: ContextBox) throws {
        let record = Self.record(box, order: ids.firstIndex(of: box.id) ?? 0)
        try state.withLock { state in
            guard state.boxes[box.id] != nil else { return }
            let records = state.records
            try state.journal?.record([(box.id, record)]) { records }
            state.records[box.id] = record
        }
    }

    /// Takes a context away for good. False when there is none. Throws `DevNodeError`.
    @discardableResult
    func remove(_ id: String) throws -> Bool {
        let isKnown = try state.withLock { state -> Bool in
            guard state.boxes[id] != nil else { return false }
            var records = state.records
            records[id] = nil
            try state.journal?.record([(id, nil)]) { records }
            state.boxes[id] = nil
            state.order.removeAll { $0 == id }
            state.records = records
            return true
        }
        guard isKnown, let directory else { return isKnown }
        for suffix in ["json", "log"] {
            try? FileManager.default.removeItem(at: directory.url.appendingPathComponent("contexts/\(id).\(suffix)"))
        }
        return true
    }

    /// A context that another node has, with its state. Does nothing when it is here already. Throws `DevNodeError`.
    func copy(_ box: ContextBox) throws {
        guard self[box.id] == nil, let contract = box.read({ $0.contract }) else { return }
        learnIfNew(contract)
        let twin = try newBox(contract, id: box.id, role: .member)
        try twin.merge(box.snapshot())
        try add(twin)
    }

    /// The contract behind an application's id; nil when it is not installed.
    func contract(ofApplication id: String) -> (any DevContract)? {
        contracts.first { ContextBox.applicationId(ofContract: $0.name) == id.lowercased() }
    }

    /// Forgets the node's own presence, as the end of a process does.
    func forgetPresence() {
        for box in state.withLock({ Array($0.boxes.values) }) { box.change { $0.presence = nil } }
    }

    static func checkedId(_ id: String) throws -> String {
        guard let bytes = Hex.decode(id), bytes.count == 32 else { throw DevNodeError.invalidId(id) }
        return Hex.encode(bytes)
    }

    // MARK: - Listening

    /// Calls back for every change, in order per context and while the context is held: be quick and call nothing back.
    func observe(_ handler: @escaping @Sendable (ContextNotice) -> Void) -> Int {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = handler
            return state.nextObserver
        }
    }

    func stopObserving(_ token: Int) { state.withLock { $0.observers[token] = nil } }

    private func publish(_ notice: ContextNotice) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer(notice) }
    }
}
