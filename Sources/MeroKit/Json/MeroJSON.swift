import Foundation

/// JSON as the SDK reads and writes it.
///
/// No key or date strategy is set: every type spells its own keys. Integers are exact to 64 bits in typed values;
/// `JSONValue` keeps numbers as `Double`. Spec: 10, section 2.1.
public enum MeroJSON {
    /// A plain `JSONEncoder`, a new one each time.
    public static var encoder: JSONEncoder { JSONEncoder() }

    /// A plain `JSONDecoder`, a new one each time.
    public static var decoder: JSONDecoder { JSONDecoder() }

    /// The JSON text of a value. Throws `EncodingError`, e.g. for NaN, and for a `JSONValue` more
    /// than 512 levels deep.
    ///
    /// A `JSONValue`, an array or dictionary of them, and a dictionary of strings are written with their keys in order and
    /// by the package's own writer; a `RawJSON` as it stands; all else by `JSONEncoder`.
    public static func encode<T: Encodable>(_ value: T) throws -> Data {
        if let raw = value as? RawJSON { return Data(raw.text.utf8) }
        // What the compiler makes of a literal like `["key": "colour"]`. Asked this way, since a cast would convert any
        // dictionary key by key.
        if T.self == [String: String].self, let strings = value as? [String: String] {
            return Data(try JSONWriter.bytes(of: .object(strings.mapValues { .string($0) })))
        }
        guard let tree = (value as? any JSONValueConvertible)?.jsonValue else { return try encoder.encode(value) }
        do {
            return Data(try JSONWriter.bytes(of: tree))
        } catch {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: error.localizedDescription, underlyingError: error)
            throw EncodingError.invalidValue(value, context)
        }
    }

    /// Reads a JSON text. Throws `DecodingError`.
    ///
    /// A `JSONValue`, and an array or dictionary of them, is read by the package's own parser, which is more than ten
    /// times as fast there; a `RawJSON` is kept as it stands; all else by `JSONDecoder`.
    public static func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        if type == RawJSON.self, let raw = try rawJSON(data) as? T { return raw }
        if let treeType = type as? any JSONValueConvertible.Type {
            let tree = try parse(data)
            if let value = treeType.init(jsonValue: tree) as? T { return value }
            let context = DecodingError.Context(
                codingPath: [], debugDescription: "Another kind of JSON value was found")
            throw DecodingError.typeMismatch(type, context)
        }
        let decoder = decoder
        JSONDocument.attach(data, to: decoder)
        return try decoder.decode(type, from: data)
    }

    private static func parse(_ data: Data) throws -> JSONValue { try decoding { try JSONValue(jsonBytes: data) } }

    private static func rawJSON(_ data: Data) throws -> RawJSON { try decoding { try RawJSON(bytes: data) } }

    private static func decoding<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch {
            throw DecodingError.unreadable(error, at: [])
        }
    }
}

extension DecodingError {
    /// What the parser says, as Foundation's decoder would say it.
    static func unreadable(_ error: any Error, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            Context(codingPath: path, debugDescription: error.localizedDescription, underlyingError: error))
    }
}

/// The types that are nothing but a `JSONValue` in another dress.
private protocol JSONValueConvertible {
    init?(jsonValue: JSONValue)
    var jsonValue: JSONValue { get }
}

extension JSONValue: JSONValueConvertible {
    fileprivate init?(jsonValue: JSONValue) { self = jsonValue }
    fileprivate var jsonValue: JSONValue { self }
}

extension Optional: JSONValueConvertible where Wrapped == JSONValue {
    fileprivate init?(jsonValue: JSONValue) { self = jsonValue == .null ? .none : .some(jsonValue) }
    fileprivate var jsonValue: JSONValue { self ?? .null }
}

extension Array: JSONValueConvertible where Element == JSONValue {
    fileprivate init?(jsonValue: JSONValue) {
        guard case .array(let elements) = jsonValue else { return nil }
        self = elements
    }
    fileprivate var jsonValue: JSONValue { .array(self) }
}

extension Dictionary: JSONValueConvertible where Key == String, Value == JSONValue {
    fileprivate init?(jsonValue: JSONValue) {
        guard case .object(let members) = jsonValue else { return nil }
        self = members
    }
    fileprivate var jsonValue: JSONValue { .object(self) }
}
