/// Spoils bytes in the ways that parsers are known to stumble over. The same seed spoils the same way.
struct Mutator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(truncatingIfNeeded: next() % UInt64(bound)) }

    /// True once in so many times.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }

    /// - Precondition: There is something to pick from; every list of inputs is checked when it is read.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// A number of few bits as often as one of many.
    mutating func number() -> UInt64 {
        let number = next() >> UInt64(below(64))
        return once(in: 3) ? number &- 1 : number
    }

    /// One to four changes; now and then none of the original is left.
    mutating func spoil(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
        if once(in: 200) { return self.bytes(below(300)) }
        var bytes = bytes
        for _ in 0...below(4) { change(&bytes, other) }
        return bytes
    }

    /// Spoilt, but for some.
    mutating func maybeSpoil(_ bytes: [UInt8], with other: [UInt8] = []) -> [UInt8] {
        once(in: 8) ? bytes : spoil(bytes, with: other.isEmpty ? bytes : other)
    }

    /// The same for text: what becomes ill-formed is replaced.
    mutating func maybeSpoil(_ text: String, with other: String = "") -> String {
        if once(in: 8) { return text }
        var bytes = Array(text.utf8)
        for _ in 0...below(3) {
            if once(in: 2) {
                let place = below(bytes.count + 1)
                bytes.insert(contentsOf: pick(Self.pieces).utf8, at: place)
            } else {
                bytes = spoil(bytes, with: other.isEmpty ? bytes : Array(other.utf8))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What texts are known to be misread for.
    static let pieces: [String] = [
        "", " ", "\t", "\r\n", "\n", "\0", "\u{7f}", "\u{80}", "\u{a0}", "\u{ad}", "\u{200b}", "\u{202e}", "\u{feff}",
        "\u{fffd}", "\u{ffff}", "\u{10ffff}", "é", "e\u{301}", "İ", "ß", "ﬁ", "👩‍👩‍👧‍👦", "١٢", "１２", "Ａ", "%", "%0", "%00",
        "%2F", "%C3%28", "%ff", "+", "&", "=", "#", "?", "/", "//", "\\", "..", "/../", ":", "::", "@", "[", "]",
        "[::1]",
        "{", "}", "\"", "'", ",", ";", "-", "--", "_", ".", "0", "00", "-0", "-1", "1e9", "0x1", "65535", "65536",
        "2147483648", "4294967296", "9007199254740993", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "99999999999999999999999999999999", "null", "true", "undefined", "NaN", "Infinity",
        "http://", "https://", "HTTP://", "calimero://", "javascript:", "file:///", "localhost", "127.0.0.1",
        "access_token=", "error=", "invitation=", "\\u0000", "\\ud800", "\\udc00\\ud800",
    ]

    /// Cuts bytes into pieces, of which some are empty and many are short.
    mutating func cut(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        let longest = pick([1, 2, 3, 8, 64, 4096])
        while !rest.isEmpty {
            let size = once(in: 16) ? 0 : 1 + below(longest)
            pieces.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return pieces
    }

    private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
        guard !bytes.isEmpty else {
            bytes.append(UInt8(truncatingIfNeeded: next()))
            return
        }
        let place = below(bytes.count)
        switch below(11) {
        case 0, 1: bytes[place] ^= 1 << UInt8(below(8))
        case 2: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 3:
            bytes[place] =
                [0x00, 0x01, 0x7F, 0x80, 0x81, 0x82, 0x84, 0xFE, 0xFF, 0x30, 0x31, 0xA0, 0xA3, 0x22][below(14)]
        case 4: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
        case 5: bytes.insert(contentsOf: self.bytes(1 + below(8)), at: place)
        case 6: bytes.removeSubrange(place...)
        case 7:
            let end = min(bytes.count, place + 1 + below(64))
            bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count))
        case 8:
            guard !other.isEmpty else { return }
            let start = below(other.count)
            let piece = other[start..<min(other.count, start + 1 + below(128))]
            let end = min(bytes.count, place + (below(2) == 0 ? piece.count : 0))
            bytes.replaceSubrange(place..<end, with: piece)
        case 9:
            // One byte, many times over.
            bytes.insert(contentsOf: repeatElement(bytes[place], count: 1 + below(pick([8, 64, 2048]))), at: place)
        default:
            // An integer of two, four or eight bytes at its limits, in either order.
            let width = [2, 4, 8][below(3)]
            guard place + width <= bytes.count else { return }
            let value: UInt8 = [0x00, 0xFF, 0x7F, 0x80][below(4)]
            for offset in 0..<width { bytes[place + offset] = value }
        }
    }
}
