/// Spoils bytes in the ways that parsers are known to stumble over. The same seed spoils the same way.
struct Mutator {
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

    /// One to four changes; now and then none of the original is left.
    mutating func spoil(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
        if below(200) == 0 { return (0..<below(300)).map { _ in UInt8(truncatingIfNeeded: next()) } }
        var bytes = bytes
        for _ in 0...below(4) { change(&bytes, other) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
        guard !bytes.isEmpty else {
            bytes.append(UInt8(truncatingIfNeeded: next()))
            return
        }
        let place = below(bytes.count)
        switch below(10) {
        case 0, 1: bytes[place] ^= 1 << UInt8(below(8))
        case 2: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 3:
            bytes[place] =
                [0x00, 0x01, 0x7F, 0x80, 0x81, 0x82, 0x84, 0xFE, 0xFF, 0x30, 0x31, 0xA0, 0xA3, 0x22][below(14)]
        case 4: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
        case 5:
            let fresh = (0...below(8)).map { _ in UInt8(truncatingIfNeeded: next()) }
            bytes.insert(contentsOf: fresh, at: place)
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
        default:
            // An integer of two or four bytes at its limits, in either order.
            let width = below(2) == 0 ? 2 : 4
            guard place + width <= bytes.count else { return }
            let value: UInt8 = [0x00, 0xFF, 0x7F, 0x80][below(4)]
            for offset in 0..<width { bytes[place + offset] = value }
        }
    }
}
