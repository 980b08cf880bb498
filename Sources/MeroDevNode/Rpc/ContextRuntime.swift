import Foundation
import MeroKit

/// The contexts of a node.
final class ContextRuntime: Sendable {
    private struct State {
        var boxes: [String: ContextBox] = [:]
        /// What the node has left and could join again.
        var left: [String: ContextBox] = [:]
        /// Ids of contexts that are being made.
        var pending: Set<String> = []
        /// In the order of creation, those that were left included.
        var order: [String] = []
        /// What is on disk of each.
        var records: [String: JsonTree] = [:]
        var nextOrder = 0
        var observers: [Int: @Sendable (ContextNotice) -> Void] = [:]
        var nextObserver = 0
        var journal: Journal?
    }

    let link: PeerLink
    let applications: ApplicationStore
    private let directory: DataDirectory?
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(directory: DataDirectory?, applications: ApplicationStore, link: PeerLink) throws {
        self.link = link
        self.directory = directory
        self.applications = applications
        var state = State()
        if let directory { (state.journal, state.records) = try directory.open("node-contexts") }
        let known = state.records.sorted {
            ($0.value["order"]?.integer(Int.self) ?? 0) < ($1.value["order"]?.integer() ?? 0)
        }
        state.nextOrder = (known.last?.value["order"]?.integer(Int.self) ?? -1) + 1
        self.state = Locked(state)
        for (id, tree) in known {
            guard let name = tree["contract"]?.stringValue, let executor = tree["executor"]?.stringValue else {
                continue
            }
            var program = ContextProgram(bare: name)
            if let application = tree["application"]?.stringValue { program.applicationId = application }
            program.version = tree["version"]?.stringValue
            program.service = tree["service"]?.stringValue
            let role = tree["role"]?.stringValue.flatMap(DevRole.init) ?? .member
            let box = try makeBox(
                id: id, program: program, executor: executor, role: role, release: tree["release"]?.stringValue)
            self.state.withLock { state in
                state.order.append(id)
                if tree["left"] == true {
                    state.left[id] = box
                } else {
                    state.boxes[id] = box
                }
            }
        }
    }

    private func makeBox(
        id: String, program: ContextProgram, contract: (any DevContract)? = nil, executor: String, role: DevRole,
        release: String? = nil
    ) throws -> ContextBox {
        var journal: Journal?
        var entries: [String: JsonTree] = [:]
        if let directory { (journal, entries) = try directory.open("contexts/\(id)") }
        return ContextBox(
            id: id, executor: executor, link: link,
            inner: ContextBox.Inner(
                program: program, contract: contract ?? self.contract(of: program, release), release: release,
                state: DevState(entries),
                root: ContextBox.root(of: entries), role: role, journal: journal)
        ) { [weak self] notice in self?.publish(notice) }
    }

    /// What a program runs now; nil when its application is not here.
    ///
    /// - Parameter release: the bytecode that an upgrade brought.
    private func contract(of program: ContextProgram, _ release: String?) -> (any DevContract)? {
        let bare = ContextBox.applicationId(ofContract: program.contract)
        guard program.applicationId == bare || applications[program.applicationId] != nil else { return nil }
        let released = release.flatMap { applications.shelf.contract(bytecodeId: $0) }
        let installed = applications.contract(
            ofApplication: program.applicationId, version: program.version, service: program.service)
        return [released, installed].compactMap { $0 }.first { $0.name == program.contract }
            ?? applications.shelf[program.contract]
    }

    var ids: [String] { state.withLock { state in state.order.filter { state.boxes[$0] != nil } } }

    /// Ids are hexadecimal in either case.
    subscript(id: String) -> ContextBox? { state.withLock { $0.boxes[id] ?? $0.boxes[id.lowercased()] } }

    /// Creates a context, or takes up one that was there before with the same contract. Throws `DevNodeError`.
    func create(_ contract: any DevContract, id: String?, role: DevRole) throws -> String {
        let id = try id.map(Self.checkedId) ?? Hex.encode(SecureRandom.bytes(32))
        applications.shelf.learn(contract)
        if let box = try rejoin(id) {
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
    func learn(_ contract: any DevContract) { applications.shelf.learn(contract) }

    /// A context that nobody knows of until ``add(_:)``; ``discard(_:)`` it if that never comes.
    ///
    /// - Parameters:
    ///   - program: the contract itself unless given.
    ///   - executor: the public key of the identity the node has there; one of nobody's unless given.
    /// - Throws: `DevNodeError`, also when there is one of the same id or one is being made.
    func newBox(
        _ contract: any DevContract, id: String, role: DevRole, program: ContextProgram? = nil,
        executor: String? = nil
    ) throws -> ContextBox {
        try state.withLock { state in
            guard state.boxes[id] == nil, state.left[id] == nil, state.pending.insert(id).inserted else {
                throw DevNodeError.contextExists(id)
            }
        }
        do {
            return try makeBox(
                id: id, program: program ?? ContextProgram(bare: contract.name), contract: contract,
                executor: executor ?? Hex.encode(SecureRandom.bytes(32)), role: role)
        } catch {
            state.withLock { _ = $0.pending.remove(id) }
            throw error
        }
    }

    /// Throws `DevNodeError`, also when there is one of the same id.
    func add(_ box: ContextBox) throws {
        let content = content(of: box)
        try state.withLock { state in
            guard state.boxes[box.id] == nil, state.left[box.id] == nil else {
                throw DevNodeError.contextExists(box.id)
            }
            try Self.record(box.id, content, order: state.nextOrder, isLeft: false, &state)
            state.nextOrder += 1
            state.boxes[box.id] = box
            state.order.append(box.id)
            state.pending.remove(box.id)
        }
    }

    /// Forgets a context that came to nothing.
    func discard(_ box: ContextBox) {
        retire(box)
        state.withLock { _ = $0.pending.remove(box.id) }
    }

    /// Nothing is run or written any more.
    private func retire(_ box: ContextBox) {
        box.change { inner in
            inner.journal = nil
            inner.contract = nil
        }
        directory?.remove("contexts/\(box.id)")
    }

    /// What is written down of a context. Asked for outside of the lock: a box calls back while it holds its own.
    private func content(of box: ContextBox, running program: ContextProgram? = nil) -> [JsonMember] {
        let (known, role, release) = box.read { ($0.program, $0.role, program == nil ? $0.release : nil) }
        let program = program ?? known
        var members: [JsonMember] = [
            JsonMember(name: "contract", value: .string(program.contract)),
            JsonMember(name: "executor", value: .string(box.executor)),
            JsonMember(name: "role", value: .string(role.rawValue)),
            JsonMember(name: "application", value: .string(program.applicationId)),
        ]
        if let version = program.version { members.append(JsonMember(name: "version", value: .string(version))) }
        if let service = program.service { members.append(JsonMember(name: "service", value: .string(service))) }
        if let release { members.append(JsonMember(name: "release", value: .string(release))) }
        return members
    }

    private static func record(
        _ id: String, _ content: [JsonMember], order: Int, isLeft: Bool, _ state: inout State
    ) throws {
        var content = content + [JsonMember(name: "order", value: JsonTree(order))]
        if isLeft { content.append(JsonMember(name: "left", value: true)) }
        let records = state.records
        try state.journal?.record([(id, .object(content))]) { records }
        state.records[id] = .object(content)
    }

    private static func order(of id: String, _ state: State) -> Int {
        state.records[id]?["order"]?.integer() ?? 0
    }

    /// Makes a context run another program. Throws `DevNodeError`.
    func run(_ program: ContextProgram, in box: ContextBox) throws {
        let content = content(of: box, running: program)
        try state.withLock { state in
            guard state.boxes[box.id] != nil else { return }
            try Self.record(box.id, content, order: Self.order(of: box.id, state), isLeft: false, &state)
        }
        let contract = contract(of: program, nil)
        box.change { inner in
            inner.program = program
            inner.release = nil
            inner.contract = contract
        }
    }

    /// An application came or went: its contexts run again, or no longer.
    func applicationChanged(_ id: String) {
        for box in state.withLock({ Array($0.boxes.values) + Array($0.left.values) }) {
            let (program, release) = box.read { ($0.program, $0.release) }
            guard program.applicationId == id else { continue }
            let contract = contract(of: program, release)
            box.change { if $0.program == program, $0.release == release { $0.contract = contract } }
        }
    }

    // MARK: - Going and coming back

    /// Deletes a context with its state. False when there is none. Throws `DevNodeError`.
    @discardableResult
    func remove(_ id: String) throws -> Bool {
        let gone = try state.withLock { state -> ContextBox? in
            guard let box = state.boxes[id] ?? state.left[id] else { return nil }
            let records = state.records
            try state.journal?.record([(id, nil)]) { records }
            state.records[id] = nil
            state.boxes[id] = nil
            state.left[id] = nil
            state.order.removeAll { $0 == id }
            return box
        }
        if let gone { retire(gone) }
        return gone != nil
    }

    /// The node is no longer part of a context. Its state comes back with ``rejoin(_:)``, as from a peer. Throws
    /// `DevNodeError`.
    func leave(_ box: ContextBox) throws {
        let content = content(of: box)
        try state.withLock { state in
            guard state.boxes[box.id] != nil else { return }
            try Self.record(box.id, content, order: Self.order(of: box.id, state), isLeft: true, &state)
            state.boxes[box.id] = nil
            state.left[box.id] = box
        }
        box.change { $0.presence = nil }
    }

    /// The context, also one that was left until now; nil when there is none. Throws `DevNodeError`.
    func rejoin(_ id: String) throws -> ContextBox? {
        let (present, left) = state.withLock { ($0.boxes[id], $0.left[id]) }
        guard present == nil, let left else { return present }
        let content = content(of: left)
        return try state.withLock { state in
            guard state.left[id] != nil else { return state.boxes[id] }
            try Self.record(id, content, order: Self.order(of: id, state), isLeft: false, &state)
            state.left[id] = nil
            state.boxes[id] = left
            return left
        }
    }

    /// Writes down what a context runs now. Throws `DevNodeError`.
    func noteRelease(of box: ContextBox) throws {
        let content = content(of: box)
        try state.withLock { state in
            guard state.boxes[box.id] != nil else { return }
            try Self.record(box.id, content, order: Self.order(of: box.id, state), isLeft: false, &state)
        }
    }

    /// A context that another node has, with its state. Does nothing when it is here already. Throws `DevNodeError`.
    func copy(_ box: ContextBox) throws {
        guard self[box.id] == nil, let contract = box.read({ $0.contract }) else { return }
        applications.shelf.learnIfNew(contract)
        let twin = try newBox(contract, id: box.id, role: .member, program: box.program)
        do {
            try twin.merge(box.snapshot())
            try add(twin)
        } catch {
            discard(twin)
            throw error
        }
    }

    /// The contract behind an application's id; nil when it is not installed.
    func contract(ofApplication id: String) -> (any DevContract)? { applications.contract(ofApplication: id) }

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
