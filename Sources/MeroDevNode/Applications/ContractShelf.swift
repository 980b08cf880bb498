import MeroKit

/// The contracts that this process has, by name, and those that are the code of certain releases.
final class ContractShelf: Sendable {
    private struct State {
        var contracts: [String: any DevContract] = [:]
        /// By the id of the release's bytecode. Releases of one name may differ.
        var releases: [String: any DevContract] = [:]
    }

    private let state: Locked<State>

    /// The bundled ones are always there.
    init(_ contracts: [any DevContract]) {
        var state = State()
        for contract in [KeyValueContract(), ProbeContract()] as [any DevContract] + contracts {
            state.contracts[contract.name] = contract
        }
        self.state = Locked(state)
    }

    subscript(name: String) -> (any DevContract)? { state.withLock { $0.contracts[name] } }

    func learn(_ contract: any DevContract) { state.withLock { $0.contracts[contract.name] = contract } }

    /// Unless another of its name is here.
    func learnIfNew(_ contract: any DevContract) {
        state.withLock { state in
            if state.contracts[contract.name] == nil { state.contracts[contract.name] = contract }
        }
    }

    /// Also learns it when none of its name is here.
    func learn(_ contract: any DevContract, bytecodeId: String) {
        learnIfNew(contract)
        state.withLock { $0.releases[bytecodeId] = contract }
    }

    /// Nil when nobody said what the release's code is.
    func contract(bytecodeId: String) -> (any DevContract)? { state.withLock { $0.releases[bytecodeId] } }

    var all: [any DevContract] { state.withLock { Array($0.contracts.values) } }
}
