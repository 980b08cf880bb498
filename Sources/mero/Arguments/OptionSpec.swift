/// One `--option`, as data: the parser, the help pages and the completion scripts all read it from here.
struct OptionSpec: Sendable, Equatable {
    /// What the option takes after it.
    enum Value: Sendable, Equatable {
        /// Nothing: the option is a switch.
        case none
        /// Any text; the word is the placeholder in the help (`NAME`).
        case text(String)
        /// The address of a node.
        case node
        case file
        case directory
        /// A positive number of seconds, fractions allowed.
        case seconds
        /// 0 to 65535.
        case port
        /// A whole number above 0.
        case count
        case profile
        case choice([String])
    }

    /// Without the dashes.
    let name: String
    var short: Character?
    var value: Value = .none
    let help: String
    /// True when it may be given several times and every value counts. Otherwise the last one wins, so that a shell
    /// alias can be overridden.
    var repeats = false
    /// The environment variable that says the same, for the help.
    var environment: String?
}

extension OptionSpec {
    /// `--name`, as a person writes it.
    var flag: String { "--\(name)" }

    /// The placeholder of the value in the help, nil for a switch.
    var placeholder: String? {
        switch value {
        case .none: return nil
        case .text(let word): return word
        case .node: return "URL"
        case .file: return "FILE"
        case .directory: return "DIR"
        case .seconds: return "SECONDS"
        case .port: return "PORT"
        case .count: return "N"
        case .profile: return "NAME"
        case .choice(let words): return words.joined(separator: "|")
        }
    }

    /// Says what is wrong with a value, nil when nothing is.
    func complaint(about text: String) -> String? {
        switch value {
        case .none, .text, .file, .directory:
            return text.isEmpty ? "it is empty" : nil
        case .node:
            return NodeAddress.complaint(about: text)
        case .profile:
            return ProfileName.complaint(about: text)
        case .seconds:
            guard let seconds = Double(text), seconds.isFinite, seconds > 0, seconds <= Self.longestWait else {
                return "it is not a number of seconds above 0 and up to \(Int(Self.longestWait))"
            }
            return nil
        case .port:
            return UInt16(text) == nil ? "it is not a port number from 0 to 65535" : nil
        case .count:
            return (Int(text) ?? 0) > 0 ? nil : "it is not a whole number above 0"
        case .choice(let words):
            if words.contains(text) { return nil }
            return "it is none of \(words.joined(separator: ", "))"
        }
    }

    /// A day: far above any sensible time-out, far below where seconds as nanoseconds overflow.
    private static let longestWait = 86_400.0
}
