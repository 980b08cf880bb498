/// A node's memory of the warrant nonces that one device has spent in one context: the highest, and which of the 64
/// below it.
///
/// Spec: 50, section 11.
package struct NonceWindow: Sendable, Equatable {
    package static let width: UInt64 = 64

    /// The highest one that was spent; nil before the first.
    package private(set) var highest: UInt64?
    /// Bit n: whether `highest - 1 - n` was spent.
    private var below: UInt64 = 0

    package init() {}

    /// Whether the nonce may still be spent.
    package func accepts(_ nonce: UInt64) -> Bool {
        guard let highest else { return true }
        if nonce >= highest { return nonce > highest }
        let distance = highest - nonce
        return distance <= Self.width && below & (1 << (distance - 1)) == 0
    }

    /// Spends a nonce; false when that cannot be.
    package mutating func spend(_ nonce: UInt64) -> Bool {
        guard accepts(nonce) else { return false }
        guard let highest else {
            self.highest = nonce
            return true
        }
        if nonce < highest {
            below |= 1 << (highest - nonce - 1)
        } else {
            // Shifting by more than the width leaves nothing, the old highest included.
            let distance = nonce - highest
            below = (below << distance) | (1 << (distance - 1))
            self.highest = nonce
        }
        return true
    }

    /// The lowest that is surely free; nil when the last one is spent. 0 before the first.
    package var next: UInt64? {
        guard let highest else { return 0 }
        return highest == .max ? nil : highest + 1
    }
}
