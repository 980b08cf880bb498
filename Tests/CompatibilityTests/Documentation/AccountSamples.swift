import Foundation
import MeroKit

// The Swift of the documentation's pages about accounts, relays and stores, word for word.

enum AccountSamples {
    static func anotherDevice(_ words: String, _ keys: DeviceKeys) throws -> DelegatedSession {
        let root = try AccountRoot(phrase: words)
        let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
        let certificate = try root.certify(
            device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
        let session = DelegatedSession(
            credential: DelegatedCredential(
                account: root.accountId, credential: certificate, deviceKey: keys.signPublicKey))
        return session
    }

    struct HardwareSigner: DeviceSigner {
        let signPublicKey: String
        let kemPublicKey: String
        let module: any SecurityModule

        func sign(_ message: Data) async throws -> Data {
            try await module.sign(message, with: signPublicKey)
        }
    }

    protocol SecurityModule: Sendable {
        func sign(_ message: Data, with publicKey: String) async throws -> Data
    }

    static func writing(_ relay: RelayClient, _ contextId: String) async throws -> String? {
        let before = try await relay.execute(String?.self, contextId: contextId, method: "get", argsJson: ["key": "k"])
        let written = try await relay.execute(
            contextId: contextId, method: "set", argsJson: ["key": "k", "value": "new"])
        print("it was", before ?? "unset", "and the state is now", written.rootHash ?? "unknown")
        return before
    }

    static func refusals(_ client: MeroTransportClient, _ contextId: String) async throws {
        do {
            let _: Empty = try await client.rpc.execute(
                contextId: contextId, method: "set", argsJson: ["key": "k", "value": "v"])
        } catch AccountError.intentRefused(let reason, let retryable, let status) {
            print("the relay did nothing:", reason, status, retryable ? "a new call may succeed" : "do not repeat it")
        } catch MeroError.network(let reason) {
            print("it is not known whether the call ran; read before you write again:", reason)
        }
    }

    static func joiningWithANode(_ text: String, _ mero: Mero) async throws {
        let invitation = try SignedGroupOpenInvitation(pasted: text)
        do {
            let joined = try await NodeJoin.join(invitation, groupName: "team", admin: await mero.admin)
            try await mero.admin.syncGroupContexts(joined.namespaceId)
        } catch let error as MeroError {
            switch JoinRefusal(error, invitation: invitation) {
            case .expired: print("ask for a fresh invitation")
            case .consumed: print("somebody has used it already")
            case .unreachable: print("nobody who may admit you can be reached; try again later")
            case .notAllowed, .rejected, .other: print(error.failureReason ?? error.localizedDescription)
            }
        }
    }

    static func cloudUser(_ idToken: String, _ namespaceId: String, _ mero: Mero) async throws {
        let cloud = CloudAccountClient()
        try await cloud.signInWithGoogle(idToken: idToken)
        let proof: JSONValue = try await mero.admin.issueNamespaceOwnershipProof(namespaceId)
        try await cloud.claimNamespace(namespaceId, ownershipProof: proof)
        try await cloud.enableNamespaceHa(namespaceId)
        for namespace in try await cloud.getMyNamespaces() { print(namespace.namespaceId) }
    }

    /// Keeps a session in a table of the app's own.
    final class TableStore: TokenStore {
        private let table: any SecretTable

        init(_ table: any SecretTable) { self.table = table }

        func getTokens() -> TokenData? {
            table.read("session").flatMap { try? JSONDecoder().decode(TokenData.self, from: $0) }
        }

        func setTokens(_ data: TokenData) {
            if let bytes = try? JSONEncoder().encode(data) { table.write("session", bytes) }
        }

        func clear() { table.write("session", nil) }
    }

    protocol SecretTable: Sendable {
        func read(_ name: String) -> Data?
        func write(_ name: String, _ value: Data?)
    }

    static func sealing(_ node: URL, _ trusted: TrustedMeasurements) throws -> Mero {
        let verifier = try QuoteVerifier(trusting: trusted)
        let options = HttpOptions(sealing: .node(at: node, verifier: verifier))
        let mero = Mero(config: MeroConfig(baseURL: node, httpOptions: options))
        return mero
    }

    static func sealedFailures(_ mero: Mero, _ contextId: String) async throws {
        do {
            let _: JSONValue = try await mero.rpc.execute(contextId: contextId, method: "entries")
        } catch let error as AttestationError {
            print("this machine is not trusted:", error.kind, error.reason)
        } catch let error as SealedTransportError {
            print("what came back is not the node's:", error.localizedDescription)
        } catch MeroError.http(let answer) where answer.cameInTheClear {
            print("refused by whoever stands in between:", answer.sealedRefusal?.code ?? "\(answer.status)")
        }
    }
}
