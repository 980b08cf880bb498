import Foundation

/// What the network remembers of a device's numbers in one context, as a node tells it.
///
/// Nodes of rc.83 do not tell (404). Spec: 60, section 1.9.
public struct RelayWarrantNonceState: Sendable, Equatable {
    /// The lowest number that is surely free; nil when the last one is spent.
    public let nextNonce: UInt64?
    /// The highest number that was spent; nil when there is none.
    public let highWaterNonce: UInt64?
    /// Whether the device has written in the context before.
    public let seen: Bool

    /// Makes a value of its parts.
    public init(nextNonce: UInt64?, highWaterNonce: UInt64?, seen: Bool) {
        self.nextNonce = nextNonce
        self.highWaterNonce = highWaterNonce
        self.seen = seen
    }

    /// Reads a node's answer, in its envelope or without, digit by digit. Throws `MeroError.decoding`.
    public static func parse(_ body: Data) throws -> RelayWarrantNonceState {
        let names = ["nextNonce", "highWaterNonce", "seen"]
        guard let members = try? JSONMembers(body, paths: names.flatMap { [["data", $0], [$0]] }) else {
            throw unreadable(body)
        }
        let isWrapped = members["data"] != nil
        func field(_ name: String) -> Data? { isWrapped ? members["data", name] : members[name] }
        func number(_ name: String) throws -> UInt64? {
            guard let text = field(name), !text.elementsEqual("null".utf8) else { return nil }
            guard let number = UInt64(String(decoding: text, as: UTF8.self)) else { throw unreadable(body) }
            return number
        }
        let next = try number("nextNonce")
        let high = try number("highWaterNonce")
        let seen = field("seen")?.elementsEqual("true".utf8) == true
        if let next { return RelayWarrantNonceState(nextNonce: next, highWaterNonce: high, seen: seen) }
        // Without a next number every one is spent, and that is final. So it has to look like a node's answer: one that
        // has spent its last number was seen.
        guard seen || high != nil else { throw unreadable(body) }
        return RelayWarrantNonceState(nextNonce: nil, highWaterNonce: high ?? .max, seen: true)
    }

    private static func unreadable(_ body: Data) -> MeroError {
        .decoding("warrant nonce: \(ReplyDecoding.excerpt(of: body))")
    }
}
