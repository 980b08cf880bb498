/// Why a text is not JSON, with the place as a person counts it.
struct JsonSyntaxProblem: Error, Sendable, Equatable, CustomStringConvertible {
    var reason: String
    var line: Int
    var column: Int

    var description: String { "\(reason) at line \(line) column \(column)" }
}

/// A strict parser over bytes (RFC 8259, nesting up to 128, well-formed UTF-8 only).
struct JsonParser {
    /// The node's own parser stops here, too.
    static let depthLimit = 128

    static func parse(_ bytes: some Collection<UInt8>) throws -> JsonTree {
        if let tree = try bytes.withContiguousStorageIfAvailable({ try parse(buffer: $0) }) { return tree }
        return try Array(bytes).withUnsafeBufferPointer { try parse(buffer: $0) }
    }

    private static func parse(buffer: UnsafeBufferPointer<UInt8>) throws -> JsonTree {
        var parser = JsonParser(bytes: buffer)
        let tree = try parser.value(depth: 0)
        parser.skipSpace()
        if parser.position < buffer.count { throw parser.problem("trailing characters", after: 1) }
        return tree
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private func problem(_ reason: String, after: Int = 0) -> JsonSyntaxProblem {
        var line = 1
        var column = 0
        for index in 0..<min(position + after, bytes.count) {
            if bytes[index] == UInt8(ascii: "\n") {
                line += 1
                column = 0
            } else {
                column += 1
            }
        }
        return JsonSyntaxProblem(reason: reason, line: line, column: column)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0a, 0x0d: position += 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws -> JsonTree {
        skipSpace()
        guard let first = current else { throw problem("EOF while parsing a value") }
        switch first {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw problem("expected value", after: 1)
        }
    }

    private mutating func word(_ text: StaticString, _ tree: JsonTree) throws -> JsonTree {
        for index in 0..<text.utf8CodeUnitCount {
            guard let byte = current else { throw problem("EOF while parsing a value") }
            guard byte == text.utf8Start[index] else { throw problem("expected ident", after: 1) }
            position += 1
        }
        return tree
    }

    private mutating func object(depth: Int) throws -> JsonTree {
        if depth > Self.depthLimit { throw problem("recursion limit exceeded", after: 1) }
        position += 1
        var members: [JsonMember] = []
        skipSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        while true {
            skipSpace()
            guard let quote = current else { throw problem("EOF while parsing an object") }
            guard quote == UInt8(ascii: "\"") else {
                throw problem(quote == UInt8(ascii: "}") ? "trailing comma" : "key must be a string", after: 1)
            }
            let name = try string()
            skipSpace()
            guard let colon = current else { throw problem("EOF while parsing an object") }
            guard colon == UInt8(ascii: ":") else { throw problem("expected `:`", after: 1) }
            position += 1
            members.append(JsonMember(name: name, value: try value(depth: depth)))
            skipSpace()
            guard let next = current else { throw problem("EOF while parsing an object") }
            if next == UInt8(ascii: "}") {
                position += 1
                return .object(members)
            }
            guard next == UInt8(ascii: ",") else { throw problem("expected `,` or `}`", after: 1) }
            position += 1
        }
    }

    private mutating func array(depth: Int) throws -> JsonTree {
        if depth > Self.depthLimit { throw problem("recursion limit exceeded", after: 1) }
        position += 1
        var items: [JsonTree] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return .array(items)
        }
        while true {
            skipSpace()
            if current == UInt8(ascii: "]") { throw problem("trailing comma", after: 1) }
            if current == nil { throw problem("EOF while parsing a list") }
            items.append(try value(depth: depth))
            skipSpace()
            guard let next = current else { throw problem("EOF while parsing a list") }
            if next == UInt8(ascii: "]") {
                position += 1
                return .array(items)
            }
            guard next == UInt8(ascii: ",") else { throw problem("expected `,` or `]`", after: 1) }
            position += 1
        }
    }

    private mutating func number() throws -> JsonTree {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        guard let first = current else { throw problem("EOF while parsing a value") }
        if first == UInt8(ascii: "0") {
            position += 1
            if let next = current, isDigit(next) { throw problem("invalid number", after: 1) }
        } else {
            try digits()
        }
        var isPlain = true
        if current == UInt8(ascii: ".") {
            position += 1
            isPlain = false
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            isPlain = false
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        if !isPlain || text.utf8.count > 300 {
            guard let double = Double(text), double.isFinite else { throw problem("number out of range") }
        }
        return .number(text)
    }

    private mutating func digits() throws {
        guard let first = current else { throw problem("EOF while parsing a value") }
        guard isDigit(first) else { throw problem("invalid number", after: 1) }
        while let byte = current, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private mutating func string() throws -> String {
        position += 1
        let start = position
        var isASCII = true
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = try utf8(start..<position, isASCII: isASCII)
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw controlCharacter() }
            if byte >= 0x80 { isASCII = false }
            position += 1
        }
        throw problem("EOF while parsing a string")
    }

    private func controlCharacter() -> JsonSyntaxProblem {
        problem("control character (\\u0000-\\u001F) found while parsing a string", after: 1)
    }

    private func utf8(_ range: Range<Int>, isASCII: Bool) throws -> String {
        let slice = UnsafeBufferPointer(rebasing: bytes[range])
        let text = String(decoding: slice, as: UTF8.self)
        // Repairing changes the bytes, so equality proves that there was nothing to repair.
        guard isASCII || text.utf8.elementsEqual(slice) else { throw problem("invalid unicode code point") }
        return text
    }

    private mutating func escapedString(from start: Int) throws -> String {
        var output = Array(bytes[start..<position])
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let text = String(decoding: output, as: UTF8.self)
                guard text.utf8.elementsEqual(output) else { throw problem("invalid unicode code point") }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &output)
            case 0..<0x20:
                throw controlCharacter()
            default:
                output.append(byte)
                position += 1
            }
        }
        throw problem("EOF while parsing a string")
    }

    private mutating func escape(into output: inout [UInt8]) throws {
        guard let byte = current else { throw problem("EOF while parsing a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(byte)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0c)
        case UInt8(ascii: "n"): output.append(0x0a)
        case UInt8(ascii: "r"): output.append(0x0d)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try hexQuad())
            if (0xdc00...0xdfff).contains(code) { throw problem("lone leading surrogate in hex escape") }
            if (0xd800...0xdbff).contains(code) {
                guard current == UInt8(ascii: "\\") else { throw problem("unexpected end of hex escape") }
                position += 1
                guard current == UInt8(ascii: "u") else { throw problem("unexpected end of hex escape") }
                position += 1
                let low = UInt32(try hexQuad())
                guard (0xdc00...0xdfff).contains(low) else { throw problem("lone leading surrogate in hex escape") }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw problem("invalid unicode code point") }
            output.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: throw problem("invalid escape")
        }
    }

    private mutating func hexQuad() throws -> UInt16 {
        var code: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw problem("EOF while parsing a string") }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw problem("invalid escape", after: 1)
            }
            code = code << 4 | UInt16(digit)
            position += 1
        }
        return code
    }
}
