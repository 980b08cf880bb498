import Foundation
import MeroKit

extension Command {
    static let login = Command(
        name: "login", summary: "sign in to a node and keep the session",
        details: [
            "Asks for the password on the terminal without showing it, or reads it from standard input with "
                + "--password-stdin. It is never an argument, and it is not kept: what is kept is the session, in a file "
                + "that only you can read.",
            "The node and the user are remembered in the profile, which can hold a session with several nodes. Without --node, the profile's node is used, or the one "
                + "that \"mero discover\" finds on this machine.",
        ],
        options: [.user, .passwordFromInput] + OptionSpec.connection,
        examples: [
            .init(says: "the first time", line: "mero login --node https://node.example --user alice"),
            .init(says: "again, after the session ended", line: "mero login"),
            .init(
                says: "from a script, the password in a file only it can read",
                line: "mero login --user alice --password-stdin < password.txt"),
            .init(
                says: "a second session beside the first",
                line: "mero login --profile staging --node https://staging.example --user alice"),
        ],
        body: LoginCommand.run)
}

enum LoginCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let connection = try await connection(invocation)
        let signIn = SignIn(invocation: invocation)
        try await signIn.prepare(connection)
        let credentials = try await signIn.credentials(for: connection)
        try connection.profile.prepareFolder()
        let tokens = try await connection.signIn(credentials)
        try remember(connection, user: credentials.username)
        let claims = SessionClaims(token: tokens.accessToken)
        let permissions = claims?.permissions ?? []
        try invocation.console.line(
            "Signed in to \(connection.node.text) as \(credentials.username.printable)"
                + (permissions.isEmpty ? "." : ", who may: \(permissions.joined(separator: " ").printable)."))
        try invocation.console.document([
            "node": .string(connection.node.text), "user": .string(credentials.username),
            "profile": .string(connection.profile.name), "permissions": .strings(permissions),
            "expiresAt": .time(tokens.expiresAt),
        ])
        return .done
    }

    private static func connection(_ invocation: Invocation) async throws -> Connection {
        if let named = try Connection.ifNamed(invocation) { return named }
        let profile = try Connection.profile(invocation)
        // A password from a file goes only where somebody said it should go.
        let mayLook = !invocation.arguments.has(.passwordFromInput)
        let found = mayLook ? await NodeDiscovery.discoverLocalNodes() : []
        guard let only = found.first, found.count == 1, let node = NodeAddress(only.absoluteString) else {
            let seen = found.isEmpty ? "" : " (on this machine: \(found.map(\.absoluteString).joined(separator: ", ")))"
            throw Failure(
                code: .usage, message: "No node is named",
                hint: "Add --node URL\(seen), or start one here with \"mero dev\"")
        }
        return try Connection(invocation, profile: profile, settings: profile.loadSettings(), node: node)
    }

    private static func remember(_ connection: Connection, user: String) throws {
        var settings = connection.settings
        settings.node = connection.node.text
        settings.user = user
        settings.certificateAuthorityFile = connection.certificateAuthorityFile?.path
        try connection.profile.save(settings)
    }
}
