/// The two outputs of a command: answers on standard output, everything else on standard error.
struct Console: Sendable {
    let output: any TextSink
    let errors: any TextSink
    /// True when the caller asked for `--json`: one document or one document a line, and nothing else.
    let json: Bool
    /// Of standard output; standard error is never coloured when standard output is not.
    let style: Style
    let errorStyle: Style

    /// A line for people. Left out in JSON mode.
    func line(_ text: String = "") throws {
        if !json { try output.write(text + "\n") }
    }

    func table(_ table: Table) throws {
        for text in table.lines(style: style) { try line(text) }
    }

    /// A document for programs. Left out for people.
    func document(_ report: Report) throws {
        if json { try output.write(report.json + "\n") }
    }

    /// The answer itself, whoever reads it.
    func answer(_ text: String) throws { try output.write(text + "\n") }

    /// A remark for people, beside the answer.
    func remark(_ text: String) throws {
        if !json { try errors.write(errorStyle.dim("mero: " + text.printable) + "\n") }
    }

    func report(_ failure: Failure) {
        // When standard error is closed there is nobody left to tell.
        try? errors.write((json ? failure.report.json : errorStyle.red(failure.line)) + "\n")
    }
}
