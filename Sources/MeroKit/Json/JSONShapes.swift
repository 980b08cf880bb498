import Foundation

/// The key sets of objects that came by, each with a dictionary that has just these keys.
///
/// Objects of one kind come in numbers: the elements of a list, the events of a stream. Most of what a dictionary costs is
/// making and hashing its keys; copying one that has them, and putting the values in their places, takes a fraction of that.
final class JSONShapes {
    private struct Shape {
        /// The keys one after the other, each behind its length.
        let text: [UInt8]
        let template: [String: JSONValue]
        /// Where each key of the text has its value.
        let places: [Dictionary<String, JSONValue>.Index]
    }

    private struct Slot {
        /// Of the keys that were here last; a shape is made only when they come again.
        var hash: UInt64 = 0
        var shape: Shape?
    }

    /// How many key sets are kept: a power of two.
    private static let slotCount = 64
    private static let maximumKeys = 32
    private static let maximumKeyLength = 64

    private var slots: [Slot] = []

    // MARK: Spare

    private static let spare = Locked<JSONShapes?>(nil)

    /// What was learnt before, unless someone else works with it right now.
    static func take() -> JSONShapes {
        spare.withLock { spare in
            defer { spare = nil }
            return spare
        } ?? JSONShapes()
    }

    /// Keeps what was learnt for the next text.
    func giveBack() {
        let previous = Self.spare.withLock { spare in
            defer { spare = self }
            return spare
        }
        withExtendedLifetime(previous) {}
    }

    // MARK: Objects

    /// Of several equal keys the first is the one that stays, as Foundation's decoder has it. All values are moved out.
    func object(
        keys: UnsafeMutableBufferPointer<JSONStringToken>, values: UnsafeMutableBufferPointer<JSONValue>
    ) -> [String: JSONValue] {
        guard let hash = Self.hash(of: keys) else { return Self.build(keys, values) }
        if slots.isEmpty { slots = Array(repeating: Slot(), count: Self.slotCount) }
        let number = Int(truncatingIfNeeded: hash >> 32) & (Self.slotCount - 1)
        if slots[number].hash == hash {
            if let shape = slots[number].shape {
                if Self.has(shape, keys) { return Self.fill(shape, values) }
            } else {
                let object = Self.build(keys, values)
                slots[number].shape = Self.shape(keys, object)
                return object
            }
        } else {
            slots[number] = Slot(hash: hash)
        }
        return Self.build(keys, values)
    }

    private static func build(
        _ keys: UnsafeMutableBufferPointer<JSONStringToken>, _ values: UnsafeMutableBufferPointer<JSONValue>
    ) -> [String: JSONValue] {
        var members = [String: JSONValue](minimumCapacity: keys.count)
        for index in keys.indices.reversed() {
            members.updateValue(values.moveElement(from: index), forKey: keys[index].string)
        }
        return members
    }

    private static func fill(
        _ shape: Shape, _ values: UnsafeMutableBufferPointer<JSONValue>
    ) -> [String: JSONValue] {
        var members = shape.template
        fill(&members.values, shape.places, values)
        return members
    }

    private static func fill(
        _ members: inout Dictionary<String, JSONValue>.Values, _ places: [Dictionary<String, JSONValue>.Index],
        _ values: UnsafeMutableBufferPointer<JSONValue>
    ) {
        for (index, place) in places.enumerated() { members[place] = values.moveElement(from: index) }
    }

    // MARK: Key sets

    /// Nil for what is not kept: no or many keys, long ones, and such with escapes.
    private static func hash(of keys: UnsafeMutableBufferPointer<JSONStringToken>) -> UInt64? {
        guard 1...maximumKeys ~= keys.count else { return nil }
        var hash = UInt64(keys.count)
        for key in keys {
            guard !key.hasEscapes, key.bytes.count <= maximumKeyLength else { return nil }
            hash = (hash ^ edges(of: key.bytes)) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 29
        }
        return hash
    }

    /// The length, and the bytes at both ends. Sets that differ only elsewhere take turns in one slot.
    @inline(__always)
    private static func edges(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = bytes.count
        if count >= 8 {
            let first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            let last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            return first ^ (last << 7 | last >> 57) ^ UInt64(count) << 56
        }
        var word = UInt64(count) << 56
        for byte in bytes { word = word << 8 | word >> 56 ^ UInt64(byte) }
        return word
    }

    private static func has(_ shape: Shape, _ keys: UnsafeMutableBufferPointer<JSONStringToken>) -> Bool {
        guard shape.places.count == keys.count else { return false }
        return shape.text.withUnsafeBytes { text in
            var index = 0
            for key in keys {
                let count = key.bytes.count
                guard index < text.count, Int(text[index]) == count, index + 1 + count <= text.count,
                    let known = text.baseAddress
                else { return false }
                if let bytes = key.bytes.baseAddress, memcmp(bytes, known + index + 1, count) != 0 { return false }
                index += 1 + count
            }
            return index == text.count
        }
    }

    private static func shape(
        _ keys: UnsafeMutableBufferPointer<JSONStringToken>, _ object: [String: JSONValue]
    ) -> Shape? {
        // A set with a key twice has fewer places than values.
        guard object.count == keys.count else { return nil }
        let template = object.mapValues { _ in JSONValue.null }
        let places = keys.compactMap { template.index(forKey: $0.string) }
        guard places.count == keys.count else { return nil }
        let text = keys.flatMap { [UInt8(truncatingIfNeeded: $0.bytes.count)] + $0.bytes }
        return Shape(text: text, template: template, places: places)
    }
}
