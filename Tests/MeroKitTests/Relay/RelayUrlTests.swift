import Foundation
import Testing

@testable import MeroKit

/// What is taken for the URL of a relay, by everything that takes one. Spec: 60, section 2.1.
@Suite("Relay URLs") struct RelayUrlTests {
    private static let unusable = [
        "", "relay.example", "ftp://relay.example", "file:///tmp", "https://", "https://relay.example?x=1",
        "https://relay.example/?x=1", "https://relay.example/a?x=1", "https://relay.example#f",
        "https://user:pw@relay.example", "https://relay.example:99999", "https://re lay.example", "javascript:alert(1)",
    ]

    @Test(arguments: unusable) func whatNoPathCanFollowIsInvalidInput(url: String) async throws {
        let rig = try RelayRig(url: url) { _, _, _ in RelayRig.description }
        let relay = rig.relay
        let device = rig.device
        let context = RelayRig.context
        let executor = RelayExecutor(executorAccount: RelayRig.executor, executorKey: RelayRig.executorKey)
        let presence = RelayPresenceClient(relay: relay, events: { throw CancellationError() })
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("describe", { _ = try await relay.describe(context) }),
            ("describeCreation", { _ = try await relay.describeCreation(groupId: RelayRig.group) }),
            ("describeGovernance", { _ = try await relay.describeGovernance(groupId: RelayRig.group) }),
            ("execute", { _ = try await relay.execute(contextId: context, method: "m") }),
            ("query", { _ = try await relay.query(contextId: context, method: "m") }),
            ("warrantNonce", { _ = try await relay.warrantNonce(contextId: context) }),
            ("recoverNonce", { try await relay.recoverNonce(contextId: context) }),
            (
                "createContext",
                { _ = try await relay.createContext(groupId: RelayRig.group, applicationId: RelayRig.release) }
            ),
            (
                "govern",
                {
                    try await relay.govern(
                        groupId: RelayRig.group, op: GovernanceOps.memberRemoved(member: RelayRig.executor))
                }
            ),
            ("foundNamespace", { _ = try await relay.foundNamespace(executor: executor) }),
            ("presence", { try await presence.set(context, state: 1) }),
            (
                "login",
                {
                    _ = try await RelayLogin.login(
                        relayURL: url, nodeKey: RelayRig.executorKey, credential: device.credential, keys: device.keys)
                }
            ),
            ("transport", { _ = try MeroTransportClient(.relay(RelayTransportConfig(relay: relay))) }),
        ]
        for (name, call) in calls {
            guard case AccountError.invalidInput(let text)? = await failure(of: call) else {
                Issue.record("\(name) took it")
                continue
            }
            // It may hold a password.
            #expect(url.isEmpty || !text.contains(url))
        }
        guard case .refused = try await RelayNodeKey.attempt(relayURL: url) else {
            Issue.record("attestation took it")
            return
        }
        #expect(rig.engine.requests.isEmpty && rig.nonces.next(relay: relay.relayURL) == 1)
    }

    @Test(
        arguments: [
            ("HTTPS://relay.example/", "https://relay.example"), ("HtTp://[::1]:8080//", "http://[::1]:8080"),
            (" https://Relay.Example/a/ ", "https://Relay.Example/a"), ("http://127.0.0.1:1", "http://127.0.0.1:1"),
        ])
    func aSchemeMayBeOfEitherCase(url: String, expected: String) async throws {
        let rig = try RelayRig(url: url) { _, _, _ in RelayRig.description }
        _ = try await rig.relay.describe(RelayRig.context)
        #expect(rig.relay.relayURL == expected)
        #expect(rig.engine.requests.map(\.url) == ["\(expected)/admin-api/contexts/\(RelayRig.context)/intents"])
        _ = try MeroTransportClient(.relay(RelayTransportConfig(relay: rig.relay)))
    }
}
