import Foundation
import MeroKit

/// Decodes an answer of about 1 MiB into a JSON tree, with MeroKit's parser and with the usual `Codable` cascade.
struct DecodeJob: Codable {
    var rounds: Int

    struct Result: Codable {
        var bytes: Int
        /// Seconds per document, one entry a round.
        var parser: [Double]
        var cascade: [Double]
    }

    func run() throws -> Result {
        let document = Self.document()
        let expected = try JSONDecoder().decode(CascadeValue.self, from: document)
        guard CascadeValue(try MeroJSON.decode(JSONValue.self, from: document)) == expected else {
            throw BenchError("the two decoders read different values")
        }
        var result = Result(bytes: document.count, parser: [], cascade: [])
        for _ in 0..<rounds {
            result.cascade.append(
                try Self.seconds(repeating: 1) { _ = try JSONDecoder().decode(CascadeValue.self, from: document) })
            result.parser.append(
                try Self.seconds(repeating: 10) { _ = try MeroJSON.decode(JSONValue.self, from: document) })
        }
        return result
    }

    static func seconds(repeating count: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = monotonicSeconds()
        for _ in 0..<count { try body() }
        return (monotonicSeconds() - start) / Double(count)
    }

    /// A list of records as contracts return them: short strings, numbers, flags, nulls, small arrays and objects.
    static func document() -> Data {
        var records: [String] = []
        var length = 0
        while length < 1 << 20 {
            let index = records.count
            let record = """
                {"id":"\(String(repeating: "c", count: 24))\(index)","author":"réné","text":"line one\\nline \\"two\\" \
                and some more words to read \(index)","likes":\(index % 977),"score":\(Double(index) / 8),\
                "pinned":\(index % 3 == 0),"parent":null,"tags":["alpha","beta","gamma"],\
                "position":{"x":\(index % 640),"y":-\(index % 480),"z":1.5e-3}}
                """
            records.append(record)
            length += record.utf8.count + 1
        }
        let output = records.joined(separator: ",")
        return Data(#"{"jsonrpc":"2.0","id":1,"result":{"output":[\#(output)]}}"#.utf8)
    }
}

/// How a JSON tree is usually made decodable: try one type after the other.
enum CascadeValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([CascadeValue])
    case object([String: CascadeValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([CascadeValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: CascadeValue].self))
        }
    }

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map(Self.init))
        case .object(let values): self = .object(values.mapValues(Self.init))
        }
    }
}
