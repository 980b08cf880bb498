import Foundation

extension Hex {
    /// Lower-case, two characters a byte.
    public static func encode(_ data: Data) -> String { encode(bytes: data) }

    /// The bytes of a field of known size. White space around it is dropped, either case is taken.
    ///
    /// Throws `AccountError.invalidInput`, which names the field and the wanted length and repeats nothing of the value.
    /// Spec: 50, section 1.2.
    public static func decode(_ text: String, label: String, bytes: Int) throws -> Data {
        // Nearly every field comes as it should be, and to look at characters costs much more than to look at bytes.
        if text.utf8.count == 2 * bytes, let decoded = decode(text) { return Data(decoded) }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.count == 2 * bytes else {
            throw AccountError.invalidInput("\(label) must be \(2 * bytes) hex characters, got \(trimmed.count)")
        }
        guard let decoded = decode(trimmed) else {
            throw AccountError.invalidInput(
                "\(label) must be \(2 * bytes) hex characters, got some that are not hexadecimal")
        }
        return Data(decoded)
    }

    /// The bytes of a field of any size, also none. Throws like `decode(_:label:bytes:)`.
    public static func decodeUnsized(_ text: String, label: String) throws -> Data {
        // A credential is hundreds of characters, which trimming would look at one by one.
        guard let decoded = decode(text) ?? decode(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw AccountError.invalidInput("\(label) must be hex characters, an even number of them")
        }
        return Data(decoded)
    }

    /// Whether the text is what an id or key is on the wire: 64 hex characters of either case, nothing around them.
    public static func is32(_ text: String) -> Bool { text.utf8.count == 64 && decode(text) != nil }

    /// A field of 32 bytes: an id, an account or a public key.
    package static func id(_ text: String, _ label: String) throws -> Data {
        try decode(text, label: label, bytes: 32)
    }
}
