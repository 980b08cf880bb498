import Foundation

/// The keys that a stream's last events had: most events have that of an event before, and share it instead of making
/// strings of their own.
struct EventKeys: Sendable {
    private static let limit = 8
    /// Longer names are none, and would only be kept from being freed.
    private static let longestName = 256

    private var known: [EventKey] = []
    /// Which one is replaced next.
    private var oldest = 0

    init() { known.reserveCapacity(Self.limit) }

    /// - Parameters: The members of the event; nil for one that is not there.
    mutating func key(context: JSONStringToken?, group: JSONStringToken?, kind: JSONStringToken?) -> EventKey {
        for key in known
        where Self.isSame(key.kind, kind, else: "event") && Self.isSame(key.contextId, context, else: "")
            && Self.isSame(key.groupId, group)
        {
            return key
        }
        let key = EventKey(contextId: context?.string ?? "", kind: kind?.string ?? "event", groupId: group?.string)
        let length = key.contextId.utf8.count + key.kind.utf8.count + (key.groupId?.utf8.count ?? 0)
        guard length <= Self.longestName else { return key }
        if known.count < Self.limit {
            known.append(key)
        } else {
            known[oldest] = key
            oldest = (oldest + 1) % Self.limit
        }
        return key
    }

    private static func isSame(_ name: String?, _ token: JSONStringToken?) -> Bool {
        guard let name, let token else { return name == nil && token == nil }
        return isSame(name, token, else: "")
    }

    private static func isSame(_ name: String, _ token: JSONStringToken?, else absent: String) -> Bool {
        guard let token else { return name == absent }
        guard !token.hasEscapes, name.utf8.count == token.bytes.count else { return false }
        var name = name
        return name.withUTF8 { name in
            guard let name = name.baseAddress, let bytes = token.bytes.baseAddress else { return token.bytes.isEmpty }
            return memcmp(name, bytes, token.bytes.count) == 0
        }
    }
}
