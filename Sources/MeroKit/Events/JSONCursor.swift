import Foundation

/// Walks over a JSON text and leaves out what nobody asks for.
///
/// `JSONParser` reports every value that it meets, and a large event is tens of thousands of them: numbers that each
/// stand for one byte. The cursor is asked for one member after the other instead, and steps over a value as fast as it
/// can be checked. The grammar is the parser's, to the byte: what the cursor lets pass, the parser can turn into a
/// `JSONValue`. UTF-8 is not checked here.
///
/// ```swift
/// var cursor = JSONCursor(bytes)
/// cursor.enterObject()
/// while let key = cursor.nextKey() {
///     if key.equals("type") { kind = cursor.string() } else { cursor.skip() }
/// }
/// guard cursor.isAtEnd else { return nil }
/// ```
struct JSONCursor {
    let bytes: UnsafeRawBufferPointer
    private let end: Int
    private var index: Int
    private var containers = JSONContainers()
    /// A container was just entered, so that its first value needs no comma before it.
    private var isAtStart = false
    /// Something was found that is no JSON, or not what was asked for. Then there are no more members.
    private(set) var hasFailed = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(bytes, in: 0..<bytes.count)
    }

    /// Over a part of `bytes`; offsets stay those of the whole.
    init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
        let range = range.clamped(to: 0..<bytes.count)
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    /// True when everything was walked over, all of it JSON, with every container left again.
    var isAtEnd: Bool {
        mutating get {
            skipWhitespace()
            return !hasFailed && containers.isEmpty && index == end
        }
    }

    /// What kind of value comes next, by its first byte; 0 where the text ends.
    var nextByte: UInt8 {
        mutating get {
            skipWhitespace()
            return index < end ? bytes[index] : 0
        }
    }

    /// Where the cursor stands. Right behind a call of `nextByte` that is where the next value begins.
    var offset: Int { index }

    // MARK: JSONContainers

    mutating func enterObject() { enter(UInt8(ascii: "{"), isObject: true) }
    mutating func enterArray() { enter(UInt8(ascii: "["), isObject: false) }

    private mutating func enter(_ bracket: UInt8, isObject: Bool) {
        guard !hasFailed, nextByte == bracket, containers.push(isObject: isObject) else { return fail() }
        index += 1
        isAtStart = true
    }

    /// Steps over a key, so that its value comes next. Nil where the object ends; then it has been left.
    mutating func nextKey() -> JSONStringToken? {
        guard advance(toObject: true) else { return nil }
        guard nextByte == UInt8(ascii: "\""), let key = skipString(), nextByte == UInt8(ascii: ":") else {
            fail()
            return nil
        }
        index += 1
        return key
    }

    /// Steps to the next element. False where the array ends; then it has been left.
    mutating func nextElement() -> Bool { advance(toObject: false) }

    private mutating func advance(toObject isObject: Bool) -> Bool {
        guard !hasFailed, containers.innermostIsObject == isObject else {
            fail()
            return false
        }
        let isFirst = isAtStart
        isAtStart = false
        switch nextByte {
        case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"):
            index += 1
            containers.pop()
            return false
        case UInt8(ascii: ",") where !isFirst:
            index += 1
            return true
        default:
            if !isFirst { fail() }
            return isFirst
        }
    }

    private mutating func fail() { hasFailed = true }

    // MARK: Values

    /// Steps over the value that comes next. Returns where it stands, nil when it is no JSON.
    @discardableResult
    mutating func skip() -> Range<Int>? {
        guard !hasFailed else { return nil }
        skipWhitespace()
        let start = index
        guard skipValue() else {
            fail()
            return nil
        }
        return start..<index
    }

    /// Steps over the value that comes next. Returns it when it is a string.
    mutating func string() -> JSONStringToken? {
        guard !hasFailed else { return nil }
        guard nextByte == UInt8(ascii: "\"") else {
            skip()
            return nil
        }
        guard let token = skipString() else {
            fail()
            return nil
        }
        return token
    }
}

// MARK: - Stepping over values

extension JSONCursor {
    private mutating func skipValue() -> Bool {
        let floor = containers.depth
        repeat {
            // A value is due here.
            let first = nextByte
            switch first {
            case UInt8(ascii: "{"):
                guard containers.push(isObject: true) else { return false }
                index += 1
                if nextByte == UInt8(ascii: "}") { break }
                guard skipKey() else { return false }
                continue
            case UInt8(ascii: "["):
                guard containers.push(isObject: false) else { return false }
                index += 1
                if nextByte == UInt8(ascii: "]") { break }
                index = NaturalNumbers.end(in: bytes, from: index, to: end)
                continue
            case UInt8(ascii: "\""):
                guard skipString() != nil else { return false }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard skipNumber() else { return false }
            case UInt8(ascii: "t"):
                guard skip("true") else { return false }
            case UInt8(ascii: "f"):
                guard skip("false") else { return false }
            case UInt8(ascii: "n"):
                guard skip("null") else { return false }
            default:
                return false
            }
            guard finishValue(downTo: floor) else { return false }
        } while containers.depth > floor
        return true
    }

    /// Leaves the containers that end here, and steps over the comma (and the next key) when another value comes.
    private mutating func finishValue(downTo floor: Int) -> Bool {
        while containers.depth > floor {
            let isObject = containers.innermostIsObject == true
            switch nextByte {
            case UInt8(ascii: ","):
                index += 1
                return !isObject || skipKey()
            case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"):
                index += 1
                containers.pop()
            default:
                return false
            }
        }
        return true
    }

    private mutating func skipKey() -> Bool {
        guard nextByte == UInt8(ascii: "\""), skipString() != nil, nextByte == UInt8(ascii: ":") else { return false }
        index += 1
        return true
    }

    private mutating func skipWhitespace() {
        while index < end {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    private mutating func skip(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard end - index >= count, let base = bytes.baseAddress, memcmp(base + index, literal.utf8Start, count) == 0
        else { return false }
        index += count
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = index
        while index < end, bytes[index] &- UInt8(ascii: "0") <= 9 { index += 1 }
        return index > start
    }

    private mutating func skipNumber() -> Bool {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        if index < end, bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else {
            guard skipDigits() else { return false }
        }
        // No double has more than 309 digits before the point, and with fewer than that none is too large.
        var mayBeTooLarge = index - start > 300
        if index < end, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() else { return false }
        }
        if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
            mayBeTooLarge = true
            index += 1
            if index < end, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") { index += 1 }
            guard skipDigits() else { return false }
        }
        guard mayBeTooLarge else { return true }
        return Double(String(decoding: bytes[start..<index], as: UTF8.self))?.isFinite == true
    }

    /// Steps over a string with its quotes, the first of which stands here.
    private mutating func skipString() -> JSONStringToken? {
        index += 1
        let start = index
        var hasEscapes = false
        while true {
            skipPlainCharacters()
            guard index < end else { return nil }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let content = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
                index += 1
                return JSONStringToken(bytes: content, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                guard skipEscape() else { return nil }
            default:
                return nil
            }
        }
    }

    private mutating func skipEscape() -> Bool {
        guard end - index >= 2 else { return false }
        index += 2
        switch bytes[index - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard let unit = hexUnit() else { return false }
            guard unit & 0xF800 == 0xD800 else { return true }
            guard unit & 0xFC00 == 0xD800, end - index >= 2, bytes[index] == UInt8(ascii: "\\"),
                bytes[index + 1] == UInt8(ascii: "u")
            else { return false }
            index += 2
            return hexUnit().map { $0 & 0xFC00 == 0xDC00 } ?? false
        default:
            return false
        }
    }

    private mutating func hexUnit() -> UInt16? {
        guard end - index >= 4 else { return nil }
        for offset in 0..<4 where JSONStringToken.hexDigit(bytes[index + offset]) == nil { return nil }
        index += 4
        return JSONStringToken.hexUnit(bytes, at: index - 4)
    }
}

// MARK: - Eight bytes at a time

extension JSONCursor {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Steps to the next quote, backslash or control character.
    private mutating func skipPlainCharacters() {
        while index + 8 <= end {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            let quote = word ^ Self.ones &* 0x22
            let backslash = word ^ Self.ones &* 0x5C
            // A borrow can only mark bytes above a true match, so the lowest mark is always a true one.
            let marks =
                ((quote &- Self.ones) & ~quote | (backslash &- Self.ones) & ~backslash
                    | (word &- Self.ones &* 0x20) & ~word) & Self.highBits
            if marks != 0 {
                index += marks.trailingZeroBitCount / 8
                return
            }
            index += 8
        }
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
            index += 1
        }
    }
}

extension JSONStringToken {
    /// True when the string is this one, whichever way it is spelled.
    func equals(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        if hasEscapes { return string.utf8.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count)) }
        guard bytes.count == count, let base = bytes.baseAddress else { return bytes.count == count }
        return memcmp(base, text.utf8Start, count) == 0
    }
}
