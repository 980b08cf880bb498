/// Everything a command's body works with.
struct Invocation: Sendable {
    var arguments: Arguments
    let console: Console
    let surroundings: Surroundings
    /// The address of the relay that the command goes through: of `--relay`, else, for a command that has this option and
    /// where no node is named on the line, of `MERO_RELAY`.
    var relay: String?
}

/// What a process finds around itself. Tests bring their own.
struct Surroundings: Sendable {
    var variables: [String: String]
    var input: any InputSource
    var output: any TextSink
    var errors: any TextSink
    /// Whether standard output and standard error are terminals.
    var outputIsTerminal: Bool
    var errorsIsTerminal: Bool
}

extension Surroundings {
    /// Colours only where a person looks on, and nobody asked for none.
    func style(forTerminal isTerminal: Bool) -> Style {
        let isUnwanted = variables["NO_COLOR"].map { !$0.isEmpty } ?? false
        return Style(colours: isTerminal && !isUnwanted && variables["TERM"] != "dumb")
    }
}
