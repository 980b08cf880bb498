import MeroKit

/// What a failed write says about itself.
enum Fate: Sendable {
    /// It did not run and never will.
    case refused
    /// It may have run, or run later.
    case unknown
}

/// Which failures were seen, and whether each was of a kind that the trouble made here may cause.
final class Failures: Sendable {
    private let findings: Findings
    private let counts = Guarded<[String: Int]>([:])

    init(_ findings: Findings) { self.findings = findings }

    /// Counts a failure. One that nothing here explains is a finding.
    @discardableResult
    func take(_ error: any Error, during what: String, isLogin: Bool = false) -> Fate {
        let (kind, fate) = Self.judge(error, isLogin)
        counts.with { $0[kind, default: 0] += 1 }
        if fate == nil { findings.add("\(what) failed with \(kind): \(error)") }
        return fate ?? .unknown
    }

    var summary: String {
        counts.with { counts in
            counts.isEmpty
                ? "none" : counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        }
    }

    /// The name of the failure's kind, and what it says of a write; nil for one that must not happen.
    private static func judge(_ error: any Error, _ isLogin: Bool) -> (String, Fate?) {
        switch error {
        case MeroError.network: return ("network", .unknown)
        case MeroError.decoding: return ("decoding", .unknown)
        case MeroError.authRevoked: return ("authRevoked", .refused)
        // Of a refresh, or of a login: the call itself was turned away with a 401.
        case MeroError.authenticationFailed: return ("authenticationFailed", .refused)
        case MeroError.noRefreshToken: return ("noRefreshToken", .refused)
        // An answer where a WebSocket should have begun.
        case MeroError.http(let answer) where answer.status == 200: return ("no WebSocket", .refused)
        case MeroError.http(let answer): return judge(answer)
        // A login whose answer came from somebody else.
        case AccountError.protocolViolation where isLogin: return ("protocolViolation", .refused)
        // A relay that takes no action on a warrant says why.
        case AccountError.intentRefused(_, _, let status): return ("intentRefused \(status)", .refused)
        // Something cut a sealed answer short, or wrote an answer of its own.
        case SealedTransportError.cutShort, SealedTransportError.notSealed, SealedTransportError.malformed,
            SealedTransportError.notFromNode, SealedTransportError.frameTooLarge:
            return ("sealed \(error)", .unknown)
        case SealedTransportError.handshake: return ("sealed \(error)", .refused)
        default: return (String(reflecting: type(of: error)), nil)
        }
    }

    private static func judge(_ answer: HTTPError) -> (String, Fate?) {
        // Of a sealed transport: anybody may have written it, behind a request that ran.
        if answer.cameInTheClear { return ("http \(answer.status) in the clear", .unknown) }
        let expected = [401, 403, 429, 500, 502, 503].contains(answer.status)
        return ("http \(answer.status)", expected ? .refused : nil)
    }
}
