/// One command of `mero`, as data.
///
/// The table of commands (`CommandTable`) is a tree of these. A group such as `context` has subcommands and no body; a
/// leaf has a body. Adding a command means adding a value to the table: parsing, help and completion follow.
struct Command: Sendable {
    typealias Body = @Sendable (Invocation) async throws -> ExitCode

    /// A thing that stands without dashes on the command line.
    struct Operand: Sendable, Equatable {
        let name: String
        let help: String
        var optional = false
        /// True for the last operand when it takes all words that are left.
        var repeats = false
        /// Words offered by completion, and the only ones accepted when not empty.
        var choices: [String] = []
        /// Other spellings of a choice, as what they stand for: nil for what stands for none.
        var choice: (@Sendable (String) -> String?)?

        static func == (left: Operand, right: Operand) -> Bool {
            left.name == right.name && left.help == right.help && left.optional == right.optional
                && left.repeats == right.repeats && left.choices == right.choices
        }
    }

    struct Example: Sendable, Equatable {
        let says: String
        let line: String
    }

    let name: String
    /// One line, no full stop.
    let summary: String
    /// Paragraphs, each one line of source text; the help page wraps them.
    var details: [String] = []
    var operands: [Operand] = []
    var options: [OptionSpec] = []
    var examples: [Example] = []
    var subcommands: [Command] = []
    var body: Body?
}

extension Command {
    func subcommand(named name: String) -> Command? { subcommands.first { $0.name == name } }

    /// Options by name, with the ones that every command has.
    var allOptions: [OptionSpec] { options + OptionSpec.everywhere }
}
