import Foundation

/// Hands out the numbers that warrants carry, each of them once.
///
/// The network remembers which numbers a device has spent: gaps are free, going back is refused. So a number is written
/// down before it is handed out, and whoever loses the store must not start again at 1 (`RelayClient` then raises the
/// counter to the clock).
///
/// `relay` names a sequence. All clients of one relay draw from one: the key is the relay's URL, with or without slashes
/// at its end. Changes to groups have sequences of their own, `<relay URL>|governance|<group>`. Two devices of one account
/// need two stores. Calls may block for the length of a file write, and come from any thread but those of tasks.
/// Spec: 60, section 4.2.
///
/// ```swift
/// let nonces = FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces"))
/// let relay = RelayClient(
///     relayURL: url, authorAccount: account, authorProof: credential, keys: keys, nonces: nonces)
/// ```
public protocol WarrantNonceStore: Sendable {
    /// The next number, written down before it is returned; the first is 1.
    ///
    /// 0 when there is none to give: the sequence is spent, or the number could not be written. Nothing is signed then.
    func next(relay: String) -> UInt64
    /// Sees to it that `next` returns at least `floor`. Never lowers.
    func advance(relay: String, to floor: UInt64)
    /// Whether the last number there is has been handed out. Only asked after `next` returned 0, to say why.
    func isSpent(relay: String) -> Bool
}

extension WarrantNonceStore {
    /// False: a store that does not tell is taken for one that could not write.
    public func isSpent(relay: String) -> Bool { false }
}

/// What all stores do with the last number that was handed out.
enum WarrantNonceSequence {
    /// One key for a relay's URL with and without slashes at its end, also where something follows the URL.
    static func key(_ relay: String) -> String {
        let parts = relay.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        var url = parts.first.map(String.init) ?? ""
        while url.hasSuffix("/") { url.removeLast() }
        return parts.count > 1 ? "\(url)|\(parts[1])" : url
    }

    /// The sequence of changes to one group.
    static func governanceKey(relayURL: String, groupId: String) -> String {
        "\(relayURL)|governance|\(groupId.lowercased())"
    }

    /// The number after `last`; nil when there is none.
    static func next(after last: UInt64) -> UInt64? { last == .max ? nil : last + 1 }

    /// What `last` becomes so that the next number is at least `floor`; nil when it stays.
    static func raised(_ last: UInt64, to floor: UInt64) -> UInt64? {
        guard floor > 0, floor - 1 > last else { return nil }
        return floor - 1
    }

    /// The number that a stored text stands for: 0 for none, and for what is no number.
    static func last(from text: String?) -> UInt64 {
        text.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }
}
