import Foundation
import MeroDevNode

@testable import MeroKit

/// A dev relay, an account that is a member of a namespace on it, and one context of each bundled contract there.
struct RelayNodeFixture {
    let node: DevNode
    let ada: DevAccount
    let namespace: String
    let keyValue: String
    let probe: String
    let nonces = MemoryWarrantNonceStore()

    static func start(
        memberCapabilities: UInt32 = 231, _ change: (inout DevNodeOptions) -> Void = { _ in }
    ) async throws -> RelayNodeFixture {
        var options = DevNodeOptions()
        options.delegatedAccess = true
        options.eventRetryMilliseconds = 100
        change(&options)
        let node = try await DevNode.start(options)
        let ada = try DevAccount()
        let namespace = try node.createNamespace(
            members: [ada.accountId: .member], memberCapabilities: memberCapabilities, contract: KeyValueContract())
        return RelayNodeFixture(
            node: node, ada: ada, namespace: namespace,
            keyValue: try node.createContext(KeyValueContract(), inGroup: namespace),
            probe: try node.createContext(ProbeContract(), inGroup: namespace))
    }

    func stop() async { await node.stop() }

    func relay(
        _ engine: EngineUnderTest? = nil, nonces: (any WarrantNonceStore)? = nil, account: DevAccount? = nil,
        token: @escaping @Sendable () async -> String? = { nil }, timeout: TimeInterval = 30
    ) throws -> RelayClient {
        let account = account ?? ada
        return RelayClient(
            relayURL: node.url.absoluteString, authorAccount: account.accountId, authorProof: account.credential,
            signer: account.keys, nonces: nonces ?? self.nonces, tokenProvider: token, timeout: timeout,
            engine: try (engine ?? EngineUnderTest.allCases[0]).make())
    }

    var proof: ProofCredential { ProofCredential(credential: ada.credential, keys: ada.keys) }

    /// A token of the account's session.
    func token() async throws -> String {
        try await RelayLogin.login(
            relayURL: node.url.absoluteString, nodeKey: node.nodeKey, credential: ada.credential, keys: ada.keys,
            audience: .cli
        ).accessToken
    }

    var observe: RelayObserveConfig { RelayObserveConfig(nodeKey: node.nodeKey, audience: .cli) }

    func intents(_ context: String) -> String { "/admin-api/contexts/\(context)/intents" }

    /// Open event streams, WebSockets left aside.
    var openStreams: Int { node.streams.open.filter { $0.sessionId != nil }.count }

    /// The requests so far, as `GET /sse`.
    var routes: [String] { node.requests.map { "\($0.method) \($0.path)" } }
}
