import Foundation

/// A JSON text as a tree that loses nothing: numbers keep their digits, members their order, keys their exact bytes.
///
/// `JSONValue` is for apps. This is for what must survive unaltered on its way through: integers of any length, keys that
/// Swift holds for equal, arguments that are hashed.
package enum ExactJSON: Sendable {
    case null
    case bool(Bool)
    /// As the text spells it.
    case number(String)
    case string(String)
    case array([ExactJSON])
    /// In the order of the text. A key may repeat; its first member is the one that counts.
    case object([Member])

    /// A key and its value.
    package struct Member: Sendable {
        /// Without escapes.
        package let key: String
        /// Whatever stands behind the colon.
        package let value: ExactJSON

        /// A member made of its parts.
        package init(key: String, value: ExactJSON) {
            self.key = key
            self.value = value
        }
    }

    /// Parses one JSON text. Throws `JSONSyntaxError`.
    package init(jsonBytes: some ContiguousBytes) throws {
        self = try Self.parse(jsonBytes)
    }

    /// The member of an object, its key compared byte by byte.
    package subscript(key: String) -> ExactJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}

extension ExactJSON: JSONTree {
    static func number(of token: JSONNumberToken) -> ExactJSON? { .number(token.text) }

    static func object(
        keys: UnsafeMutableBufferPointer<JSONStringToken>, values: UnsafeMutableBufferPointer<ExactJSON>, _: JSONShapes
    ) -> ExactJSON {
        .object(keys.indices.map { Member(key: keys[$0].string, value: values.moveElement(from: $0)) })
    }
}
