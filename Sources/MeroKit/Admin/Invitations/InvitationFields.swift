/// The key of any field.
struct InvitationKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// Reads an invitation, and what it says beyond the known fields.
///
/// Everything that goes wrong is `MeroError.decoding`.
struct InvitationFields {
    private let container: KeyedDecodingContainer<InvitationKey>
    private let subject: String
    /// The fields that have found their place.
    private var taken: Set<String> = []

    init(_ decoder: any Decoder, of subject: String) throws {
        self.subject = subject
        do {
            container = try decoder.container(keyedBy: InvitationKey.self)
        } catch {
            throw MeroError.decoding("the \(subject) is no object")
        }
    }

    mutating func required<Value: Decodable>(_ name: String) throws -> Value {
        guard let value: Value = try optional(name) else { throw MeroError.decoding("the \(subject) has no \(name)") }
        return value
    }

    /// A `null` is left for `rest()`, so that it comes out again as it came in.
    mutating func optional<Value: Decodable>(_ name: String) throws -> Value? {
        let value: Value?
        do {
            value = try container.decodeIfPresent(Value.self, forKey: InvitationKey(name))
        } catch let error as MeroError {
            throw error
        } catch {
            throw MeroError.decoding("the \(subject) has something else as \(name) than it should")
        }
        if value != nil { taken.insert(name) }
        return value
    }

    /// An empty list is left for `rest()`, because an absent one looks the same.
    mutating func list(_ name: String) throws -> [String] {
        let values: [String] = try optional(name) ?? []
        if values.isEmpty { taken.remove(name) }
        return values
    }

    /// An empty text likewise.
    mutating func text(_ name: String) throws -> String {
        let text: String = try optional(name) ?? ""
        if text.isEmpty { taken.remove(name) }
        return text
    }

    /// All fields that were not taken.
    func rest() throws -> [String: JSONValue] {
        var rest: [String: JSONValue] = [:]
        for key in container.allKeys where !taken.contains(key.stringValue) {
            do {
                rest[key.stringValue] = try container.decode(UnalteredJSON.self, forKey: key).value
            } catch {
                throw MeroError.decoding("\(key.stringValue) of the \(subject) cannot be kept as it is")
            }
        }
        return rest
    }
}

/// Writes an invitation's fields, the known ones first.
struct InvitationWriter {
    private var container: KeyedEncodingContainer<InvitationKey>
    private var rest: [String: JSONValue]

    init(_ encoder: any Encoder, passthrough: [String: JSONValue]) {
        container = encoder.container(keyedBy: InvitationKey.self)
        rest = passthrough
    }

    mutating func write(_ value: (some Encodable)?, _ name: String) throws {
        guard let value else { return }
        rest[name] = nil
        try container.encode(value, forKey: InvitationKey(name))
    }

    mutating func finish() throws {
        for (name, value) in rest { try container.encode(value, forKey: InvitationKey(name)) }
    }
}

/// A JSON value in which no number lost anything.
private struct UnalteredJSON: Decodable {
    let value: JSONValue

    /// What a double holds exactly.
    private static let limit = 9_007_199_254_740_992.0

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let flag = try? container.decode(Bool.self) {
            value = .bool(flag)
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let number = try? container.decode(Double.self) {
            // 2^53 itself is what 2^53 + 1 is rounded to, so it is kept only where it can be told from that.
            guard number.magnitude < Self.limit || (try? container.decode(Int64.self)).map(Self.isKept) == true else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "an integer beyond 2^53")
            }
            value = .number(number)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(UnalteredJSON.self).value) }
            value = .array(array)
        } else {
            let members = try decoder.container(keyedBy: InvitationKey.self)
            var object: [String: JSONValue] = [:]
            for key in members.allKeys {
                object[key.stringValue] = try members.decode(UnalteredJSON.self, forKey: key).value
            }
            value = .object(object)
        }
    }

    private static func isKept(_ integer: Int64) -> Bool { integer.magnitude <= UInt64(limit) }
}
