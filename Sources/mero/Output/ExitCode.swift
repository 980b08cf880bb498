/// How `mero` ends. Scripts depend on these numbers: they are never given another meaning.
enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    case refused = 1
    case usage = 2
    case notSignedIn = 3
    case unreachable = 4
    case unexpectedAnswer = 5
    case localFile = 6
    case interrupted = 130
    case brokenPipe = 141
    case terminated = 143
}

extension ExitCode {
    /// For the help pages: a word, a colon, and what it covers.
    static let table: [(String, String)] = [
        ("0", "done"),
        ("1", "refused: the node or the contract said no, or a check of demo or doctor failed"),
        ("2", "usage: the command line or its JSON cannot be used; nothing was sent"),
        ("3", "not signed in: no session, a wrong password, or the session is over"),
        ("4", "unreachable: no answer (address, connection, certificate, time-out)"),
        ("5", "unexpected answer: what came back is not what a node sends"),
        ("6", "local file: a profile or another file could not be read or written"),
        ("130", "interrupted: by Ctrl-C (143 by a termination signal, 141 when the reader of a pipe left)"),
    ]

    /// The word for this in JSON errors.
    var word: String {
        switch self {
        case .done: return "done"
        case .refused: return "refused"
        case .usage: return "usage"
        case .notSignedIn: return "not-signed-in"
        case .unreachable: return "unreachable"
        case .unexpectedAnswer: return "unexpected-answer"
        case .localFile: return "local-file"
        case .interrupted, .terminated: return "interrupted"
        case .brokenPipe: return "broken-pipe"
        }
    }
}
