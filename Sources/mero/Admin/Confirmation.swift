import Foundation

/// Asks before something is done that cannot be undone.
extension AdminRun {
    /// Returns when the one at the terminal agrees, or `--yes` was given. Nothing has been sent until then.
    ///
    /// With `--json` nobody is asked: a program reads along, and standard error is its.
    ///
    /// - Parameter question: What happens then, as a question.
    func confirm(_ question: String) async throws {
        guard !arguments.has(.yes) else { return }
        let input = invocation.surroundings.input
        guard input.isTerminal, !console.json else {
            throw Failure(
                code: .usage, message: "This cannot be undone, and there is nobody to ask: \(question)",
                hint: "Add --yes to do it; nothing was done")
        }
        try console.errors.write("\(question.printable) This cannot be undone. [y/N] ")
        let line = try await input.line(hidden: false, limit: 1024)
        let answer = String(decoding: line ?? [], as: UTF8.self).trimmingCharacters(in: .whitespaces).lowercased()
        // At the end of the input no line was typed that would have ended this one.
        if line == nil { try console.errors.write("\n") }
        guard answer == "y" || answer == "yes" else {
            throw Failure(code: .usage, message: "It was not confirmed", hint: "Nothing was done")
        }
    }
}

extension OptionSpec {
    static let yes = OptionSpec(
        name: "yes", short: "y", help: "Do not ask. Needed where there is no terminal, and with --json.")
}
