import Foundation
import Testing

@testable import MeroKit

/// A relay that means harm with what it answers. Spec: 60, sections 2, 4 and 5.
@Suite("Hostile relay") struct RelayHostileTests {
    private typealias Rig = RelayRig

    // MARK: Numbers

    private static func spentOnce(lookup: EngineResponse) -> RelayRig.Script {
        { route, count, _ in
            switch route {
            case "GET intents": return Rig.description
            case "POST intents": return count == 0 ? Rig.refused(403, Rig.spent) : Rig.done()
            default: return lookup
            }
        }
    }

    private static let shapeless = [
        #"{"data":null}"#, #"{"data":"x"}"#, #"{"data":[]}"#, #"{"data":{}}"#, #"{"data":{"status":"ok"}}"#,
        #"{"data":7}"#, #"{"data":true}"#, #"{"data":{"seen":false}}"#, #"{"data":{"seen":"true"}}"#,
        #"{"data":{"nextNonce":null}}"#, #"{"data":{"highWaterNonce":null,"seen":null}}"#, #"{"error":"x"}"#, "{}",
        "[]",
        "", "null", #"{"data":{"nextNonce":1.5}}"#, #"{"data":{"highWaterNonce":-1}}"#,
        #"{"data":{"nextNonce":18446744073709551616}}"#, #"{"data":{"nextNonce":"9","seen":true}}"#,
    ]

    /// Nobody is told to re-key by an answer that is none.
    @Test(arguments: shapeless) func whatIsNoStateIsNotTheEndOfAllNumbers(body: String) async throws {
        #expect(throws: MeroError.self) { try RelayWarrantNonceState.parse(Data(body.utf8)) }
        let rig = try RelayRig(Self.spentOnce(lookup: .status(200, [:], body)))
        guard case MeroError.decoding? = await failure(of: { try await rig.relay.recoverNonce(contextId: Rig.context) })
        else {
            Issue.record("taken: \(body)")
            return
        }
        // In a write it counts as a lookup that failed: the clock is the floor.
        _ = try await rig.relay.execute(contextId: Rig.context, method: "set")
        #expect(try rig.warrants().map(\.tail.nonce) == [1, 1_790_000_000_250])
    }

    /// The same on a node that one administers.
    @Test(arguments: [#"{"data":{}}"#, #"{"data":{"status":"ok"}}"#, #"{"data":"x"}"#, #"{"data":[]}"#])
    func anAdministeredNodeSaysMore(body: String) async throws {
        let engine = ScriptedEngine { _, _ in .status(200, [:], body) }
        let url = try #require(URL(string: Rig.url))
        let admin = AdminApi(http: URLSessionHttpClient(baseURL: url, engine: engine))
        let lookup = AdminWarrantNonceLookup(admin: admin)
        guard
            case MeroError.decoding? = await failure(of: {
                try await lookup.warrantNonce(contextId: Rig.context, authorDeviceKey: Rig.executorKey)
            })
        else {
            Issue.record("taken: \(body)")
            return
        }
    }

    @Test func aDeviceThatIsDoneIsStillTold() throws {
        for body in [
            #"{"data":{"seen":true}}"#, #"{"seen":true,"nextNonce":null}"#,
            #"{"data":{"highWaterNonce":18446744073709551615}}"#,
        ] {
            let state = try RelayWarrantNonceState.parse(Data(body.utf8))
            #expect(state == RelayWarrantNonceState(nextNonce: nil, highWaterNonce: .max, seen: true))
        }
    }

    /// A number that leaves the device with too few is refused, and costs it none.
    @Test(arguments: [UInt64.max, UInt64.max - 1, UInt64(1) << 63 + 1])
    func aRelayCannotUseUpTheNumbers(next: UInt64) async throws {
        let lookup = Rig.data(#"{"seen":true,"highWaterNonce":\#(next - 1),"nextNonce":\#(next)}"#)
        let rig = try RelayRig(Self.spentOnce(lookup: lookup))
        let relay = rig.relay
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await relay.execute(contextId: Rig.context, method: "set") },
            { try await relay.recoverNonce(contextId: Rig.context) },
            {
                let source = try RecoveringWarrantNonces(
                    lookups: [relay], contextId: Rig.context,
                    authorDeviceKey: rig.device.keys.signPublicKey, sequence: Rig.url, local: rig.nonces)
                _ = try await source.next()
            },
        ]
        for call in calls {
            guard case AccountError.protocolViolation? = await failure(of: call) else {
                Issue.record("\(next) was taken")
                continue
            }
        }
        #expect(rig.routes.filter { $0 == "POST intents" }.count == 1)
        #expect(rig.nonces.next(relay: Rig.url) == 2 && !rig.nonces.isSpent(relay: Rig.url))
        // What it says is still told to those who ask for nothing else.
        #expect(try await relay.warrantNonce(contextId: Rig.context).nextNonce == next)
    }

    @Test func halfOfTheNumbersMayBeSkipped() async throws {
        let rig = try RelayRig(
            Self.spentOnce(lookup: Rig.data(#"{"seen":true,"nextNonce":9223372036854775808}"#)))
        _ = try await rig.relay.execute(contextId: Rig.context, method: "set")
        #expect(try rig.warrants().map(\.tail.nonce) == [1, 1 << 63])
    }

    // MARK: Redirects

    /// The first of two places may have run it, so no second warrant follows.
    @Test(arguments: [307, 308], [1, 3]) func aRedirectedWriteCountsAsSentTwice(status: Int, hops: Int) async throws {
        let rig = try RelayRig { route, _, request in
            guard request.method == "POST" else { return Rig.description }
            let number = Int(request.url.split(separator: "=").last ?? "") ?? 0
            if number < hops {
                return .status(status, ["location": "\(Rig.url)/intents?hop=\(number + 1)"])
            }
            return Rig.refused(403, Rig.spent)
        }
        let error = await failure(of: { try await rig.relay.execute(contextId: Rig.context, method: "set") })
        #expect(error as? AccountError == .intentRefused(reason: Rig.spent, retryable: false, status: 403))
        #expect(rig.routes == ["GET intents"] + Array(repeating: "POST intents", count: hops + 1))
        #expect(try Set(rig.warrants().map(\.tail.nonce)) == [1])
    }

    /// Where the question was redirected, the write was not: its number is replaced as ever.
    @Test func aRedirectedQuestionCostsNothing() async throws {
        let rig = try RelayRig { route, count, request in
            switch route {
            case "GET intents":
                return request.url.contains("?") ? Rig.description : .status(302, ["location": request.url + "?a=b"])
            case "POST intents": return count == 0 ? Rig.refused(403, Rig.spent) : Rig.done()
            default: return .status(404)
            }
        }
        _ = try await rig.relay.execute(contextId: Rig.context, method: "set")
        #expect(rig.routes.filter { $0 == "POST intents" }.count == 2)
    }

    // MARK: Waits

    /// Whatever is longer than ten seconds is thrown at once, however it is spelled; what is no number is as good as none.
    @Test(
        arguments: [
            ("11", nil), ("99999999999999999999", nil), (String(repeating: "9", count: 4000), nil),
            ("18446744073709551615", nil), ("18446744073709551616", nil), ("00000000000000000000000000000007", 7),
            (" 10 ", 10), ("0", 0), ("-1", 0.25), ("1e9", 0.25), ("soon", 0.25), ("", 0.25), ("٣", 0.25),
        ] as [(String, Double?)])
    func onlyShortWaitsAreWaited(header: String, wait: Double?) async throws {
        let rig = try RelayRig { _, count, _ in
            count == 0 ? .status(429, ["retry-after": header]) : Rig.description
        }
        let error = await failure(of: { try await rig.relay.describe(Rig.context) })
        #expect((error as? MeroError)?.httpStatus == (wait == nil ? 429 : nil))
        #expect(rig.clock.waits == (wait.map { [$0] } ?? []))
        #expect(rig.routes.count == (wait == nil ? 1 : 2))
    }

    // MARK: Ids and tokens

    private static let noIds = [
        "", "a\\u0000b", "..", "x", String(repeating: "c1", count: 31), String(repeating: "zz", count: 32),
        " " + String(repeating: "c1", count: 32), String(repeating: "c1", count: 32) + "\\n",
        String(repeating: "z", count: 44),
    ]

    @Test(arguments: noIds, ["contextId", "memberPublicKey", "groupId"])
    func aContextHasIds(id: String, field: String) async throws {
        var members = ["contextId": Rig.context, "memberPublicKey": Rig.executorKey, "groupId": Rig.group]
        members[field] = id
        let answer = "{\(members.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ","))}"
        let rig = try RelayRig { route, _, _ in
            route == "GET context-intents" ? Rig.creationDescription : Rig.data(answer)
        }
        guard
            case AccountError.protocolViolation(let text)? = await failure(of: {
                try await rig.relay.createContext(groupId: Rig.group, applicationId: Rig.release)
            })
        else {
            Issue.record("\(field) was taken")
            return
        }
        #expect(!text.contains("\0"))
    }

    @Test func aContextIsInTheGroupThatWasAskedFor() async throws {
        let answer = Locked(Rig.context)
        let rig = try RelayRig { route, _, _ in
            if route == "GET context-intents" { return Rig.creationDescription }
            let group = answer.withLock { $0 }
            return Rig.data(
                #"{"contextId":"\#(Rig.context)","memberPublicKey":"\#(Rig.executorKey)","groupId":"\#(group)"}"#)
        }
        guard
            case AccountError.protocolViolation? = await failure(of: {
                try await rig.relay.createContext(groupId: Rig.group, applicationId: Rig.release)
            })
        else {
            Issue.record("another group was taken")
            return
        }
        answer.withLock { $0 = Rig.group.uppercased() }
        _ = try await rig.relay.createContext(groupId: Rig.group.uppercased(), applicationId: Rig.release)
    }

    @Test(arguments: noIds) func aChangedGroupHasAnId(id: String) async throws {
        let rig = try RelayRig { route, _, _ in
            route == "GET governance-intents" ? Rig.governanceDescription : Rig.data(#"{"groupId":"\#(id)"}"#)
        }
        guard
            case AccountError.protocolViolation? = await failure(of: {
                try await rig.relay.govern(
                    groupId: Rig.group, op: GovernanceOps.memberRemoved(member: Rig.executor))
            })
        else {
            Issue.record("taken: \(id)")
            return
        }
    }

    /// A token that no header can carry is refused where it comes from.
    @Test(
        arguments: ["a\\u0000b", "a b", "a\\r\\nX: y", "\\u00e9", "\\u007f", "\\u2028"],
        ["access_token", "refresh_token"])
    func tokensFitIntoHeaders(token: String, field: String) async throws {
        let device = try AccountDevice()
        let engine = ScriptedEngine { request, _ in
            if request.method == "GET" {
                return Rig.data(#"{"challenge":"\#(String(repeating: "cc", count: 32))"}"#)
            }
            var members = ["access_token": "a", "refresh_token": "r"]
            members[field] = token
            return Rig.data("{\(members.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ","))}")
        }
        let url = try #require(URL(string: Rig.url))
        guard
            case AccountError.protocolViolation(let text)? = await failure(of: {
                try await RelayLogin.login(
                    http: URLSessionHttpClient(baseURL: url, engine: engine), relayURL: Rig.url,
                    nodeKey: Rig.executorKey, credential: device.credential, signer: device.keys, audience: .cli,
                    clientName: nil, ttlSeconds: 300, now: Date())
            })
        else {
            Issue.record("taken: \(field) \(token)")
            return
        }
        #expect(text == "the relay's login brought a token that no header can carry")
    }
}
