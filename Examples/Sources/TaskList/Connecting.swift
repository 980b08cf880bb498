import Foundation
import MeroKit

/// What is wrong with how a program was started.
public struct SetupError: LocalizedError {
    public let errorDescription: String?

    public init(_ text: String) { errorDescription = text }
}

/// A client by a node, or by a relay. All that differs between the two is here.
public enum Connecting {
    /// With a user and a password, which is asked for once; the session is kept in `folder`.
    public static func node(_ url: URL, user: String, folder: URL) async throws -> MeroTransportClient {
        let store = FileTokenStore(url: folder.appendingPathComponent("tokens.json"))
        let mero = Mero(config: MeroConfig(baseURL: url, tokenStore: store))
        if await !mero.isAuthenticated {
            guard let password = readLine() else { throw SetupError("Send the password to standard input once") }
            try await mero.authenticate(Credentials(username: user, password: password))
        }
        return MeroTransportClient(mero: mero)
    }

    /// As an account of this device's own. It joins by the invitation when it starts for the first time; keys and
    /// certificate are kept in `folder`, and the account's recovery phrase is shown that once.
    public static func relay(_ url: URL, invitation: String?, folder: URL) async throws -> MeroTransportClient {
        func file<Value: Codable & Sendable>(_ name: String) -> AnyValueStore<Value> {
            AnyValueStore(FileValueStore(url: folder.appendingPathComponent(name)))
        }
        let keys = try DeviceKeys.stored(in: file("device.json"))
        let accounts = DelegatedAccountStore(credentials: file("account.json"), sessions: file("session.json"))
        let nonces = FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces"))
        let account: DelegatedCredential
        if let known = try accounts.read() {
            account = known.credential
        } else {
            guard let invitation else { throw SetupError("The first start by a relay takes an invitation") }
            let root = AccountRoot.generate()
            let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
            let credential = try root.certify(
                device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
            account = DelegatedCredential(
                account: root.accountId, credential: credential, deviceKey: keys.signPublicKey)
            let outcome = try await AccountJoin.join(
                invitation: SignedGroupOpenInvitation(pasted: invitation), at: url.absoluteString, credential: account,
                keys: keys, nonces: nonces)
            accounts.save(DelegatedSession(credential: account).moved(to: outcome.relayUrl))
            print("Your recovery phrase, shown this once:\n  \(root.phrase)")
        }
        let relay = RelayClient(
            relayURL: url.absoluteString, authorAccount: account.account, authorProof: account.credential, keys: keys,
            nonces: nonces)
        let proof = ProofCredential(credential: account.credential, keys: keys)
        return try MeroTransportClient(.relay(RelayTransportConfig(relay: relay, proof: proof)))
    }

    /// From the environment: `TASKS_NODE` with `TASKS_USER`, or `TASKS_RELAY` with `TASKS_INVITATION`; `TASKS_CONTEXT`.
    public static func fromEnvironment() async throws -> TaskList {
        let set = ProcessInfo.processInfo.environment
        guard let context = set["TASKS_CONTEXT"] else { throw SetupError("TASKS_CONTEXT says which context") }
        let home = URL(fileURLWithPath: set["TASKS_HOME"] ?? NSHomeDirectory() + "/.task-list", isDirectory: true)
        if let url = set["TASKS_RELAY"].flatMap(URL.init(string:)) {
            return TaskList(try await relay(url, invitation: set["TASKS_INVITATION"], folder: home), contextId: context)
        }
        guard let url = set["TASKS_NODE"].flatMap(URL.init(string:)), let user = set["TASKS_USER"] else {
            throw SetupError("TASKS_NODE and TASKS_USER, or TASKS_RELAY, say where to")
        }
        return TaskList(try await node(url, user: user, folder: home), contextId: context)
    }
}
