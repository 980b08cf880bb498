/// What `doctor` found out about one thing.
struct Check: Sendable, Equatable {
    enum Verdict: String, Sendable {
        case ok, warn, fail
    }

    let name: String
    let verdict: Verdict
    /// What was seen.
    let finding: String
    /// What to do about it; nil when there is nothing to do.
    var hint: String?
    /// How the command ends when this check fails.
    var code: ExitCode = .refused

    static func ok(_ name: String, _ finding: String) -> Check {
        Check(name: name, verdict: .ok, finding: finding)
    }

    static func warn(_ name: String, _ finding: String, _ hint: String?) -> Check {
        Check(name: name, verdict: .warn, finding: finding, hint: hint)
    }

    static func fail(_ name: String, _ finding: String, _ hint: String?, code: ExitCode = .refused) -> Check {
        Check(name: name, verdict: .fail, finding: finding, hint: hint, code: code)
    }

    /// A failed call, judged like the error of a command.
    static func fail(_ name: String, _ error: any Error) -> Check {
        let failure = Failure(describing: error)
        // The command's own hint points here.
        let elsewhere = "Check the address, and that a node runs there (\"mero dev\" starts one on this machine)"
        return .fail(
            name, failure.message, failure.code == .unreachable ? elsewhere : failure.hint, code: failure.code)
    }
}

extension Check {
    var report: Report {
        [
            "name": .string(name), "verdict": .string(verdict.rawValue), "finding": .string(finding),
            "hint": .optional(hint),
        ]
    }

    func line(style: Style) -> String {
        let mark: String
        switch verdict {
        case .ok: mark = style.green("ok  ")
        case .warn: mark = style.yellow("warn")
        case .fail: mark = style.red("FAIL")
        }
        let padded = name + String(repeating: " ", count: max(0, 12 - name.count))
        let first = "\(mark)  \(style.bold(padded)) \(finding.printable)"
        return hint.map { "\(first)\n\(String(repeating: " ", count: 19))\(style.dim("-> " + $0.printable))" } ?? first
    }
}
