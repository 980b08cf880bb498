import MeroKit

/// The contracts that this process has, by name.
final class ContractShelf: Sendable {
    private let contracts: Locked<[String: any DevContract]>

    /// The bundled ones are always there.
    init(_ contracts: [any DevContract]) {
        var byName: [String: any DevContract] = [:]
        for contract in [KeyValueContract(), ProbeContract()] as [any DevContract] + contracts {
            byName[contract.name] = contract
        }
        self.contracts = Locked(byName)
    }

    subscript(name: String) -> (any DevContract)? { contracts.withLock { $0[name] } }

    func learn(_ contract: any DevContract) { contracts.withLock { $0[contract.name] = contract } }

    var all: [any DevContract] { contracts.withLock { Array($0.values) } }
}
