import Foundation
import MeroKit

/// The contexts of a node.
final class ContextRuntime: Sendable {
    private struct State {
        var boxes: [String: ContextBox] = [:]
        var order: [String] = []
        var contracts: [String: any DevContract] = [:]
        var observers: [Int: @Sendable (ContextNotice) -> Void] = [:]
        var nextObserver = 0
        var journal: Journal?
    }

    private let directory: DataDirectory?
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(directory: DataDirectory?, contracts: [any DevContract]) throws {
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
            let box = try makeBox(id: id, name: name, contract: contract, executor: executor, role: role)
            self.state.withLock { state in
                state.boxes[id] = box
                state.order.append(id)
            }
        }
    }

    private func makeBox(
        id: String, name: String, contract: (any DevContract)?, executor: String, role: DevRole
    ) throws -> ContextBox {
        var journal: Journal?
        var entries: [String: JsonTree] = [:]
        if let directory { (journal, entries) = try directory.open("contexts/\(id)") }
        return ContextBox(
            id: id, contractName: name, executor: executor,
            inner: ContextBox.Inner(
                contract: contract, state: DevState(entries), root: ContextBox.root(of: entries), role: role,
                journal: journal)
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

    /// A context that nobody knows of until ``add(_:)``. Throws `DevNodeError`.
    func newBox(_ contract: any DevContract, id: String, role: DevRole) throws -> ContextBox {
        try makeBox(
            id: id, name: contract.name, contract: contract, executor: Hex.encode(SecureRandom.bytes(32)), role: role)
    }

    /// Throws `DevNodeError`, also when there is one of the same id.
    func add(_ box: ContextBox) throws {
        try state.withLock { state in
            guard state.boxes[box.id] == nil else { throw DevNodeError.contextExists(box.id) }
            let record: JsonTree = [
                "contract": .string(box.contractName), "executor": .string(box.executor),
                "role": .string(box.read { $0.role.rawValue }), "order": JsonTree(state.order.count),
            ]
            try state.journal?.record([(box.id, record)]) { [:] }
            state.boxes[box.id] = box
            state.order.append(box.id)
        }
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
