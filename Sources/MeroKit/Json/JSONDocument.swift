import Foundation

/// The text that a `JSONDecoder` is working on, for a `JSONValue` somewhere inside it.
///
/// A `JSONValue` has to ask a decoder for one type after the other, and every refusal is a thrown error: about a tenth
/// of the speed of the parser. So `MeroJSON.decode` leaves the text here, and the first `JSONValue` that comes up has it
/// parsed as a whole; each then takes its part by the path that it stands at.
final class JSONDocument: Sendable {
    private static let key = CodingUserInfoKey(rawValue: "network.calimero.merokit.document")

    private let data: Data
    private let content = Locked(Content.unread)

    private enum Content {
        case unread
        case read(Result<JSONValue, any Error>)
    }

    private init(_ data: Data) { self.data = data }

    /// Lets the `JSONValue`s inside `data` be found while `decoder` works on it.
    static func attach(_ data: Data, to decoder: JSONDecoder) {
        if let key { decoder.userInfo[key] = JSONDocument(data) }
    }

    /// The value that the decoder stands at. Nil when there is no text at hand, or the path does not lead anywhere in it.
    ///
    /// Throws `DecodingError` for a text that the parser refuses, be it only for a number that no double holds: to ask the
    /// decoder after all would go as deep into the stack as the text is nested.
    static func value(at decoder: any Decoder) throws -> JSONValue? {
        guard let key, let document = decoder.userInfo[key] as? JSONDocument else { return nil }
        var value: JSONValue
        do {
            value = try document.root()
        } catch {
            throw DecodingError.unreadable(error, at: decoder.codingPath)
        }
        for step in decoder.codingPath {
            switch value {
            case .object(let members):
                guard let member = members[step.stringValue] else { return nil }
                value = member
            case .array(let elements):
                guard let index = step.intValue, elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return confirm(value, at: decoder) ? .some(value) : .none
    }

    /// A type that decodes a text inside the text, and hands its `userInfo` on to the decoder for that, makes paths that
    /// mean another document. So what was found has to look like what the decoder stands at.
    private static func confirm(_ value: JSONValue, at decoder: any Decoder) -> Bool {
        switch value {
        case .array(let elements): return (try? decoder.unkeyedContainer())?.count == elements.count
        case .object(let members):
            return (try? decoder.container(keyedBy: AnyKey.self))?.allKeys.count == members.count
        default: break
        }
        guard let container = try? decoder.singleValueContainer() else { return false }
        switch value {
        case .bool(let flag): return (try? container.decode(Bool.self)) == flag
        case .number(let number): return (try? container.decode(Double.self)) == number
        case .string(let text): return (try? container.decode(String.self)) == text
        default: return container.decodeNil()
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Parsed when it is first asked for, which most documents never are.
    private func root() throws -> JSONValue {
        try content.withLock { content in
            if case .read(let result) = content { return try result.get() }
            let result = Result { try JSONValue(jsonBytes: data) }
            content = .read(result)
            return try result.get()
        }
    }
}
