import MeroKit

/// Gets an account's root from the one who runs the command: as a recovery phrase, and never as an argument.
struct RootInput: Sendable {
    let invocation: Invocation

    func ask() async throws -> AccountRoot {
        let phrase = try await phrase()
        do {
            return try AccountRoot(phrase: phrase)
        } catch let error as RecoveryPhraseError {
            throw Failure(code: .usage, message: error.localizedDescription, hint: "Nothing was changed")
        }
    }

    private func phrase() async throws -> String {
        let input = invocation.surroundings.input
        if invocation.arguments.has(.phraseFromInput) {
            // Written down, a phrase often has several lines.
            return String(decoding: try await input.everything(limit: Self.limit), as: UTF8.self)
        }
        guard input.isTerminal else {
            throw Failure(
                code: .usage, message: "There is no terminal to ask for the recovery phrase on",
                hint: "Send the phrase to standard input and add --phrase-stdin")
        }
        let errors = invocation.console.errors
        try errors.write("Recovery phrase (24 words, not shown): ")
        defer { try? errors.write("\n") }
        let line = try await input.line(hidden: true, limit: Self.limit)
        return String(decoding: line ?? [], as: UTF8.self)
    }

    /// 24 words have 215 letters at most; this leaves room for a generous layout.
    private static let limit = 4096
}

extension OptionSpec {
    static let phraseFromInput = OptionSpec(
        name: "phrase-stdin", help: "Read the recovery phrase from standard input instead of asking on the terminal.")
    static let replaceAccount = OptionSpec(
        name: "replace",
        help: "Give up the device that the profile holds. Without its keys nobody can write as it again.")
}
