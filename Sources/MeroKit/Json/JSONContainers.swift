/// The containers that are open in a text, one bit for each: a text of nothing but brackets costs no memory.
struct JSONContainers {
    /// Of the outermost 64, which are all that most texts have: reaching into a vector takes several times as long.
    private var outermost: UInt64 = 0
    private var others = SIMD8<UInt64>()
    private(set) var depth = 0

    var isEmpty: Bool { depth == 0 }

    /// Nil when nothing is open.
    var innermostIsObject: Bool? {
        guard depth > 0 else { return nil }
        let place = depth - 1
        let word = place < 64 ? outermost : others[place >> 6]
        return word >> UInt64(place & 63) & 1 == 1
    }

    /// False when the parser would not go this deep.
    mutating func push(isObject: Bool) -> Bool {
        guard depth < JSONParser.maximumDepth else { return false }
        let bit: UInt64 = 1 << UInt64(depth & 63)
        if depth < 64 {
            outermost = isObject ? outermost | bit : outermost & ~bit
        } else {
            others[depth >> 6] = isObject ? others[depth >> 6] | bit : others[depth >> 6] & ~bit
        }
        depth += 1
        return true
    }

    mutating func pop() { depth -= 1 }
}
