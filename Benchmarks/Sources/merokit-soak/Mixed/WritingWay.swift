import Foundation
import MeroDevNode
import MeroKit

/// A way to the contract's methods, and what else belongs to the life of a client that goes this way.
protocol WritingWay: Sendable {
    /// What its failures are counted under.
    var name: String { get }
    /// Runs a method that returns something, or nothing.
    func call<T: Decodable & Sendable>(_ method: String, _ arguments: [String: JSONValue]) async throws -> T
    /// The same for a method that only reads.
    func read<T: Decodable & Sendable>(_ method: String, _ arguments: [String: JSONValue]) async throws -> T
    /// Does what a person would after a failure: signs in again when the session is over.
    func recover(from error: any Error) async
    /// Ends the session. True when nothing may be written until the next one.
    func signOut() async -> Bool
    func signIn() async
}

/// A client that is signed in to a node with a password.
struct NodeWay: WritingWay {
    let name: String
    let mero: Mero
    let context: String
    let failures: Failures
    let logins: Guarded<Int>
    /// False where another one uses the same session.
    var signsOut = true
    /// Whether what a client was not answered may be sent once more by itself.
    var sendsAgain = false

    static let credentials = Credentials(username: "dev", password: "dev-password")

    func call<T: Decodable & Sendable>(_ method: String, _ arguments: [String: JSONValue]) async throws -> T {
        try await mero.rpc.execute(contextId: context, method: method, argsJson: arguments)
    }

    func read<T: Decodable & Sendable>(_ method: String, _ arguments: [String: JSONValue]) async throws -> T {
        try await call(method, arguments)
    }

    func recover(from error: any Error) async {
        switch error {
        case MeroError.authRevoked, MeroError.noRefreshToken: await signIn()
        case MeroError.http(let answer) where answer.status == 401: await signIn()
        default: break
        }
    }

    func signOut() async -> Bool {
        guard signsOut else { return false }
        await mero.logout()
        return true
    }

    func signIn() async {
        while true {
            do {
                try await mero.authenticate(Self.credentials)
                return logins.with { $0 += 1 }
            } catch {
                failures.take(error, during: "\(name), a login,", isLogin: true)
                await pause(milliseconds: 20)
            }
        }
    }
}

/// The same client over its WebSocket.
struct SocketWay: WritingWay {
    let node: NodeWay

    var name: String { node.name }

    func call<T: Decodable & Sendable>(_ method: String, _ arguments: [String: JSONValue]) async throws -> T {
        try await node.mero.ws.execute(contextId: node.context, method: method, argsJson: arguments)
    }

    func read<T: Decodable & Sendable>(_ method: String, _ arguments: [String: JSONValue]) async throws -> T {
        try await node.read(method, arguments)
    }

    func recover(from error: any Error) async {
        await node.recover(from: error)
        // A revoked session ended the connection, of which its calls only say that it is not there.
        if await !node.mero.isAuthenticated { await node.signIn() }
        // Does nothing unless it ended.
        node.mero.ws.connect()
        // The next connection is a second away, or more.
        if case MeroError.network = error { await pause(milliseconds: 50) }
    }

    func signOut() async -> Bool { false }
    func signIn() async { await node.signIn() }
}

/// An account that writes by warrants through a relay, and reads with a session while it has one.
struct RelayWay: WritingWay {
    let name: String
    let client: RelayClient
    let account: DevAccount
    let nodeKey: String
    let context: String
    let failures: Failures
    let logins: Guarded<Int>
    /// What the client's `tokenProvider` hands out.
    let session: Guarded<TokenData?>
    let options: HttpOptions

    func call<T: Decodable & Sendable>(_ method: String, _ arguments: [String: JSONValue]) async throws -> T {
        try await client.execute(T.self, contextId: context, method: method, argsJson: .object(arguments))
    }

    func read<T: Decodable & Sendable>(_ method: String, _ arguments: [String: JSONValue]) async throws -> T {
        try await client.query(T.self, contextId: context, method: method, argsJson: .object(arguments))
    }

    func recover(from error: any Error) async {}

    /// Warrants need no session.
    func signOut() async -> Bool {
        if let tokens = session.with({ $0 }) {
            await RelayLogin.logout(
                relayURL: client.relayURL, refreshToken: tokens.refreshToken, options: options)
        }
        session.with { $0 = nil }
        return false
    }

    func signIn() async {
        do {
            let tokens = try await RelayLogin.login(
                relayURL: client.relayURL, nodeKey: nodeKey, credential: account.credential, keys: account.keys,
                options: options)
            session.with { $0 = tokens }
            logins.with { $0 += 1 }
        } catch {
            failures.take(error, during: "\(name), a login,", isLogin: true)
        }
    }
}

func pause(milliseconds: UInt64) async { try? await Task.sleep(nanoseconds: milliseconds * 1_000_000) }
