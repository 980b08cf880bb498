import Foundation

/// What one run does, from the command line.
struct SoakOptions: Sendable {
    var seconds = 60.0
    var seed = UInt64.random(in: 1...UInt64(UInt32.max))
    /// Writes a second of those that are watched as events, of all writers together.
    var rate = 200
    var parts = Set(Part.allCases)

    enum Part: String, CaseIterable, Sendable {
        case streams, mixed
    }

    static let help = """
        usage: scripts/soak [minutes] [options]

        Two things at once, in one process. Streams: cuts event streams about every second while several clients write
        to several contexts, and checks that every write is seen as an event or covered by a gap mark, that what is read
        at a gap is the node's state, and that no event goes to a subscription that it is not for. Mixed: calls with
        sessions that expire after two seconds, a WebSocket, blobs, and accounts that write through a relay by warrants,
        one of them sealed, while node and relay cut connections before and after a method ran, answer slowly, wrongly
        or not at all, revoke sessions and restart. Checks that every write that was acknowledged is there exactly once,
        every one that was refused not at all, and every other at most once; that blobs come back unaltered; and that each
        failure is an error of a kind that its cause explains.

        Prints memory, descriptors and threads of its first and last minute (a quarter of the time in short runs). When
        all clients and nodes are closed no descriptor and no thread may be left. The last line begins with PASS or FAIL.

          minutes      how long, fractions allowed (default 1)
          --seed N     repeat the random choices of an earlier run
          --rate N     writes a second whose events are watched (default 200)
          --only PART  streams or mixed alone
          -h, --help   this text

        Exit codes: 0 passed, 1 failed, 2 it could not run.
        """

    init(_ words: [String]) throws {
        var rest = words[...]
        func number<N: LosslessStringConvertible & Comparable & ExpressibleByIntegerLiteral>(
            _ word: String?, _ what: String
        ) throws -> N {
            guard let number = word.flatMap({ N($0) }), number > 0 else {
                throw SoakError("\(what) needs a number above 0")
            }
            return number
        }
        while let word = rest.popFirst() {
            switch word {
            case "--seed": seed = try number(rest.popFirst(), word)
            case "--rate": rate = try number(rest.popFirst(), word)
            case "--only":
                guard let part = rest.popFirst().flatMap({ Part(rawValue: $0) }) else {
                    throw SoakError("--only needs streams or mixed")
                }
                parts = [part]
            default:
                guard !word.hasPrefix("-") else { throw SoakError("no such option: \(word)") }
                let minutes: Double = try number(word, "minutes")
                guard minutes <= 10_000 else { throw SoakError("more than 10000 minutes") }
                seconds = minutes * 60
            }
        }
    }
}
