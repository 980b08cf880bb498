import Foundation

/// One measured quantity: a value for each round.
struct Figure: Encodable {
    var name: String
    var unit: String
    var values: [Double]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(unit, forKey: .unit)
        try container.encode(values, forKey: .values)
        try container.encode(values.median, forKey: .median)
    }

    enum CodingKeys: String, CodingKey {
        case name, unit, values, median
    }
}

/// One promise: what was measured against what it must reach.
struct Check: Encodable {
    enum Verdict: String, Encodable {
        case reachesWanted = "reaches what is wanted"
        case reachesMust = "reaches what it must"
        case misses = "MISSES what it must"
    }

    enum Unit: String, Encodable {
        case times, percent, mebibytes, kibibytes, milliseconds

        func text(_ value: Double) -> String {
            switch self {
            case .times: String(format: value < 10 ? "%.1fx" : "%.0fx", value)
            case .percent: String(format: "%.0f %%", value * 100)
            case .mebibytes: String(format: "%.0f MiB", value)
            case .kibibytes: String(format: "%.0f KiB", value)
            case .milliseconds: String(format: "%.2f ms", value)
            }
        }
    }

    var name: String
    var unit: Unit
    var value: Double
    var must: Double
    var wanted: Double?
    /// True: the smaller the better.
    var isCeiling = false

    var verdict: Verdict {
        if let wanted, reaches(wanted) { return .reachesWanted }
        return reaches(must) ? .reachesMust : .misses
    }

    private func reaches(_ bound: Double) -> Bool { isCeiling ? value < bound : value >= bound }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(unit, forKey: .unit)
        try container.encode(value, forKey: .value)
        try container.encode(must, forKey: .must)
        try container.encodeIfPresent(wanted, forKey: .wanted)
        try container.encode(isCeiling, forKey: .isCeiling)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(verdict != .misses, forKey: .isMet)
    }

    enum CodingKeys: String, CodingKey {
        case name, unit, value, must, wanted, isCeiling, verdict, isMet
    }
}

/// Everything a run found out: printed as Markdown, kept as JSON.
struct Report: Encodable {
    var machine: [String] = []
    var rounds: Int
    var figures: [Figure] = []
    var checks: [Check] = []
    /// What could not be measured here, and why.
    var absent: [String] = []
    private var sections: [String] = []

    init(rounds: Int) {
        self.rounds = rounds
    }

    enum CodingKeys: String, CodingKey {
        case machine, rounds, figures, checks, absent
    }

    mutating func add(title: String, note: String, columns: [String], rows: [[String]]) {
        let alignment = columns.indices.map { $0 == 0 ? "---" : "---:" }
        let lines = ([columns, alignment] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
        sections.append("### \(title)\n\n\(note)\n\n" + lines.joined(separator: "\n"))
    }

    var markdown: String {
        var parts = [machine.map { "- \($0)" }.joined(separator: "\n")] + sections
        if !checks.isEmpty {
            let rows = checks.map { check in
                [
                    check.name, check.unit.text(check.value),
                    (check.isCeiling ? "under " : "") + check.unit.text(check.must),
                    check.wanted.map { (check.isCeiling ? "under " : "") + check.unit.text($0) } ?? "",
                    check.verdict.rawValue,
                ]
            }
            let lines = ([["", "measured", "must", "wanted", ""], ["---", "---:", "---:", "---:", "---"]] + rows)
                .map { "| " + $0.joined(separator: " | ") + " |" }
            let missed = checks.filter { $0.verdict == .misses }.count
            let sum = missed == 0 ? "All \(checks.count) are kept." : "\(missed) of \(checks.count) are missed."
            parts.append("### Promises\n\n\(sum)\n\n" + lines.joined(separator: "\n"))
        }
        if !absent.isEmpty {
            parts.append("Not measured here:\n\n" + absent.map { "- \($0)" }.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n")
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try encoder.encode(self).write(to: file)
    }
}

extension Array where Element == Double {
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The median of the ratios round by round: what slows the machine down for a while slows both sides of a round.
    func medianRatio(to other: [Double]) -> Double {
        zip(self, other).map { $0 / $1 }.median
    }
}

extension Double {
    /// `12,345`, whatever the locale.
    var grouped: String {
        let digits = String(Int(rounded()))
        var text = ""
        for (index, digit) in digits.reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}

func note(_ progress: String) {
    FileHandle.standardError.write(Data("\(progress)\n".utf8))
}
