import Foundation
import MeroKit

/// Writes a JSON tree of about 1 MiB in canonical form, and with `JSONEncoder` and sorted keys.
struct CanonicalJob: Codable {
    var rounds: Int

    struct Result: Codable {
        var bytes: Int
        /// Seconds per document, one entry a round.
        var canonical: [Double]
        var encoder: [Double]
    }

    func run() throws -> Result {
        let tree = try MeroJSON.decode(JSONValue.self, from: DecodeJob.document())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = CanonicalJSON.data(tree)
        guard try MeroJSON.decode(JSONValue.self, from: text) == tree else {
            throw BenchError("the canonical text is another value's")
        }
        var result = Result(bytes: text.count, canonical: [], encoder: [])
        for _ in 0..<rounds {
            result.encoder.append(try DecodeJob.seconds(repeating: 1) { _ = try encoder.encode(tree) })
            result.canonical.append(DecodeJob.seconds(repeating: 10) { _ = CanonicalJSON.data(tree) })
        }
        return result
    }
}
