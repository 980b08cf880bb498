import Foundation
import Testing

@testable import MeroKit

@Suite("Objects of the same keys")
struct JSONShapesTests {
    /// Texts of few key sets in turn, so that most objects are made from a kept shape, beside what a dictionary holds.
    @Test func objectsAreTheSameWithAndWithoutAShape() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed)
        let names = [
            "", "a", "b", "id", "key", "value", "contextId", "contextIe", "a rather long name of a member",
            "a rather long name of a memory", "é", "ключ", String(repeating: "x", count: 64),
            String(repeating: "y", count: 65),
        ]
        let sets = (0..<12).map { _ in
            (0..<Int.random(in: 1...6, using: &random)).map { _ in
                names[Int.random(in: 0..<names.count, using: &random)]
            }
        }
        for round in 0..<2_000 {
            let keys = sets[Int.random(in: 0..<sets.count, using: &random)]
            var expected: [String: JSONValue] = [:]
            var members: [String] = []
            for (index, key) in keys.enumerated() {
                let isText = Bool.random(using: &random)
                members.append("\"\(key)\":" + (isText ? "\"text \(index)\"" : "{\"id\":\(index),\"key\":[]}"))
                let value: JSONValue = isText ? .string("text \(index)") : ["id": .number(Double(index)), "key": []]
                // The first of equal keys stays.
                if expected[key] == nil { expected[key] = value }
            }
            let text = "[{\(members.joined(separator: ","))},{\(members.joined(separator: ","))}]"
            let value = try JSONValue(jsonBytes: Data(text.utf8))
            #expect(value == [.object(expected), .object(expected)], "seed \(seed), round \(round): \(text)")
            // Lookup goes by hash, so a value in another key's place would be found here.
            for (key, member) in expected {
                #expect(value.arrayValue?.last?[key] == member, "seed \(seed), round \(round)")
            }
        }
    }

    @Test func escapedKeysAreTheirTexts() throws {
        for _ in 0..<3 {
            #expect(try JSONValue(jsonBytes: Data(#"{"\u0061":1,"b":2}"#.utf8)) == ["a": 1, "b": 2])
            #expect(try JSONValue(jsonBytes: Data(#"{"a":1,"b":2}"#.utf8)) == ["a": 1, "b": 2])
        }
    }

    /// A copy of a kept dictionary must be as free as any other.
    @Test func objectsCanBeChanged() throws {
        let text = Data(#"{"a":1,"b":{"c":2}}"#.utf8)
        for round in 0..<4 {
            guard case .object(var members) = try JSONValue(jsonBytes: text) else { return #expect(Bool(false)) }
            members["a"] = .string("changed \(round)")
            members["new"] = true
            members.removeValue(forKey: "b")
            #expect(members == ["a": .string("changed \(round)"), "new": true])
            #expect(try JSONValue(jsonBytes: text) == ["a": 1, "b": ["c": 2]])
        }
    }

    @Test func manyThreadsAtOnce() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<500 {
                        let keys = (0...(number + round) % 4).map { "\"key \($0)\":\(round)" }.joined(separator: ",")
                        let value = try JSONValue(jsonBytes: Data("{\(keys)}".utf8))
                        #expect(value.objectValue?.count == (number + round) % 4 + 1)
                        #expect(value["key 0"]?.intValue == round)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
