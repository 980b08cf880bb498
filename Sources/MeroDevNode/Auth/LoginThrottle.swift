import MeroKit

/// Slows down password guessing.
///
/// Spec: 10, section 9.5.
struct LoginThrottle: Sendable {
    static let perPeer = (limit: 5, window: Int64(60))
    static let perAccount = (limit: 100, window: Int64(3600))
    private static let sweepAbove = 4096

    private struct Pair: Hashable, Sendable {
        var peer: String
        var account: String
    }

    private var pairs: [Pair: [Int64]] = [:]
    private var accounts: [String: [Int64]] = [:]

    /// Seconds to wait, nil when the attempt may be made. A refused attempt is not counted.
    mutating func wait(peer: String, account: String, now: Int64) -> Int64? {
        let pair = Pair(peer: peer, account: account)
        let first = Self.wait(&pairs[pair, default: []], Self.perPeer.limit, Self.perPeer.window, now)
        let second = Self.wait(&accounts[account, default: []], Self.perAccount.limit, Self.perAccount.window, now)
        if pairs[pair]?.isEmpty == true { pairs[pair] = nil }
        if accounts[account]?.isEmpty == true { accounts[account] = nil }
        return [first, second].compactMap { $0 }.max()
    }

    mutating func rejected(peer: String, account: String, now: Int64) {
        pairs[Pair(peer: peer, account: account), default: []].append(now)
        accounts[account, default: []].append(now)
        guard pairs.count + accounts.count > Self.sweepAbove else { return }
        // Made-up names would otherwise fill the memory.
        pairs = pairs.filter { ($0.value.last ?? 0) + Self.perPeer.window > now }
        accounts = accounts.filter { ($0.value.last ?? 0) + Self.perAccount.window > now }
    }

    mutating func accepted(peer: String, account: String) { pairs[Pair(peer: peer, account: account)] = nil }

    private static func wait(_ times: inout [Int64], _ limit: Int, _ window: Int64, _ now: Int64) -> Int64? {
        times.removeAll { $0 + window <= now }
        guard times.count >= limit else { return nil }
        return max(1, times[times.count - limit] + window - now)
    }
}
