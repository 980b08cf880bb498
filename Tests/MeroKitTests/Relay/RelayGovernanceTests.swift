import Foundation
import Testing

@testable import MeroKit

/// New contexts, changes to groups, and foundings. Spec: 60, sections 4.4 and 5.4 to 5.6.
@Suite("Relay governance") struct RelayGovernanceTests {
    private typealias Rig = RelayRig

    private static let application = String(repeating: "a9", count: 32)

    private static func script(
        creation: EngineResponse? = nil, governance: EngineResponse? = nil,
        post: @escaping @Sendable (_ route: String, _ count: Int) -> EngineResponse = { _, _ in
            Rig.data(
                #"{"groupId":"\#(Rig.group)","contextId":"\#(Rig.context)","memberPublicKey":"\#(Rig.executorKey)"}"#)
        }
    ) -> RelayRig.Script {
        { route, count, _ in
            switch route {
            case "GET context-intents": return creation ?? Rig.creationDescription
            case "GET governance-intents": return governance ?? Rig.governanceDescription
            default: return post(route, count)
            }
        }
    }

    private func governanceWarrants(_ rig: RelayRig) throws -> [GovernanceWarrant] {
        try rig.engine.requests.indices.compactMap { index in
            guard rig.routes[index] == "POST governance-intents", let hex = rig.body(index)?["warrant"]?.stringValue
            else {
                return nil
            }
            return try GovernanceWarrant(Hex.decodeUnsized(hex, label: "warrant"))
        }
    }

    @Test func aContextIsMadeUnderAWarrant() async throws {
        let rig = try RelayRig(Self.script())
        let seed = String(repeating: "5e", count: 32)
        let made = try await rig.relay.createContext(
            groupId: Rig.group, applicationId: Self.application, initArgs: ["b": 1, "a": 2], name: "notes", seed: seed)
        #expect(made.contextId == Rig.context && made.memberPublicKey == Rig.executorKey)
        #expect(rig.routes == ["GET context-intents", "POST context-intents"])
        #expect(rig.engine.requests[0].url.hasSuffix("?author=\(rig.device.account)"))
        #expect(rig.body(1)?.objectValue?.keys.sorted() == ["authorProof", "initArgs", "warrant"])
        let warrant = try CreationWarrant(
            Hex.decodeUnsized(try #require(rig.body(1)?["warrant"]?.stringValue), label: "warrant"))
        try warrant.verify()
        #expect(Hex.encode(warrant.seed) == seed && warrant.name == "notes" && warrant.serviceName == nil)
        #expect(warrant.initHash == Warrants.creationInitHash(["a": 2, "b": 1]) && warrant.tail.nonce == 1)
        // The sequence of writes: the new context's ledger is the same one.
        #expect(rig.nonces.next(relay: Rig.url) == 2)
    }

    @Test func standingIsCheckedBeforeANumberIsDrawn() async throws {
        let cases: [(String, String)] = [
            (#""canCreateOnBehalf":false"#, "CAN_AUTHOR_ON_BEHALF"),
            (#""canCreateOnBehalf":true,"authorMayCreate":false"#, "CAN_CREATE_CONTEXT"),
        ]
        for (flags, word) in cases {
            let answer = Rig.data(
                #"{"executorAccount":"\#(Rig.executor)","executorKey":"\#(Rig.executorKey)","groupId":"g",\#(flags)}"#)
            let rig = try RelayRig(Self.script(creation: answer))
            guard
                case AccountError.intentRefused(let reason, false, 403)? = await failure(of: {
                    try await rig.relay.createContext(groupId: Rig.group, applicationId: Self.application)
                })
            else {
                Issue.record("no refusal for \(flags)")
                continue
            }
            #expect(reason.contains(word) && reason.contains("no nonce was spent") && reason.contains(Rig.group))
            #expect(rig.routes.count == 1 && rig.nonces.next(relay: Rig.url) == 1)
        }
        let idle = try RelayRig(
            Self.script(governance: Rig.data(#"{"executorAccount":"\#(Rig.executor)","canActOnBehalf":false}"#)))
        guard
            case AccountError.intentRefused(_, false, 403)? = await failure(of: {
                try await idle.relay.govern(
                    groupId: Rig.group, op: GovernanceOps.memberAdded(member: Rig.executor, role: "Member"))
            })
        else {
            Issue.record("no refusal")
            return
        }
        #expect(idle.routes == ["GET governance-intents"])
    }

    /// Spent creation and governance warrants are refused in words of their own, and never replaced by themselves.
    @Test func nothingHereIsRepeated() async throws {
        for reason in ["this governance warrant has already been spent", "nonce"] {
            let rig = try RelayRig(Self.script { _, _ in Rig.refused(403, reason) })
            let op = try GovernanceOps.defaultCapabilitiesSet(capabilities: 231)
            let error = await failure(of: { try await rig.relay.govern(groupId: Rig.group, op: op) })
            #expect(
                error as? AccountError
                    == .intentRefused(reason: reason, retryable: reason == "nonce", status: 403))
            #expect(rig.routes == ["GET governance-intents", "POST governance-intents"])
            _ = await failure(of: {
                try await rig.relay.createContext(groupId: Rig.group, applicationId: Self.application)
            })
            #expect(rig.routes.filter { $0 == "POST context-intents" }.count == 1)
        }
    }

    @Test func governanceNumbersFollowTheClockOfEachGroup() async throws {
        let rig = try RelayRig(Self.script())
        let op = try GovernanceOps.defaultCapabilitiesSet(capabilities: 231)
        #expect(Hex.encode(op.bytes) == "06e7000000")
        for _ in 0..<2 { #expect(try await rig.relay.govern(groupId: Rig.group, op: op) == Rig.group) }
        let milliseconds: UInt64 = 1_790_000_000_250
        #expect(try governanceWarrants(rig).map(\.tail.nonce) == [milliseconds, milliseconds + 1])
        rig.clock.pass(10)
        _ = try await rig.relay.govern(groupId: Rig.context, op: op)
        #expect(try governanceWarrants(rig).last?.tail.nonce == milliseconds + 10_000)
        // A store that lost everything goes on above what was spent.
        #expect(rig.nonces.next(relay: "\(Rig.url)|governance|\(Rig.group)") == milliseconds + 2)
        #expect(rig.nonces.next(relay: Rig.url) == 1)
        for warrant in try governanceWarrants(rig) { try warrant.verify() }
        #expect(rig.body(1)?.objectValue?.keys.sorted() == ["authorProof", "op", "warrant"])
    }

    private static let executor = RelayExecutor(executorAccount: RelayRig.executor, executorKey: RelayRig.executorKey)

    @Test func aFoundingSetsTheApplicationFirst() async throws {
        let rig = try RelayRig(
            Self.script { _, count in
                Rig.data(count == 0 ? #"{"groupId":"g","teeEnabled":true,"teeError":""}"# : #"{"groupId":"g"}"#)
            })
        let salt = String(repeating: "5A", count: 32)
        let founded = try await rig.relay.foundNamespace(
            executor: Self.executor, salt: salt, defaultCapabilities: 231,
            application: FoundingApplication(applicationId: Self.application, package: "com.example", version: "1.0.0"))
        let namespace = try GovernanceOps.foundedNamespaceId(founder: rig.device.account, salt: salt)
        #expect(founded.namespaceId == namespace && founded.salt == salt.lowercased())
        #expect(founded.teeEnabled && founded.teeError == nil)
        #expect(founded.applicationSet == true && founded.defaultCapabilitiesSet == true)
        #expect(rig.engine.requests.map(\.method) == ["POST", "GET", "POST", "GET", "POST"])
        #expect(rig.engine.requests.allSatisfy { $0.url.contains("/groups/\(namespace)/governance-intents") })
        let ops = [0, 2, 4].map { rig.body($0)?["op"]?.stringValue?.prefix(2) }
        #expect(ops == ["09", "07", "06"])
        let numbers = try governanceWarrants(rig).map(\.tail.nonce)
        #expect(numbers == [1_790_000_000_250, 1_790_000_000_251, 1_790_000_000_252])
        #expect(try governanceWarrants(rig).map(\.kind) == [.root, .group, .group])
        #expect(try governanceWarrants(rig).allSatisfy { Hex.encode($0.scope) == namespace })
    }

    @Test func whatFailsAfterTheFoundingIsTold() async throws {
        let rig = try RelayRig(
            Self.script { _, count in count == 0 ? Rig.data("{}") : Rig.refused(502, "could not resolve") })
        let founded = try await rig.relay.foundNamespace(
            executor: Self.executor, defaultCapabilities: 231,
            application: FoundingApplication(applicationId: Self.application, package: "p", version: "1"))
        #expect(founded.applicationSet == false && founded.defaultCapabilitiesSet == false)
        #expect(founded.applicationError?.isEmpty == false && !founded.teeEnabled)
        #expect(Hex.is32(founded.salt))
        let plain = try RelayRig(Self.script { _, _ in Rig.data("{}") })
        let bare = try await plain.relay.foundNamespace(executor: Self.executor)
        #expect(bare.applicationSet == nil && bare.defaultCapabilitiesSet == nil && plain.routes.count == 1)
    }

    @Test func foundingRefusesBadInputUnsentAndAnExistingNamespaceIsAConflict() async throws {
        let rig = try RelayRig(Self.script { _, _ in Rig.refused(409, "group g already exists") })
        let attempts: [(RelayExecutor, String?, UInt32?, String)] = [
            (RelayExecutor(executorAccount: "ab", executorKey: Rig.executorKey), nil, nil, "1"),
            (Self.executor, "ab", nil, "1"), (Self.executor, nil, 512, "1"), (Self.executor, nil, 0xffff_ffff, "1"),
            (Self.executor, nil, nil, ""),
        ]
        for (executor, salt, mask, version) in attempts {
            guard
                case AccountError.invalidInput? = await failure(of: {
                    try await rig.relay.foundNamespace(
                        executor: executor, salt: salt, defaultCapabilities: mask,
                        application: FoundingApplication(
                            applicationId: Self.application, package: "p", version: version))
                })
            else {
                Issue.record("taken: \(executor) \(salt ?? "") \(mask ?? 0) \(version)")
                continue
            }
        }
        #expect(rig.routes.isEmpty)
        let error = await failure(of: { try await rig.relay.foundNamespace(executor: Self.executor) })
        #expect((error as? MeroError)?.httpStatus == 409)
        let pinned = try RelayRig(executorAccount: Rig.context, Self.script())
        guard
            case AccountError.protocolViolation? = await failure(of: {
                try await pinned.relay.foundNamespace(executor: Self.executor)
            })
        else {
            Issue.record("another executor was taken")
            return
        }
    }

    @Test func presenceIsNeverWaitedForNorRetryable() async throws {
        let request = PresenceIntentRequest(state: nil, seq: 1, sentAtMs: 2, signature: "ab", authorProof: "cd")
        let throttled = try RelayRig { _, _, _ in .status(429) }
        #expect(
            (await failure(of: { try await throttled.relay.presenceIntent(contextId: Rig.context, request: request) })
                as? MeroError)?.httpStatus == 429)
        #expect(throttled.routes == ["POST presence-intents"])
        #expect(throttled.body(0) == ["state": nil, "seq": 1, "sentAtMs": 2, "signature": "ab", "authorProof": "cd"])
        let refused = try RelayRig { _, _, _ in Rig.refused(403, "the nonce of nobody") }
        #expect(
            await failure(of: { try await refused.relay.presenceIntent(contextId: Rig.context, request: request) })
                as? AccountError
                == .intentRefused(reason: "the nonce of nobody", retryable: false, status: 403))
        let taken = try RelayRig { _, _, _ in .status(204) }
        try await taken.relay.presenceIntent(contextId: Rig.context, request: request)
    }
}
