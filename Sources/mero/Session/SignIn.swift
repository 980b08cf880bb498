import Foundation
import MeroKit

/// The login shared by `login` and `demo`: who, and with which password.
struct SignIn: Sendable {
    let invocation: Invocation

    /// Makes sure that a node answers before anything secret is typed or sent, and warns when the way there can be
    /// listened to.
    func prepare(_ connection: Connection) async throws {
        let providers = try await providers(of: connection).map(\.name)
        if !providers.contains(where: { $0 == "user_password" || $0 == "username_password" }) {
            throw Failure(
                code: .refused, message: "\(connection.node.text) does not take user names and passwords",
                hint: providers.isEmpty ? nil : "It offers: \(providers.joined(separator: ", "))")
        }
        if !connection.node.isEncrypted && !connection.node.isLoopback {
            try invocation.console.remark(
                "\(connection.node.text) is not encrypted: everybody on the way can read the password.")
        }
    }

    private func providers(of connection: Connection) async throws -> [Provider] {
        do {
            return try await connection.anonymous().auth.getProviders().providers
        } catch MeroError.http(let error) where error.status == 404 {
            throw Failure(
                code: .unexpectedAnswer, message: "What answers at \(connection.node.text) is not a Calimero node",
                hint: "Check the address, a path prefix included", status: error.status)
        }
    }

    func credentials(for connection: Connection) async throws -> Credentials {
        let user = try await userName(known: connection.user)
        let password = try await Password(input: invocation.surroundings.input, console: invocation.console).ask(
            prompt: "Password of \(user) at \(connection.node.text):",
            fromInput: invocation.arguments.has(.passwordFromInput))
        return Credentials(username: user, password: password)
    }

    private func userName(known: String?) async throws -> String {
        if let named = invocation.arguments.text(.user) ?? known { return named }
        let input = invocation.surroundings.input
        guard input.isTerminal, !invocation.arguments.has(.passwordFromInput) else {
            throw Failure(code: .usage, message: "No user is named", hint: "Add --user NAME")
        }
        try invocation.console.errors.write("User: ")
        let line = try await input.line(hidden: false, limit: 1024)
        guard let name = line.flatMap(String.init(exactly:))?.trimmingCharacters(in: .whitespaces), !name.isEmpty else {
            throw Failure(code: .usage, message: "No user is named", hint: "Add --user NAME")
        }
        return name
    }
}
