import MeroKit

/// What both demos do with a key-value contract, each act checked.
struct DemoActs: Sendable {
    typealias Outcome = DemoReporter.Outcome

    let mero: Mero
    let context: String
    /// The key that the demo writes to.
    let key: String

    func write(_ text: String) async throws -> Outcome<Void> {
        let _: JSONValue = try await mero.rpc.execute(
            contextId: context, method: "set", argsJson: ["key": .string(key), "value": .string(text)])
        return Outcome(value: (), says: "set(key: \"\(key)\", value: \"\(text)\")")
    }

    func read(expecting text: String) async throws -> Outcome<Void> {
        let value: String? = try await mero.rpc.execute(
            contextId: context, method: "get", argsJson: ["key": .string(key)])
        guard value == text else {
            throw Failure.mismatch(expected: "\"\(text)\"", got: value.map { "\"\($0)\"" } ?? "nothing")
        }
        return Outcome(value: (), says: "get(key: \"\(key)\") -> \"\(text)\"")
    }

    /// A key that is not there is an error of `get_result`, which the SDK types.
    func contractError() async throws -> Outcome<Void> {
        let missing = key + "-missing"
        do {
            let value: JSONValue = try await mero.rpc.execute(
                contextId: context, method: "get_result", argsJson: ["key": .string(missing)])
            throw Failure.mismatch(expected: "an error of the contract", got: "the value \(Report(value).json)")
        } catch MeroError.rpc(let error) {
            guard error.type == "FunctionCallError" else {
                throw Failure.mismatch(expected: "the type FunctionCallError", got: error.type ?? "none")
            }
            return Outcome(
                value: (), says: "get_result(key: \"\(missing)\") -> MeroError.rpc, \(error.message)",
                facts: [.init(name: "type", value: .optional(error.type))])
        }
    }

    func watch(_ stream: DemoStream) async throws -> Outcome<Void> {
        try await stream.untilActive()
        return Outcome(value: (), says: "the stream is open, and the node delivers the context's events")
    }

    func event(_ text: String, on stream: DemoStream) async throws -> Outcome<Void> {
        _ = try await write(text)
        while true {
            let event = try await stream.next("the event of the write")
            guard let emitted = event.contractEvents.first(where: { $0.json?["key"] == .string(key) }) else { continue }
            guard emitted.json?["value"] == .string(text) else {
                throw Failure.mismatch(expected: "the value \"\(text)\"", got: EventLine.datum(emitted.data))
            }
            return Outcome(
                value: (), says: "\(event.kind): \(emitted.kind) \(EventLine.datum(emitted.data))",
                facts: [.init(name: "kind", value: .string(emitted.kind))])
        }
    }
}
