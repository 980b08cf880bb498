import MeroKit

extension Command {
    static let logout = Command(
        name: "logout", summary: "end the session, at the node and here",
        details: [
            "The node is asked to retire the session, then the tokens are removed. When the node cannot be reached they "
                + "are removed all the same. The profile keeps the node and the user for the next login."
        ],
        options: OptionSpec.connection,
        examples: [
            .init(says: "end the session", line: "mero logout"),
            .init(says: "end another profile's", line: "mero logout --profile staging"),
        ],
        body: LogoutCommand.run)
}

enum LogoutCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let profile = try Connection.profile(invocation)
        let connection = try Connection.ifNamed(invocation)
        let wasSignedIn = connection?.store.getTokens() != nil
        if let connection, wasSignedIn {
            try await connection.signedIn().logout()
            if Task.isCancelled {
                try invocation.console.remark(
                    "The session is removed here, but the node may not have heard of it: it holds there until it expires."
                )
                throw CancellationError()
            }
            guard connection.store.getTokens() == nil else {
                throw Failure(
                    code: .localFile, message: "The session's file cannot be removed",
                    hint: "Remove \(profile.tokensFile(for: connection.node).path) by hand")
            }
        }
        let place = connection.map { " to \($0.node.text)" } ?? ""
        try invocation.console.line(
            wasSignedIn ? "Signed out." : "Profile \"\(profile.name)\" was not signed in\(place).".printable)
        try invocation.console.document(["profile": .string(profile.name), "wasSignedIn": .bool(wasSignedIn)])
        return .done
    }
}
