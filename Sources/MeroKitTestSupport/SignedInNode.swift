import Foundation
import MeroDevNode
import MeroKit

/// A started dev node with a context, and a client that is signed in to it.
///
/// ```swift
/// let test = try await SignedInNode.start()
/// try await test.mero.rpc.execute(contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
/// await test.stop()
/// ```
public struct SignedInNode: Sendable {
    /// The node: faults, records, clocks and events are its own.
    public let node: DevNode
    /// Signed in as the node's user.
    public let mero: Mero
    /// Runs the contract.
    public let contextId: String

    /// Starts a node and signs in with a password.
    public static func start(
        _ contract: any DevContract = KeyValueContract(), options: DevNodeOptions = DevNodeOptions()
    ) async throws -> SignedInNode {
        let node = try await DevNode.start(options)
        do {
            let contextId = try node.createContext(contract)
            let user = options.users.first ?? ("dev", "dev-password")
            if options.users.isEmpty { node.addUser(username: user.username, password: user.password) }
            let mero = Mero(
                config: MeroConfig(
                    baseURL: node.url, credentials: Credentials(username: user.username, password: user.password)))
            try await mero.authenticate()
            return SignedInNode(node: node, mero: mero, contextId: contextId)
        } catch {
            await node.stop()
            throw error
        }
    }

    /// Closes the client's streams and stops the node.
    public func stop() async {
        await mero.close()
        await node.stop()
    }
}

/// A started dev relay with a namespace, an account that is a member of it, and clients of that account.
///
/// ```swift
/// let test = try await SignedInRelay.start()
/// _ = try await test.relay.execute(contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
/// await test.stop()
/// ```
public struct SignedInRelay: Sendable {
    /// The relay.
    public let node: DevNode
    /// The account, with a device.
    public let account: DevAccount
    /// The account is a member of it, and the relay may write for members.
    public let namespaceId: String
    /// A context of the namespace.
    public let contextId: String
    /// Writes as the account.
    public let relay: RelayClient
    /// Reads and listens as the account.
    public let mero: Mero

    /// Starts a relay and logs the account in with its device's certificate.
    public static func start(
        _ contract: any DevContract = KeyValueContract(), options: DevNodeOptions = DevNodeOptions()
    ) async throws -> SignedInRelay {
        var options = options
        options.delegatedAccess = true
        let node = try await DevNode.start(options)
        do {
            let account = try DevAccount()
            let namespaceId = try node.createNamespace(members: [account.accountId: .member], contract: contract)
            let contextId = try node.createContext(contract, inGroup: namespaceId)
            let session = CloudSession(
                account: account.accountId, device: account.deviceId, credential: account.credential,
                relayUrl: node.url.absoluteString)
            let signIn = CloudSignIn(
                keyStore: .memory(account.keys), sessionStore: .memory(session), nonces: MemoryWarrantNonceStore())
            let connection = await signIn.connect(session)
            guard let relay = connection.relay, let mero = connection.mero else {
                throw AccountError.notSignedIn(connection.readNote ?? "the relay does not answer")
            }
            return SignedInRelay(
                node: node, account: account, namespaceId: namespaceId, contextId: contextId, relay: relay,
                mero: mero)
        } catch {
            await node.stop()
            throw error
        }
    }

    /// Closes the client's streams and stops the relay.
    public func stop() async {
        await mero.close()
        await node.stop()
    }
}
