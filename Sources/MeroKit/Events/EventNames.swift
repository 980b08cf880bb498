import Foundation

/// The ids and kinds that a stream's last events had: most events have the ones of an event before, and then share its
/// strings instead of making their own.
struct EventNames: Sendable {
    private static let limit = 8

    private var known: [String] = []
    /// Which one is replaced next.
    private var oldest = 0

    init() { known.reserveCapacity(Self.limit) }

    mutating func string(of token: JSONStringToken) -> String {
        for index in known.indices where Self.isSame(known[index], token) { return known[index] }
        let string = token.string
        // Long ones are no names, and would only be kept from being freed.
        guard string.utf8.count <= 256 else { return string }
        if known.count < Self.limit {
            known.append(string)
        } else {
            known[oldest] = string
            oldest = (oldest + 1) % Self.limit
        }
        return string
    }

    private static func isSame(_ name: String, _ token: JSONStringToken) -> Bool {
        guard !token.hasEscapes, name.utf8.count == token.bytes.count else { return false }
        return name.utf8.withContiguousStorageIfAvailable { name in
            guard let name = name.baseAddress, let bytes = token.bytes.baseAddress else { return token.bytes.isEmpty }
            return memcmp(name, bytes, token.bytes.count) == 0
        } ?? false
    }
}
