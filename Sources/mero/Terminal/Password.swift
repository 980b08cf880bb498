/// Gets a password from the one who runs the command, and from nowhere else.
///
/// Never an argument and never a variable: other users of the machine can read the first, child processes inherit the
/// second.
struct Password: Sendable {
    let input: any InputSource
    let console: Console

    /// One line of standard input when `fromInput`, else typed without being shown.
    func ask(prompt: String, fromInput: Bool) async throws -> String {
        if fromInput { return try text(of: await input.line(hidden: false, limit: Self.limit)) }
        guard input.isTerminal else {
            throw Failure(
                code: .usage, message: "There is no terminal to ask for the password on",
                hint: "Send the password to standard input and add --password-stdin")
        }
        try console.errors.write(prompt.printable + " ")
        let line: [UInt8]?
        do {
            line = try await input.line(hidden: true, limit: Self.limit)
        } catch {
            // The line end that was typed (or not) was not shown either.
            try? console.errors.write("\n")
            throw error is InputTooLong ? tooLong : error
        }
        try console.errors.write("\n")
        return try text(of: line)
    }

    private func text(of line: [UInt8]?) throws -> String {
        var bytes = line ?? []
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else {
            throw Failure(code: .usage, message: "No password was given", hint: "Nothing was sent to the node")
        }
        guard let password = String(exactly: bytes) else {
            throw Failure(code: .usage, message: "The password is not UTF-8 text", hint: "Nothing was sent to the node")
        }
        return password
    }

    private var tooLong: Failure {
        Failure(code: .usage, message: "The password is longer than \(Self.limit) bytes", hint: "Nothing was sent")
    }

    /// A node takes up to 128 characters; this leaves room for any encoding of them and stops a file given by mistake.
    private static let limit = 4096
}
