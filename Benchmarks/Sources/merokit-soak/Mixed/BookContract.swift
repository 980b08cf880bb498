import MeroDevNode
import MeroKit

/// Counts how often each write ran: the writes of one writer are numbered, and number 7 of writer `a` is kept as `a:7`.
struct BookContract: DevContract {
    static let refusal = "refused on purpose"

    let name = "soak-book"
    let methods: [String: DevMethod] = [
        "put": .mutate { try BookContract.put(&$0) },
        // All that it did has to be undone.
        "put_and_refuse": .mutate { call in
            _ = try BookContract.put(&call)
            throw DevContractError.failure(BookContract.refusal)
        },
        "entries": .read { call in
            let prefix = try call.arg("writer", as: String.self) + ":"
            let entries = call.state.values.filter { $0.key.hasPrefix(prefix) }
            return .object(Dictionary(uniqueKeysWithValues: entries.map { (String($0.dropFirst(prefix.count)), $1) }))
        },
        // What was accounted for would only slow everything down. Running it twice does no harm.
        "drop": .mutate { call in
            let prefix = try call.arg("writer", as: String.self) + ":"
            let last: Int = try call.arg("through")
            for key in call.state.keys where key.hasPrefix(prefix) {
                if let number = Int(key.dropFirst(prefix.count)), number <= last { call.state.removeValue(forKey: key) }
            }
            return nil
        },
    ]

    private static func put(_ call: inout DevCall) throws -> JSONValue {
        let key = "\(try call.arg("writer", as: String.self)):\(try call.arg("number", as: Int.self))"
        let runs = (call.state[key]?.intValue ?? 0) + 1
        call.state[key] = .number(Double(runs))
        call.emit("Put", ["key": .string(key)])
        return .number(Double(runs))
    }
}
