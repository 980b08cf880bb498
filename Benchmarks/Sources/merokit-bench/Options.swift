import Foundation

/// What one run of the benchmarks measures, from the command line.
struct Options {
    enum Part: String, CaseIterable {
        case calls, events, transfer, blobs, decode, warrants, sealed, cancel
    }

    var parts = Set(Part.allCases)
    var rounds = 5
    var seconds = 1.0
    var transferMebibytes = 1024
    var enforce = false
    var callgrind = false
    var resultFile = Layout.package.appendingPathComponent(".build/results/latest.json")

    static let help = """
        usage: scripts/bench [options]

        Measures MeroKit against its peers on this machine and prints Markdown tables. All peers talk to one private
        nginx on a free loopback port. Rounds are interleaved: every contender runs once in each round.

          --only PARTS      a comma-separated choice of: calls, events, transfer, blobs,
                            decode, warrants, sealed, cancel
                            (default: all)
          --rounds N        rounds per measurement (default 5)
          --seconds S       seconds per contender and round (default 1)
          --size MIB        size of the transferred file in MiB (default 1024); a blob has twice that
          --quick           one short round of everything, to see that it works; its figures mean nothing
          --callgrind       also count instructions per call (needs valgrind; takes a minute)
          --json FILE       where the results go as JSON (default Benchmarks/.build/results/latest.json)
          --enforce         exit with 1 when a ratio misses what it must reach
          -h, --help        this text

        TMPDIR names the folder for the transferred files; it needs twice --size, and four times with blobs.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let next = rest.popFirst() else { throw BenchError("\(option) needs a value") }
            return next
        }
        func number<N: LosslessStringConvertible & Comparable & ExpressibleByIntegerLiteral>(
            _ type: N.Type, of option: String
        ) throws -> N {
            let text = try value(of: option)
            guard let number = N(text), number > 0 else { throw BenchError("\(option) needs a number above 0") }
            return number
        }
        while let option = rest.popFirst() {
            switch option {
            case "--only":
                parts = Set(
                    try value(of: option).split(separator: ",").map {
                        guard let part = Part(rawValue: String($0)) else { throw BenchError("no such part: \($0)") }
                        return part
                    })
            case "--rounds": rounds = try number(Int.self, of: option)
            case "--seconds": seconds = try number(Double.self, of: option)
            case "--size": transferMebibytes = try number(Int.self, of: option)
            case "--quick": (rounds, seconds, transferMebibytes) = (1, 0.2, 64)
            case "--callgrind": callgrind = true
            case "--json": resultFile = URL(fileURLWithPath: try value(of: option))
            case "--enforce": enforce = true
            default: throw BenchError("unknown option: \(option)\n\n\(Self.help)")
            }
        }
    }
}

/// An end of the run that a person can do something about.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Where things lie: the benchmarks run where they were built.
enum Layout {
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let fetchScript = package.appendingPathComponent("Peers/fetch.mjs")
    static let eventsScript = package.appendingPathComponent("Peers/events.mjs")
    static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    static let bareCurl = executable.deletingLastPathComponent().appendingPathComponent("bare-curl")
    static let bareOpenSSL = executable.deletingLastPathComponent().appendingPathComponent("bare-openssl")
}
