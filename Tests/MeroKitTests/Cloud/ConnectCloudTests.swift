import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// From a login to a write. Spec: 70, section 9.1.
@Suite("Connect to the cloud") struct ConnectCloudTests {
    private static let one = String(repeating: "a1", count: 32)
    private static let two = String(repeating: "a2", count: 32)
    private static let executor = String(repeating: "ec", count: 32)

    private static func options(_ cloud: ScriptedCloud, _ device: AccountDevice) throws -> ConnectCloudOptions {
        ConnectCloudOptions(
            authorAccount: device.account, authorProof: device.credential, deviceSecret: device.keys.deviceSecret,
            sessionToken: "s0", nonces: MemoryWarrantNonceStore(), cloudBaseURL: try cloud.url, timeout: 60)
    }

    private static func own(_ cloud: ScriptedCloud, _ namespaces: [String], status: String = "enabled") {
        let rows = namespaces.map { #"{"namespace_id":"\#($0)","ha_status":"\#(status)"}"# }
        cloud.on("GET /api/cloud/me/namespaces", .json("[\(rows.joined(separator: ","))]"))
    }

    private static func give(_ cloud: ScriptedCloud, to namespace: String = one, _ rows: [String]) {
        cloud.on(
            "GET /api/cloud/me/namespaces/\(namespace)/relays",
            .json(#"{"relays":[\#(rows.joined(separator: ","))]}"#))
    }

    private static func notSignedIn(_ options: ConnectCloudOptions) async -> String {
        let error = await failure(of: { try await connectCloud(options) })
        guard case AccountError.notSignedIn(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return ""
        }
        return text
    }

    // MARK: Options

    @Test func optionsThatCannotBeUsedSendNothing() async throws {
        let cloud = try ScriptedCloud()
        defer { cloud.stop() }
        let device = try AccountDevice()
        let good = try Self.options(cloud, device)
        let changes: [(String, @Sendable (inout ConnectCloudOptions) -> Void)] = [
            ("connectCloud needs either a sessionToken or a googleIdToken", { $0.sessionToken = nil }),
            ("connectCloud needs either a sessionToken or a googleIdToken", { $0.sessionToken = " " }),
            ("either deviceSecret or signer, not both", { $0.signer = device.keys }),
            ("deviceSecret or signer is required", { $0.deviceSecret = nil }),
            ("deviceSecret", { $0.deviceSecret = "zz" }),
            ("deviceSecret", { $0.deviceSecret = "abcd" }), ("authorAccount", { $0.authorAccount = "me" }),
            ("authorProof", { $0.authorProof = "" }), ("authorProof", { $0.authorProof = "xyz" }),
            ("relayNodeKey", { $0.relayNodeKey = "k" }),
            (
                "signPublicKey",
                {
                    $0.deviceSecret = nil
                    $0.signer = ClosureSigner(signPublicKey: "no key") { _ in Data() }
                }
            ),
        ]
        for (text, change) in changes {
            var options = good
            change(&options)
            let error = await failure(of: { try await connectCloud(options) })
            guard case AccountError.invalidInput(let told)? = error else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
            #expect(told.contains(text) && !told.contains(device.keys.deviceSecret))
        }
        // Which of the two is wrong is told in this order.
        var both = good
        (both.sessionToken, both.deviceSecret) = (nil, nil)
        #expect(
            await failure(of: { try await connectCloud(both) }) as? AccountError
                == .invalidInput("connectCloud needs either a sessionToken or a googleIdToken"))
        #expect(cloud.asked.isEmpty)
    }

    // MARK: What the cloud answers

    @Test func theNamespaceIsNeverGuessed() async throws {
        let cloud = try ScriptedCloud()
        defer { cloud.stop() }
        let options = try Self.options(cloud, AccountDevice())
        var named = options
        named.namespaceId = "n9"
        Self.own(cloud, [Self.one, Self.two])
        #expect(
            await Self.notSignedIn(options).contains(
                "this account owns 2 namespaces — pass namespaceId to say which: \(Self.one), \(Self.two)"))
        #expect(
            await Self.notSignedIn(named).contains(
                "this account owns no namespace n9; it owns: \(Self.one), \(Self.two)"))
        Self.own(cloud, [])
        #expect(
            await Self.notSignedIn(options).contains(
                "this account owns no namespaces in the cloud: claim one first, then enable HA on it so a relay is assigned"
            ))
        #expect(await Self.notSignedIn(named).contains("this account owns no namespace n9; it owns: (none)"))
        #expect(Set(cloud.asked) == ["GET /api/cloud/me/namespaces"])
    }

    @Test(
        arguments: [
            (
                "none", [],
                "namespace \(one) has no relays: enable HA on it in the cloud to have an attested node assigned"
            ),
            (
                "enabled", [],
                "namespace \(one) has HA enabled but no relay has been assigned to it yet — retry shortly"
            ),
            (
                "enabled",
                [
                    #"{"peer_id":"a","relay_url":"https://a","executor_account":"ea","authorship_ready":true,"tee_role":"ReadOnlyTee","can_execute":false}"#,
                    #"{"peer_id":"b","tee_role":"ReadOnlyTee"}"#,
                ], "mode: 'relay'"
            ),
            (
                "enabled",
                [
                    #"{"peer_id":"a","relay_url":"https://a","executor_account":"exec-a"}"#,
                    #"{"peer_id":"peer-b","relay_url":"https://b"}"#,
                ], "CAN_AUTHOR_ON_BEHALF"
            ),
            (
                "enabled", [#"{"peer_id":"a","authorship_ready":true}"#, #"{"peer_id":"b","tee_role":"RelayTee"}"#],
                "namespace \(one) has 2 relay(s), but none reported both a URL and an executor account yet — retry shortly"
            ),
            (
                "disabled",
                [
                    #"{"peer_id":"a","can_execute":true,"executor_account":"ea"}"#,
                    #"{"peer_id":"b","authorship_ready":true}"#,
                ],
                "namespace \(one) has 2 relay(s), but none reported both a URL and an executor account yet — retry shortly"
            ),
        ] as [(String, [String], String)])
    func aNamespaceWithoutARelayThatWritesSaysWhatToDo(status: String, rows: [String], text: String) async throws {
        let cloud = try ScriptedCloud()
        defer { cloud.stop() }
        Self.own(cloud, [Self.one], status: status)
        Self.give(cloud, rows)
        let told = await Self.notSignedIn(try Self.options(cloud, AccountDevice()))
        #expect(told.contains(text), "\(told)")
        let isReadOnly = text.contains("mode")
        #expect(told.contains("ReadOnlyTee") == isReadOnly)
        if isReadOnly { #expect(!told.contains("CAN_AUTHOR") && !told.lowercased().contains("grant")) }
        if text == "CAN_AUTHOR_ON_BEHALF" {
            for part in ["exec-a", "peer-b", "grantAuthorship", "openToDelegatedExecution"] {
                #expect(told.contains(part))
            }
        }
        // One read serves both the choice and the reason.
        #expect(
            cloud.asked == ["GET /api/cloud/me/namespaces", "GET /api/cloud/me/namespaces/\(Self.one)/relays"])
    }

    @Test func aRelayWithoutTheGrantConnectsWhereTheCloudSaysSo() async throws {
        let cloud = try ScriptedCloud()
        defer { cloud.stop() }
        Self.own(cloud, [Self.one])
        let key = String(repeating: "0d", count: 32)
        Self.give(
            cloud,
            [
                #"{"peer_id":"a","relay_url":"https://a","executor_account":"ea","authorship_ready":true,"can_execute":false}"#,
                #"{"peer_id":"b","relay_url":"http://127.0.0.1:9/","executor_account":"\#(Self.executor)","can_execute":true,"tee_role":"RelayTee","node_key":"\#(key)"}"#,
            ])
        var options = try Self.options(cloud, AccountDevice())
        let connection = try await connectCloud(options)
        #expect(connection.relayRow.peerId == "b" && connection.namespaceId == Self.one)
        #expect(connection.relay.relayURL == "http://127.0.0.1:9" && connection.relay.executorAccount == Self.executor)
        #expect(connection.client.canSubscribe && connection.client.transport == .relay)
        #expect(await connection.cloud.currentSession?.sessionToken == "s0")
        // A key of the cloud's that is none does not stand in the way of writing, and the options' own wins.
        Self.give(
            cloud,
            [
                #"{"peer_id":"b","relay_url":"http://127.0.0.1:9","executor_account":"\#(Self.executor)","can_execute":true,"node_key":"junk"}"#
            ])
        #expect(try await connectCloud(options).client.canSubscribe == false)
        options.relayNodeKey = key
        options.namespaceId = " \(Self.one.uppercased()) "
        #expect(try await connectCloud(options).client.canSubscribe)
        #expect(cloud.requests.allSatisfy { $0.values("Authorization") == ["Bearer s0"] })
    }

    @Test func googleSignsInFirstAndTheSessionTokenWins() async throws {
        let cloud = try ScriptedCloud()
        defer { cloud.stop() }
        Self.own(cloud, [])
        cloud.on("POST /api/auth/google", .json(#"{"session_token":"s1","expires_at":1,"user":{"email":"e"}}"#))
        let told = Locked<[String?]>([])
        var options = try Self.options(cloud, AccountDevice())
        options.googleIdToken = "g"
        options.onSession = { session in told.withLock { $0.append(session?.sessionToken) } }
        _ = await Self.notSignedIn(options)
        #expect(cloud.asked == ["GET /api/cloud/me/namespaces"])
        options.sessionToken = nil
        _ = await Self.notSignedIn(options)
        #expect(cloud.asked.suffix(2) == ["POST /api/auth/google", "GET /api/cloud/me/namespaces"])
        #expect(cloud.requests.last?.values("Authorization") == ["Bearer s1"])
        try await eventually { told.withLock { $0 } == ["s1"] }
        cloud.on("POST /api/auth/google", .status(401))
        #expect((await failure(of: { try await connectCloud(options) }) as? MeroError)?.httpStatus == 401)
    }

    // MARK: End to end

    @Test func aWriteReachesTheRelayAndNotTheCloud() async throws {
        let fixture = try await RelayNodeFixture.start()
        let cloud = try ScriptedCloud()
        defer { cloud.stop() }
        Self.own(cloud, [fixture.namespace])
        Self.give(
            cloud, to: fixture.namespace,
            [
                #"{"peer_id":"p","relay_url":"\#(fixture.node.url.absoluteString)/","executor_account":"\#(fixture.node.accountId)","authorship_ready":true,"node_key":"\#(fixture.node.nodeKey)"}"#
            ])
        let connection = try await connectCloud(
            ConnectCloudOptions(
                authorAccount: fixture.ada.accountId, authorProof: fixture.ada.credential, signer: fixture.ada.keys,
                sessionToken: "s0", observeAudience: .cli, nonces: MemoryWarrantNonceStore(),
                cloudBaseURL: try cloud.url, timeout: 60))
        let result = try await connection.execute(
            contextId: fixture.keyValue, method: "set", argsJson: ["key": "k", "value": "v"])
        #expect(result.rootHash != nil)
        // The same relay object: one sequence of numbers.
        let value: String = try await connection.client.rpc.execute(
            contextId: fixture.keyValue, method: "get", argsJson: ["key": "k"])
        #expect(value == "v")
        #expect(fixture.node.delegatedWrites.count == 2 && cloud.asked.count == 2)
        await fixture.stop()
    }

    @Test func anAccountConnectsByItsRoot() async throws {
        let device = try AccountDevice()
        let cloud = try ScriptedCloud()
        defer { cloud.stop() }
        Self.own(cloud, [Self.one])
        Self.give(
            cloud,
            [
                #"{"peer_id":"b","relay_url":"http://127.0.0.1:9","executor_account":"\#(Self.executor)","can_execute":true}"#
            ])
        cloud.on("GET /api/auth/account/challenge", .json(#"{"nonce":"n","expires_at_ms":1}"#))
        cloud.on("POST /api/auth/account", .json(#"{"session_token":"s9","expires_at":1,"user":{"email":"e"}}"#))
        let told = Locked<[String?]>([])
        var options = try Self.options(cloud, device)
        options.authorAccount = ""
        options.onSession = { session in told.withLock { $0.append(session?.sessionToken) } }
        let connection = try await connectCloudWithAccount(options, root: device.root)
        #expect(connection.relay.authorAccount == device.account)
        #expect(cloud.requests.last?.values("Authorization") == ["Bearer s9"])
        #expect(cloud.requests[1].json?["root_public_key"] == .string(device.root.publicKey))
        try await eventually { told.withLock { $0 } == ["s9"] }
        let before = cloud.asked.count
        options.deviceSecret = nil
        guard
            case AccountError.invalidInput? = await failure(of: {
                try await connectCloudWithAccount(options, root: device.root)
            })
        else { return #expect(Bool(false), "another error") }
        #expect(cloud.asked.count == before)
    }
}
