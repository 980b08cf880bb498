import Dispatch
import Foundation
import MeroKit

/// Tells the steps of a demo as they happen, and stops at the first that does not go as it should.
struct DemoReporter: Sendable {
    let console: Console
    private let started = DispatchTime.now()
    private let stepsDone = Locked(0)

    init(console: Console) { self.console = console }

    /// What a step found: for people, and the same for programs.
    struct Outcome<Value> {
        let value: Value
        let says: String
        var facts: [Report.Member] = []
    }

    func begin(_ title: String) throws {
        try console.line(console.style.bold(title))
        try console.line()
    }

    @discardableResult
    func step<Value>(
        _ name: String, _ title: String, _ body: () async throws -> Outcome<Value>
    ) async throws -> Value {
        let number = stepsDone.withLock {
            $0 += 1
            return $0
        }
        let begin = DispatchTime.now()
        let outcome: Outcome<Value>
        do {
            outcome = try await body()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let failure = Failure(describing: error)
            try console.line("\(console.style.red("✘"))  \(number). \(title)")
            try console.document(["step": .string(name), "ok": false, "says": .string(failure.message)])
            throw Failure(
                code: failure.code, message: "The demo stopped at \"\(title)\": \(failure.message)", hint: failure.hint,
                type: failure.type, status: failure.status, data: failure.data)
        }
        let time = Self.milliseconds(since: begin)
        try console.line(
            "\(console.style.green("✔"))  \(number). \(title) \(console.style.dim("(\(time) ms)"))\n      \(outcome.says.printable)"
        )
        try console.document(
            .object(
                [
                    .init(name: "step", value: .string(name)), .init(name: "ok", value: true),
                    .init(name: "says", value: .string(outcome.says)),
                    .init(name: "milliseconds", value: .integer(time)),
                ] + outcome.facts))
        return outcome.value
    }

    /// - Parameter next: Command lines to go on with.
    func end(leftOut: [String] = [], next: [String] = []) throws {
        let time = Self.milliseconds(since: started)
        let count = stepsDone.withLock { $0 }
        try console.line()
        if !leftOut.isEmpty {
            try console.line("Left out, since only a node of the demo's own allows it:")
            for text in leftOut { try console.line("  - \(text)") }
            try console.line()
        }
        try console.line("\(console.style.bold("All \(count) steps went as they should")), in \(time) ms.")
        if !next.isEmpty {
            try console.line()
            try console.line("To go on from here:")
            for line in next { try console.line("  \(line.printable)") }
        }
        try console.document([
            "done": true, "steps": .integer(Int64(count)), "milliseconds": .integer(time), "leftOut": .strings(leftOut),
        ])
    }

    private static func milliseconds(since start: DispatchTime) -> Int64 {
        Int64((DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000)
    }
}

extension Failure {
    /// A step whose result is not the one it has to be.
    static func mismatch(expected: String, got: String) -> Failure {
        Failure(code: .refused, message: "expected \(expected), got \(got)")
    }
}
