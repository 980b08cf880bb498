import Foundation

/// Feeds spoilt data to everything that reads data from outside.
///
/// A fault is a trap, a hang, an input that takes too long or too much memory, an error of an unexpected type, and a property
/// that does not hold: text that depends on how it was cut, a value that changes when it is written and read again, a spoilt
/// quote that still verifies and says something else.
///
/// Ends with status 1 for a fault. A trap ends it by itself, and it says in which input.
@main
enum Fuzz {
    private static let usage = """
        usage: merokit-fuzz FIXTURES [--count N] [--seconds N | --minutes N] [--only NAME[,NAME...]] [--seed N] [--patience S]
               merokit-fuzz FIXTURES --list

          --count     inputs per parser (10000)
          --minutes   as many as there is time for, all parsers in turn
          --only      parsers whose names begin so
          --seed      of the first input; each later one has the next (random, printed)
          --patience  seconds of processor time that one input may take (1)
          --verbose   names each input before it is read
        """

    static func main() async {
        do {
            try await run()
        } catch {
            say("cannot begin: \(error)")
            exit(2)
        }
    }

    private static func run() async throws {
        #if DEBUG || MEROKIT_FUZZING
            var arguments = Array(CommandLine.arguments.dropFirst())
            func flag(_ name: String) -> Bool {
                guard let index = arguments.firstIndex(of: name) else { return false }
                arguments.remove(at: index)
                return true
            }
            func value(_ name: String) -> String? {
                guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
                defer { arguments.removeSubrange(index...index + 1) }
                return arguments[index + 1]
            }
            let (lists, isVerbose) = (flag("--list"), flag("--verbose"))
            let seed = value("--seed").flatMap(UInt64.init) ?? .random(in: 0 ... .max / 2)
            let minutes = value("--minutes").flatMap(Double.init)
            let seconds = value("--seconds").flatMap(Double.init)
            let count = value("--count").flatMap(Int.init) ?? 10_000
            let patience = value("--patience").flatMap(Double.init) ?? 1
            let only = value("--only")?.split(separator: ",").map(String.init)
            guard arguments.count == 1, !arguments[0].hasPrefix("-") else {
                say(usage)
                exit(2)
            }
            LastWords.prepare(patience: UInt64(max(60, patience * 10)))
            let parsers = try await all(URL(fileURLWithPath: arguments[0])).filter { parser in
                only?.contains { parser.name.hasPrefix($0) } ?? true
            }
            if lists { return say(parsers.map(\.name).joined(separator: "\n")) }
            guard !parsers.isEmpty else {
                say(usage)
                exit(2)
            }
            var campaign = Campaign(patience: patience, isVerbose: isVerbose)
            if let minutes {
                let end = Date(timeIntervalSinceNow: minutes * 60)
                var next = [Int](repeating: 0, count: parsers.count)
                while Date() < end {
                    for (index, parser) in parsers.enumerated() where Date() < end {
                        // Short turns, so that all of them have had some whenever it ends.
                        let turn = min(end, Date(timeIntervalSinceNow: 3))
                        next[index] += await campaign.run(
                            parser, seed: seed &+ UInt64(next[index]), count: .max, until: turn)
                    }
                }
            } else {
                for parser in parsers {
                    let end = seconds.map { Date(timeIntervalSinceNow: $0) } ?? .distantFuture
                    _ = await campaign.run(parser, seed: seed, count: count, until: end)
                }
            }
            campaign.report(seed: seed, names: parsers.map(\.name))
            exit(campaign.hasFindings ? 1 : 0)
        #else
            say("built without what it feeds: use scripts/fuzz")
            exit(2)
        #endif
    }

    #if DEBUG || MEROKIT_FUZZING
        /// Every parser, those that share inputs one behind the other.
        private static func all(_ fixtures: URL) async throws -> [Parser] {
            let corpus = try Corpus(folder: fixtures)
            var parsers = Parser.json(corpus)
            parsers += try Parser.events()
            parsers += try Parser.answers(corpus)
            parsers += try Parser.account(corpus)
            parsers += try Parser.invitations(corpus)
            parsers += Parser.texts()
            parsers += try Parser.files()
            parsers += try Parser.sealed(corpus)
            parsers += try Parser.trust(Seeds(folder: fixtures.appendingPathComponent("sealed")))
            parsers += try await Parser.node(corpus)
            return parsers
        }
    #endif
}
