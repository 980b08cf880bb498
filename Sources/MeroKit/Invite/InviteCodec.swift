import Foundation

/// Invitations as the short texts that people pass on: base58 of deflated JSON.
///
/// ```swift
/// let token = try InviteCodec.encode(invitation)
/// let again = try InviteCodec.decode(SignedGroupOpenInvitation.self, from: token)
/// ```
///
/// Two compressors make two tokens of one text; compare what they decode to. Spec: 50, section 17, and 70, section 10.2.
public enum InviteCodec {
    /// Bytes of a token; a real one has about 540, and base58 takes the square of the length in time.
    private static let tokenLimit = 16 << 10
    /// Bytes of JSON that a token may stand for.
    static let jsonLimit = 1 << 20

    static let unrecognizable = MeroError.decoding("not a recognizable invitation token")

    /// Base58 with the alphabet of Bitcoin; no bytes are an empty text.
    ///
    /// So are more than 11,702 bytes, which no token holds: the time grows with the square of their number.
    public static func base58Encode(_ data: Data) -> String { data.count <= byteLimit ? Base58.encode(data) : "" }

    /// Nil for a character that is not of the alphabet, and for more than 16,384 of them; an empty text is no bytes.
    public static func base58Decode(_ string: String) -> Data? { Base58.decode(string).map { Data($0) } }

    /// The token of a JSON object; nil when the text is none, or too large to be read back.
    public static func encode(json: String) -> String? {
        let bytes = Array(json.utf8)
        guard bytes.count <= jsonLimit, object(bytes) != nil, let stream = try? RawDeflate.deflate(bytes) else {
            return nil
        }
        guard stream.count <= byteLimit else { return nil }
        return Base58.encode(stream)
    }

    /// The JSON object that a token stands for; nil when it stands for none.
    ///
    /// Takes JSON itself, base58 of deflated or plain JSON, base64 (of either alphabet, padded or not) of plain JSON, and
    /// base64 of deflated JSON.
    public static func decode(token: String) -> String? {
        // Before it is looked at: what is pasted can be anything.
        guard token.utf8.count <= 2 * jsonLimit else { return nil }
        let token = token.trimmingCharacters(in: .whitespacesAndNewlines)
        if token.utf8.first == UInt8(ascii: "{") { return token.utf8.count <= jsonLimit ? token : nil }
        guard !token.isEmpty, token.utf8.count <= tokenLimit else { return nil }
        if let bytes = Base58.decode(token) {
            if let text = inflated(bytes) ?? object(bytes) { return text }
        }
        guard let bytes = Base64URL.decode(token) else { return nil }
        return object(bytes) ?? inflated(bytes)
    }

    /// The token of a value. Throws `MeroError.decoding` for one that is no JSON object, or too large.
    public static func encode<T: Encodable>(_ value: T) throws -> String {
        // Digit by digit, and with its members in order: an encoder leaves them as its dictionaries have them.
        var writer = JSONWriter()
        do {
            try writer.write(ExactJSON(jsonBytes: MeroJSON.encode(value)))
        } catch {
            throw MeroError.decoding("the invitation cannot be written as JSON")
        }
        guard let token = encode(json: String(decoding: writer.bytes, as: UTF8.self)) else {
            throw MeroError.decoding("the invitation is no JSON object, or too large for a token")
        }
        return token
    }

    /// The value that a token stands for. Throws `MeroError.decoding`.
    public static func decode<T: Decodable>(_ type: T.Type, from token: String) throws -> T {
        guard let json = decode(token: token) else { throw unrecognizable }
        do {
            return try MeroJSON.decode(type, from: Data(json.utf8))
        } catch {
            throw MeroError.decoding("the invitation token holds something else")
        }
    }

    /// Bytes that a token holds, one of which takes less than 1.4 characters.
    private static let byteLimit = tokenLimit * 5 / 7

    private static func inflated(_ bytes: [UInt8]) -> String? {
        (try? RawDeflate.inflate(bytes, limit: jsonLimit)).flatMap(object)
    }

    /// The text, if it is UTF-8 and begins like a JSON object.
    private static func object(_ bytes: [UInt8]) -> String? {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
        guard bytes.first(where: { !blanks.contains($0) }) == UInt8(ascii: "{") else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding repairs what is no UTF-8, and then the bytes differ.
        return text.utf8.elementsEqual(bytes) ? text : nil
    }
}
