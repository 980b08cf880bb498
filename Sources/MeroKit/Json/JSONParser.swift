/// What a parser reports while it walks through a text, in the order of the text.
///
/// Offsets are where the value's first byte stands, or one past its last.
protocol JSONHandler {
    mutating func null(from start: Int, to end: Int)
    mutating func bool(_ value: Bool, from start: Int, to end: Int)
    mutating func number(_ token: JSONNumberToken, from start: Int, to end: Int) throws(JSONSyntaxError)
    /// Several elements of an array at once, each with the comma behind it: `123,34,107,`.
    mutating func naturals(_ text: UnsafeRawBufferPointer, from start: Int) throws(JSONSyntaxError)
    mutating func string(_ token: JSONStringToken, from start: Int, to end: Int)
    mutating func key(_ token: JSONStringToken)
    mutating func beginObject(at start: Int)
    mutating func endObject(at end: Int)
    mutating func beginArray(at start: Int)
    mutating func endArray(at end: Int)
}

/// The one JSON parser of the package: strict RFC 8259 over bytes.
///
/// It builds nothing itself; a handler makes of its reports what it needs (a `JSONValue`, an exact tree, the place of one
/// member). It keeps its own stack, so that no text, however deeply nested, can exhaust the thread's. What it refuses
/// beyond the grammar: nesting above `maximumDepth`, half surrogate pairs, a byte order mark.
struct JSONParser {
    /// As Foundation's decoder has it.
    static let maximumDepth = 512

    private let bytes: UnsafeRawBufferPointer
    private var index = 0
    private var containers = JSONContainers()

    /// Walks through one whole text.
    ///
    /// - Parameter isChecked: The bytes are known to be UTF-8.
    static func parse(
        _ bytes: UnsafeRawBufferPointer, isChecked: Bool = false, into handler: inout some JSONHandler
    ) throws(JSONSyntaxError) {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw JSONSyntaxError(.byteOrderMark, at: 0)
        }
        if !isChecked, let offset = UTF8Validation.firstInvalidOffset(in: bytes) {
            throw JSONSyntaxError(.invalidUTF8, at: offset)
        }
        var parser = JSONParser(bytes: bytes)
        try parser.run(&handler)
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private mutating func run(_ handler: inout some JSONHandler) throws(JSONSyntaxError) {
        repeat {
            // A value is due here.
            let first = try nextToken()
            let start = index
            switch first {
            case UInt8(ascii: "{"):
                try push(isObject: true)
                handler.beginObject(at: start)
                if try nextToken() == UInt8(ascii: "}") { break }
                try key(&handler)
                continue
            case UInt8(ascii: "["):
                try push(isObject: false)
                handler.beginArray(at: start)
                if try nextToken() == UInt8(ascii: "]") { break }
                let run = index..<NaturalNumbers.end(in: bytes, from: index, to: bytes.count)
                if !run.isEmpty {
                    try handler.naturals(UnsafeRawBufferPointer(rebasing: bytes[run]), from: index)
                    index = run.upperBound
                }
                continue
            case UInt8(ascii: "\""):
                let token = try string()
                handler.string(token, from: start, to: index)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let token = try number()
                try handler.number(token, from: start, to: index)
            case UInt8(ascii: "t"):
                try literal("true")
                handler.bool(true, from: start, to: index)
            case UInt8(ascii: "f"):
                try literal("false")
                handler.bool(false, from: start, to: index)
            case UInt8(ascii: "n"):
                try literal("null")
                handler.null(from: start, to: index)
            default:
                throw JSONSyntaxError(.unexpectedByte, at: index)
            }
            try afterValue(&handler)
        } while !containers.isEmpty

        skipWhitespace()
        if index < bytes.count { throw JSONSyntaxError(.trailingBytes, at: index) }
    }

    /// Closes what ends here, and steps over the comma (and the next key) when there is another value to come.
    private mutating func afterValue(_ handler: inout some JSONHandler) throws(JSONSyntaxError) {
        while let isObject = containers.innermostIsObject {
            switch try nextToken() {
            case UInt8(ascii: ","):
                index += 1
                if isObject {
                    _ = try nextToken()
                    try key(&handler)
                }
                return
            case UInt8(ascii: "}") where isObject:
                index += 1
                containers.pop()
                handler.endObject(at: index)
            case UInt8(ascii: "]") where !isObject:
                index += 1
                containers.pop()
                handler.endArray(at: index)
            default:
                throw JSONSyntaxError(.unexpectedByte, at: index)
            }
        }
    }

    private mutating func push(isObject: Bool) throws(JSONSyntaxError) {
        guard containers.push(isObject: isObject) else { throw JSONSyntaxError(.tooDeep, at: index) }
        index += 1
    }

    private mutating func key(_ handler: inout some JSONHandler) throws(JSONSyntaxError) {
        guard bytes[index] == UInt8(ascii: "\"") else { throw JSONSyntaxError(.unexpectedByte, at: index) }
        handler.key(try string())
        guard try nextToken() == UInt8(ascii: ":") else { throw JSONSyntaxError(.unexpectedByte, at: index) }
        index += 1
    }

    private mutating func skipWhitespace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    /// The next byte that is no white space; it is not consumed.
    private mutating func nextToken() throws(JSONSyntaxError) -> UInt8 {
        // Mostly there is none.
        if index < bytes.count, bytes[index] > 0x20 { return bytes[index] }
        skipWhitespace()
        guard index < bytes.count else { throw JSONSyntaxError(.unexpectedEnd, at: index) }
        return bytes[index]
    }

    private mutating func literal(_ text: StaticString) throws(JSONSyntaxError) {
        for offset in 0..<text.utf8CodeUnitCount {
            guard index + offset < bytes.count else { throw JSONSyntaxError(.unexpectedEnd, at: bytes.count) }
            guard bytes[index + offset] == text.utf8Start[offset] else {
                throw JSONSyntaxError(.unexpectedByte, at: index + offset)
            }
        }
        index += text.utf8CodeUnitCount
    }
}

// MARK: - Strings

extension JSONParser {
    private mutating func string() throws(JSONSyntaxError) -> JSONStringToken {
        index += 1
        let start = index
        var hasEscapes = false
        while true {
            skipPlainCharacters()
            guard index < bytes.count else { throw JSONSyntaxError(.unexpectedEnd, at: index) }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let content = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
                index += 1
                return JSONStringToken(bytes: content, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape()
            default:
                throw JSONSyntaxError(.controlCharacter, at: index)
            }
        }
    }

    /// Steps to the next quote, backslash or control character, eight bytes at a time.
    private mutating func skipPlainCharacters() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // A borrow can only mark bytes above a true match, so the lowest mark is always a true one.
            let marks =
                ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word)
                & highBits
            if marks != 0 {
                index += marks.trailingZeroBitCount / 8
                return
            }
            index += 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
            index += 1
        }
    }

    /// Steps over one escape sequence, a surrogate pair being one.
    private mutating func escape() throws(JSONSyntaxError) {
        let start = index
        guard index + 1 < bytes.count else { throw JSONSyntaxError(.unexpectedEnd, at: bytes.count) }
        index += 2
        switch bytes[index - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            let unit = try hexUnit()
            guard unit & 0xF800 == 0xD800 else { return }
            guard unit & 0xFC00 == 0xD800, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
                bytes[index + 1] == UInt8(ascii: "u")
            else { throw JSONSyntaxError(.loneSurrogate, at: start) }
            index += 2
            guard try hexUnit() & 0xFC00 == 0xDC00 else { throw JSONSyntaxError(.loneSurrogate, at: start) }
        default:
            throw JSONSyntaxError(.invalidEscape, at: start)
        }
    }

    private mutating func hexUnit() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard index < bytes.count else { throw JSONSyntaxError(.unexpectedEnd, at: index) }
            guard let digit = JSONStringToken.hexDigit(bytes[index]) else {
                throw JSONSyntaxError(.invalidEscape, at: index)
            }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }
}

// MARK: - Numbers

extension JSONParser {
    private mutating func number() throws(JSONSyntaxError) -> JSONNumberToken {
        let start = index
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }

        var digits = DigitCollector()
        if index < bytes.count, bytes[index] == UInt8(ascii: "0") {
            // Nothing may follow a leading zero; a digit after it is refused as trailing text or a missing comma.
            index += 1
        } else {
            try scanDigits { digits.append($0) }
        }

        var exponent = 0
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            let fraction = index
            try scanDigits { digits.append($0) }
            exponent = fraction - index
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            var isDown = false
            if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
                isDown = bytes[index] == UInt8(ascii: "-")
                index += 1
            }
            var written = 0
            // Beyond this every number is zero or too large, whatever digits it has in a text that fits in memory.
            try scanDigits { if written < 1 << 48 { written = written * 10 + Int($0) } }
            exponent += isDown ? -written : written
        }
        return JSONNumberToken(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<index]), isNegative: isNegative,
            significand: digits.significand, exponent: exponent)
    }

    /// One digit at least.
    @inline(__always)
    private mutating func scanDigits(_ digit: (UInt8) -> Void) throws(JSONSyntaxError) {
        let start = index
        while index < bytes.count {
            let value = bytes[index] &- UInt8(ascii: "0")
            if value > 9 { break }
            digit(value)
            index += 1
        }
        if index == start {
            throw JSONSyntaxError(index < bytes.count ? .unexpectedByte : .unexpectedEnd, at: index)
        }
    }

    /// Up to nineteen digits fit in 64 bits, leading zeros aside.
    private struct DigitCollector {
        private var value: UInt64 = 0
        private var count = 0

        var significand: UInt64? { count <= 19 ? value : nil }

        mutating func append(_ digit: UInt8) {
            if value != 0 || digit != 0 { count += 1 }
            value = value &* 10 &+ UInt64(digit)
        }
    }
}
