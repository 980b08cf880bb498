import Foundation
import MeroKit

extension Command {
    static let whoami = Command(
        name: "whoami", summary: "show who is signed in, where, and what the session may do",
        details: [
            "Asks the node whether it still accepts the session; an expired one is renewed on the way. What the session "
                + "may do is read from its token, and the node has the last word."
        ],
        options: OptionSpec.connection,
        examples: [
            .init(says: "look", line: "mero whoami"),
            .init(says: "in a script", line: "mero whoami --json | jq -r .permissions[]"),
        ],
        body: WhoamiCommand.run)
}

enum WhoamiCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let (connection, mero) = try session(invocation)
        // Through the session, not with the bare token: only so is an expired one renewed first.
        _ = try await mero.http.head("/auth/validate", headers: [:])
        guard let token = await mero.currentTokenData()?.accessToken, let claims = SessionClaims(token: token) else {
            throw Failure(
                code: .unexpectedAnswer, message: "The session's token cannot be read",
                hint: "The node accepts it all the same")
        }
        try show(claims, connection: connection, on: invocation.console)
        return .done
    }

    private static func session(_ invocation: Invocation) throws -> (Connection, Mero) {
        do {
            let connection = try Connection(invocation)
            return (connection, try connection.signedIn())
        } catch var failure as Failure where failure.code == .notSignedIn {
            // Who has an account and goes through relays is somebody, too.
            let profile = try Connection.profile(invocation)
            guard let account = try? profile.loadIdentity()?.certificate()?.account else { throw failure }
            failure.hint = "At relays the profile acts for account \(account). \(failure.hint ?? "")"
            throw failure
        }
    }

    private static func show(_ claims: SessionClaims, connection: Connection, on console: Console) throws {
        var rows = [
            ("User", connection.user ?? "unknown"), ("Node", connection.node.text),
            ("Profile", connection.profile.name), ("User id", claims.subject ?? "unknown"),
            ("Token", claims.tokenType ?? "unknown"), ("Permissions", claims.permissions.joined(separator: " ")),
            ("Renewed after", claims.expiresAt.map(Report.timestamp) ?? "unknown"),
        ]
        if let bound = claims.nodeUrl, URL(string: bound)?.host != nil { rows.append(("Bound to", bound)) }
        if let device = claims.device { rows.append(("Device", device)) }
        let widest = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows {
            let label = name + String(repeating: " ", count: widest - name.count)
            try console.line("\(console.style.dim(label))  \(value.printable)")
        }
        try console.document([
            "user": .optional(connection.user), "node": .string(connection.node.text),
            "profile": .string(connection.profile.name), "subject": .optional(claims.subject),
            "keyId": .optional(claims.keyId), "tokenType": .optional(claims.tokenType),
            "permissions": .strings(claims.permissions), "expiresAt": .time(claims.expiresAt),
            "nodeUrl": .optional(claims.nodeUrl), "device": .optional(claims.device),
        ])
    }
}
