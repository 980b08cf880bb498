import Foundation
import MeroKit

/// Makes warrants for a write with small arguments: canonical arguments, hashes, signature, wire.
struct WarrantJob: Codable {
    var seconds: Double

    struct Result: Codable {
        var count: Int
        var seconds: Double

        var rate: Double { Double(count) / seconds }
    }

    func run() throws -> Result {
        let keys = DeviceKeys.generate()
        func id(_ byte: String) -> String { String(repeating: byte, count: 32) }
        var input = Warrants.WarrantInput(
            context: id("11"), authorAccount: id("22"), executor: id("33"), executorKey: id("44"),
            releaseBytecodeId: id("55"), releaseVersion: "1.2.3", method: "set",
            argsJson: ["key": "greeting", "value": "hello"], nonce: 1, notAfter: 1_800_000_000)
        for _ in 0..<200 { _ = try Warrants.signWarrant(input, keys: keys) }
        var count = 0
        let start = monotonicSeconds()
        var end = start
        while end - start < seconds {
            for _ in 0..<100 {
                input.nonce += 1
                _ = try Warrants.signWarrant(input, keys: keys)
            }
            count += 100
            end = monotonicSeconds()
        }
        return Result(count: count, seconds: end - start)
    }
}
