import Foundation

/// What reads data from outside, and how it is fed.
///
/// Unchecked: the process has one task, which makes all of them and runs one after the other.
struct Parser: @unchecked Sendable {
    enum Outcome {
        case accepted
        case refused
    }

    let name: String
    /// Reads one input. Throws `Finding` when it shows a fault.
    let read: (inout Mutator) async throws -> Outcome

    init(_ name: String, _ read: @escaping (inout Mutator) async throws -> Outcome) {
        self.name = name
        self.read = read
    }
}

/// Something that must not be.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw Finding(text()) }
    }
}

/// Runs parsers over many inputs, and counts.
///
/// Every input has a seed of its own, which is printed when it shows a fault, is slow, takes much memory or ends the process:
/// to run that one alone, give it as the seed of one input.
struct Campaign {
    struct Tally {
        var accepted = 0
        var refused = 0
        var findings = 0
        var seconds = 0.0
        var slowest = 0.0
        var count: Int { accepted + refused + findings }
    }

    /// Seconds of processor time that no input may take.
    let patience: Double
    /// Bytes by which no input may raise the most that the process has ever held.
    let memoryLimit = 256 << 20
    let isVerbose: Bool
    private(set) var tallies: [String: Tally] = [:]
    private var held = Campaign.peak()

    init(patience: Double, isVerbose: Bool) {
        self.patience = patience
        self.isVerbose = isVerbose
    }

    var hasFindings: Bool { tallies.values.contains { $0.findings > 0 } }

    /// Feeds inputs from `seed` on, until there were so many or until the time is over. Returns how many there were.
    mutating func run(_ parser: Parser, seed: UInt64, count: Int, until end: Date = .distantFuture) async -> Int {
        var tally = tallies[parser.name] ?? Tally()
        defer { tallies[parser.name] = tally }
        LastWords.parser(parser.name)
        let own = parser.name.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        let begin = Date()
        var number = 0
        while number < count, number & 0xF != 0 || Date() < end {
            let inputSeed = seed &+ UInt64(number)
            number += 1
            LastWords.input(inputSeed)
            if isVerbose { say("\(parser.name) seed \(inputSeed)") }
            var mutator = Mutator(seed: inputSeed ^ own)
            let before = Self.processorTime()
            var finding: String?
            do {
                switch try await parser.read(&mutator) {
                case .accepted: tally.accepted += 1
                case .refused: tally.refused += 1
                }
            } catch {
                tally.findings += 1
                finding = "\(error)"
            }
            let seconds = Self.processorTime() - before
            tally.slowest = max(tally.slowest, seconds)
            if seconds > patience { finding = (finding ?? "slow") + ": \(seconds) s" }
            let peak = Self.peak()
            if peak - held > memoryLimit { finding = (finding ?? "memory") + ": \((peak - held) >> 20) MiB" }
            held = max(held, peak)
            if let finding {
                tally.findings += tally.findings == 0 ? 1 : 0
                say("finding: \(parser.name): \(finding), with seed \(inputSeed)")
                if tally.findings >= 10 { break }
            }
        }
        LastWords.idle()
        tally.seconds += Date().timeIntervalSince(begin)
        return number
    }

    func report(seed: UInt64, names: [String]) {
        var total = 0
        for name in names {
            guard let tally = tallies[name] else { continue }
            total += tally.count
            let slowest = String(format: "%.3f", tally.slowest)
            say(
                "  \(name): \(tally.accepted) accepted, \(tally.refused) refused in \(Int(tally.seconds.rounded())) s, "
                    + "the slowest took \(slowest) s")
        }
        say(
            "\(total) inputs from seed \(seed), \(hasFindings ? "with findings" : "no finding"), "
                + "at most \(Campaign.peak() >> 20) MiB")
    }

    /// Of all threads of the process: what is waited for does not count.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Bytes.
    private static func peak() -> Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss << 10
        #endif
    }
}

/// Writes a line at once: into a pipe, `print` would keep it for later, and a process that dies has no later.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
