#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    extension Parser {
        static func json(_ corpus: Corpus) -> [Parser] {
            [
                Parser("json-value") { mutator in
                    let input = mutator.pick(corpus.trees).spoilt(&mutator)
                    return try await reading({ $0 is JSONSyntaxError }) {
                        try readersAgree(input)
                        let value = try JSONValue(jsonBytes: input)
                        // What was read can be written, and is read as the same.
                        let text = try JSONWriter.bytes(of: value)
                        try Finding.require(
                            try JSONValue(jsonBytes: text) == value, "another value when written and read")
                        _ = (value.description, value["data"]?.intValue, value.arrayValue?.count)
                    }
                },
                Parser("json-bytes") { mutator in
                    let tree = mutator.pick(corpus.trees).spoilt(&mutator)
                    let input = mutator.spoil(tree, with: mutator.pick(corpus.trees).spoilt(&mutator))
                    return try await reading({ $0 is JSONSyntaxError }) {
                        try readersAgree(input)
                        _ = try JSONValue(jsonBytes: input)
                    }
                },
                Parser("json-codable") { mutator in
                    let input = Data(mutator.pick(corpus.trees).spoilt(&mutator))
                    return try await reading({ $0 is DecodingError || $0 is JSONSyntaxError || $0 is EncodingError }) {
                        let raw = try MeroJSON.decode(Held.self, from: input)
                        let again = try MeroJSON.decode(Held.self, from: MeroJSON.encode(raw))
                        try Finding.require(raw == again, "another value when encoded and decoded")
                    }
                },
                Parser("json-canonical") { mutator in
                    let input = mutator.pick(corpus.trees).spoilt(&mutator)
                    return try await reading({ $0 is JSONSyntaxError || $0 is JSONWritingError }) {
                        let canonical = try CanonicalJSON.data(ofText: input)
                        let again = try CanonicalJSON.data(ofText: canonical)
                        try Finding.require(canonical == again, "the canonical form has another canonical form")
                        let value = CanonicalJSON.data(try JSONValue(jsonBytes: input))
                        let valueAgain = CanonicalJSON.data(try JSONValue(jsonBytes: value))
                        try Finding.require(value == valueAgain, "the canonical form of a value has another")
                    }
                },
                Parser("json-raw") { mutator in
                    let input = mutator.pick(corpus.trees).spoilt(&mutator)
                    let text = String(decoding: input, as: UTF8.self)
                    return try await reading({ $0 is MeroError || $0 is JSONSyntaxError || $0 is DecodingError }) {
                        let raw = try RawJSON(text)
                        let again = try MeroJSON.decode(RawJSON.self, from: MeroJSON.encode(raw))
                        try Finding.require(raw == again, "another raw text when encoded and decoded")
                    }
                },
            ]
        }

        /// Four readers of the same grammar, which must take the same texts.
        private static func readersAgree(_ input: [UInt8]) throws {
            let value = (try? JSONValue(jsonBytes: input)) != nil
            let exact = (try? ExactJSON(jsonBytes: input)) != nil
            let members = try? JSONMembers(Data(input), paths: [["data"], ["data", "error"], ["error"]])
            let isObject = input.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
            // Numbers that no double holds are refused by the one and kept by the other.
            try Finding.require(!value || exact, "a value, and no exact value")
            try Finding.require(!isObject || exact == (members != nil), "members: \(members != nil), exact: \(exact)")
            try input.withUnsafeBytes { bytes in
                guard UTF8Validation.firstInvalidOffset(in: bytes) == nil else {
                    return try Finding.require(!exact, "a value in no UTF-8")
                }
                var cursor = JSONCursor(bytes)
                cursor.skip()
                try Finding.require(cursor.isAtEnd == value, "cursor: \(cursor.isAtEnd), value: \(value)")
            }
        }

        private struct Held: Codable, Equatable {
            let data: JSONValue?
            let error: RawJSON?
            let groupId: String?
            let id: UInt64?
            let list: [JSONValue]?
        }
    }
#endif
