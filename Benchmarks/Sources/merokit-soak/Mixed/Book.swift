/// What one writer knows of its writes, held against what the contract counted.
final class Book: Sendable {
    struct Totals: Sendable {
        var acknowledged = 0
        var refused = 0
        /// Nobody told whether they ran.
        var unknown = 0
        /// Of the unknown, those that turned out to have run.
        var unknownThatRan = 0
    }

    private struct State {
        var last = 0
        var acknowledged: Set<Int> = []
        var refused: Set<Int> = []
        /// Whether each was found in the context already. They are remembered to the end: they may run late.
        var unknown: [Int: Bool] = [:]
        /// Every write up to here was accounted for, and dropped from the context.
        var settled = 0
        var totals = Totals()
    }

    let writer: String
    private let findings: Findings
    private let state = Guarded(State())

    init(_ writer: String, findings: Findings) {
        self.writer = writer
        self.findings = findings
    }

    var totals: Totals { state.with { $0.totals } }
    var last: Int { state.with { $0.last } }
    /// Writes since the last account.
    var open: Int { state.with { $0.last - $0.settled } }

    /// The number of the next write.
    func next() -> Int {
        state.with { state in
            state.last += 1
            return state.last
        }
    }

    func acknowledge(_ number: Int) {
        state.with { state in
            state.acknowledged.insert(number)
            state.totals.acknowledged += 1
        }
    }

    func note(_ fate: Fate, of number: Int) {
        state.with { state in
            switch fate {
            case .refused:
                state.refused.insert(number)
                state.totals.refused += 1
            case .unknown:
                state.unknown[number] = false
                state.totals.unknown += 1
            }
        }
    }

    /// Compares with how often each number ran, as the context has it; the writer has nothing under way.
    func check(_ runs: [Int: Int]) {
        let problems = state.with { state -> [String] in
            var problems: [String] = []
            for (number, count) in runs {
                if count != 1 { problems.append("ran \(count) times: \(number)") }
                if let wasSeen = state.unknown[number] {
                    if wasSeen { problems.append("ran twice, and its outcome is unknown: \(number)") }
                    state.unknown[number] = true
                    if !wasSeen { state.totals.unknownThatRan += 1 }
                } else if number <= state.settled {
                    problems.append("ran again: \(number)")
                } else if state.refused.contains(number) {
                    problems.append("ran although it was refused: \(number)")
                } else if !state.acknowledged.contains(number) {
                    problems.append("was never written: \(number)")
                }
            }
            for number in state.acknowledged where runs[number] == nil {
                problems.append("acknowledged and not there: \(number)")
            }
            return problems
        }
        for problem in problems { findings.add("\(writer): \(problem)") }
    }

    /// What was checked up to here has been dropped from the context.
    func settle(through number: Int) {
        state.with { state in
            state.settled = number
            state.acknowledged = []
            state.refused = []
        }
    }
}
