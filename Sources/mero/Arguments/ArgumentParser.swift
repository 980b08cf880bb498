/// Reads a command line against a tree of commands.
///
/// Options stand anywhere after `mero`, before or after the command and its operands. `--name value`, `--name=value`,
/// `-n value` and `-nvalue` all work; switches with one letter can be joined (`-qj`). After `--` everything is an operand,
/// `-` alone is one too (it stands for standard input), and so is a negative number.
struct ArgumentParser: Sendable {
    struct Result: Sendable {
        /// From the root to the command that was named.
        var path: [Command]
        var arguments = Arguments()
        var wantsHelp = false
        var wantsVersion = false

        var command: Command { path[path.count - 1] }
        /// `mero call`, as a person writes it.
        var commandLine: String { path.map(\.name).joined(separator: " ") }
    }

    let root: Command

    func parse(_ words: [String]) throws -> Result {
        var scan = Scan(words: words, result: Result(path: [root]))
        while let word = scan.next() {
            if scan.onlyOperands || !Self.looksLikeOption(word) {
                try scan.takeBare(word)
            } else if word == "--" {
                scan.onlyOperands = true
            } else if word.hasPrefix("--") {
                try scan.takeLong(word)
            } else {
                try scan.takeShort(word)
            }
        }
        if scan.result.wantsHelp || scan.result.wantsVersion { return scan.result }
        try scan.finish()
        return scan.result
    }

    /// `-` and negative numbers are operands.
    static func looksLikeOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !(second.isASCII && second.isNumber)
    }
}

/// The state of one pass over the words.
private struct Scan {
    let words: [String]
    var position = 0
    var result: ArgumentParser.Result
    var onlyOperands = false
    /// Bare words of the command, not yet matched with its operands.
    var bare: [String] = []
    /// Options seen so far, in the order given: those before the command are judged once it is known.
    var used: [OptionSpec] = []

    init(words: [String], result: ArgumentParser.Result) {
        self.words = words
        self.result = result
    }

    mutating func next() -> String? {
        guard position < words.count else { return nil }
        defer { position += 1 }
        return words[position]
    }

    mutating func takeBare(_ word: String) throws {
        let command = result.command
        guard !command.subcommands.isEmpty, !onlyOperands else {
            bare.append(word)
            return
        }
        guard let found = command.subcommand(named: word) else {
            throw UsageError.unknownCommand(word, of: result)
        }
        result.path.append(found)
    }

    mutating func takeLong(_ word: String) throws {
        let text = word.dropFirst(2)
        let name: String
        var attached: String?
        if let equals = text.firstIndex(of: "=") {
            name = String(text[..<equals])
            attached = String(text[text.index(after: equals)...])
        } else {
            name = String(text)
        }
        guard let option = known.first(where: { $0.name == name }) else {
            throw UsageError.unknownOption("--\(name)", of: result, known: known)
        }
        if option.value == .none {
            if attached != nil { throw UsageError.takesNoValue(option.flag, of: result) }
            turnOn(option)
        } else {
            try take(attached, for: option, writtenAs: option.flag)
        }
    }

    mutating func takeShort(_ word: String) throws {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = known.first(where: { $0.short == letter }) else {
                throw UsageError.unknownOption("-\(letter)", of: result, known: known)
            }
            guard option.value == .none else {
                let attached = letters.first == "=" ? letters.dropFirst() : letters
                try take(letters.isEmpty ? nil : String(attached), for: option, writtenAs: "-\(letter)")
                return
            }
            turnOn(option)
        }
    }

    /// Before a command is known, the options of the connection count too, so that `mero --node URL call ...` works.
    private var known: [OptionSpec] {
        let command = result.command
        return command.subcommands.isEmpty ? command.allOptions : command.allOptions + OptionSpec.beforeCommand
    }

    private mutating func turnOn(_ option: OptionSpec) {
        used.append(option)
        switch option {
        case .help: result.wantsHelp = true
        case .version: result.wantsVersion = true
        default: result.arguments.turnOn(option)
        }
    }

    private mutating func take(_ attached: String?, for option: OptionSpec, writtenAs flag: String) throws {
        used.append(option)
        let value: String
        if let attached {
            value = attached
        } else if position < words.count, !ArgumentParser.looksLikeOption(words[position]) {
            value = words[position]
            position += 1
        } else {
            throw UsageError.needsValue(flag, option, of: result)
        }
        if let complaint = option.complaint(about: value) {
            let shown = option.value == .node ? NodeAddress.shown(value) : value
            throw UsageError.badValue(shown, flag: flag, complaint: complaint, of: result)
        }
        result.arguments.add(value, to: option)
    }

    /// Checks what can only be known at the end: the options against the command, the bare words against its operands.
    mutating func finish() throws {
        let command = result.command
        guard command.subcommands.isEmpty else {
            throw UsageError.noCommand(of: result)
        }
        for option in used where !command.allOptions.contains(where: { $0.name == option.name }) {
            throw UsageError.doesNotApply(option, of: result)
        }
        var rest = bare[...]
        for operand in command.operands {
            guard let word = rest.popFirst() else {
                if operand.optional { continue }
                throw UsageError.missingOperand(operand, of: result)
            }
            try accept(word, for: operand)
            while operand.repeats, let word = rest.popFirst() { try accept(word, for: operand) }
        }
        if let extra = rest.first { throw UsageError.extraOperand(extra, of: result) }
    }

    private mutating func accept(_ word: String, for operand: Command.Operand) throws {
        guard !operand.choices.isEmpty, !operand.choices.contains(word) else {
            return result.arguments.add(word, to: operand)
        }
        guard let choice = operand.choice?(word) else { throw UsageError.badOperand(word, for: operand, of: result) }
        result.arguments.add(choice, to: operand)
    }
}
