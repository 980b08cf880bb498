/// The containers that are open in a text, one bit for each: a text of nothing but brackets costs no memory.
struct JSONContainers {
    private var objects = SIMD8<UInt64>()
    private(set) var depth = 0

    var isEmpty: Bool { depth == 0 }

    /// Nil when nothing is open.
    var innermostIsObject: Bool? {
        guard depth > 0 else { return nil }
        return objects[(depth - 1) >> 6] >> UInt64((depth - 1) & 63) & 1 == 1
    }

    /// False when the parser would not go this deep.
    mutating func push(isObject: Bool) -> Bool {
        guard depth < JSONParser.maximumDepth else { return false }
        let bit: UInt64 = 1 << UInt64(depth & 63)
        if isObject { objects[depth >> 6] |= bit } else { objects[depth >> 6] &= ~bit }
        depth += 1
        return true
    }

    mutating func pop() { depth -= 1 }
}
