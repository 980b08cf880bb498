import Foundation
import MeroKit

/// A contract for testing clients: every way a call can end, on demand.
///
/// | Method | Arguments | Does |
/// |---|---|---|
/// | `echo` | any | returns its arguments digit for digit |
/// | `nothing` | any | returns null |
/// | `fail` | `message` | returns an error |
/// | `panic` | `message` | crashes |
/// | `bytes` | `count` | returns a string of that many characters |
/// | `text` | `json` | returns that text as if it were JSON, which it need not be |
/// | `increment` | `by` (optional u64) | adds to a counter, emits `Incremented`, returns the sum |
/// | `count` | | returns the counter |
/// | `increment_and_fail` | `message` | as `increment`, then returns an error: nothing of it remains |
/// | `sleep` | `ms` | waits, then returns null |
/// | `executor` | | returns the identity the node acts as |
public struct ProbeContract: DevContract {
    /// `probe`.
    public let name = "probe"
    /// See the type.
    public let methods: [String: DevMethod]

    private static let largestOutput = 64 << 20
    private static let longestSleep: UInt64 = 600_000

    /// A probe whose counter is 0.
    public init() {
        methods = [
            "echo": .readExact { .text($0.argsText) },
            "nothing": .read { _ in nil },
            "fail": .read { throw DevContractError.failure(try $0.arg("message")) },
            "panic": .read { throw DevContractError.panic(try $0.arg("message")) },
            "bytes": .readExact { call in
                let count: Int = try call.arg("count")
                guard (0...Self.largestOutput).contains(count) else {
                    throw DevContractError.failure("count must be 0 to \(Self.largestOutput)")
                }
                return .text("\"" + String(repeating: "x", count: count) + "\"")
            },
            "text": .readExact { .text(try $0.arg("json")) },
            "increment": .mutateExact { .text(String(try Self.increment(&$0))) },
            "count": .readExact { .text(String(Self.counter($0))) },
            "increment_and_fail": .mutateExact { call in
                _ = try Self.increment(&call)
                throw DevContractError.failure(try call.arg("message"))
            },
            "sleep": .readWhenReady { call in
                let milliseconds: UInt64 = try call.arg("ms")
                try await Task.sleep(nanoseconds: min(milliseconds, Self.longestSleep) * 1_000_000)
                return .value(nil)
            },
            "executor": .read { .string($0.executor) },
        ]
    }

    private static func counter(_ call: DevCall) -> UInt64 { call.state.text("count").flatMap { UInt64($0) } ?? 0 }

    private static func increment(_ call: inout DevCall) throws -> UInt64 {
        let step = try call.arg("by", as: UInt64?.self) ?? 1
        let (sum, overflow) = counter(call).addingReportingOverflow(step)
        guard !overflow else { throw DevContractError.panic("attempt to add with overflow") }
        try call.state.setText(String(sum), for: "count")
        call.emit("Incremented", bytes: Data("{\"count\":\(sum)}".utf8))
        return sum
    }
}
