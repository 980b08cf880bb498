import Foundation

/// Why some bytes are not acceptable as JSON.
///
/// It names a place and never quotes the text, which may hold secrets.
package struct JSONSyntaxError: Error, Sendable, Equatable {
    /// What is wrong, in words for a person.
    package enum Kind: String, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "unexpected character"
        case trailingBytes = "more text after the value"
        case byteOrderMark = "a byte order mark is not allowed"
        case invalidUTF8 = "invalid UTF-8"
        case controlCharacter = "unescaped control character in a string"
        case invalidEscape = "invalid escape sequence"
        case loneSurrogate = "half of a surrogate pair"
        case tooDeep = "nested too deeply"
        case numberOutOfRange = "a number that cannot be represented"
        case notAnObject = "not an object"
    }

    /// What is wrong.
    package let kind: Kind
    /// Where the trouble is, counted in bytes from the start of the text.
    package let offset: Int

    /// An error made of its parts.
    package init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension JSONSyntaxError: LocalizedError {
    /// One line for a person.
    package var errorDescription: String? { "Invalid JSON at byte \(offset): \(kind.rawValue)" }
}
