import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Whom a join is handed to, and how long it takes. Spec: 70, sections 11.2 and 11.3.
@Suite("Join candidates") struct JoinCandidateTests {
    private static let namespace = String(repeating: "ab", count: 32)
    private static let admitters = (0..<3).map { String(repeating: "4\($0)", count: 32) }

    /// Three nodes that are named and one that is not; each admits as its status says.
    private struct Rig {
        let cloud: ScriptedCloud
        let nodes: [ScriptedCloud]
        let device: AccountDevice
        let invitation: SignedGroupOpenInvitation

        init(_ statuses: [Int], hints: [Int] = []) throws {
            cloud = try ScriptedCloud()
            device = try AccountDevice()
            nodes = try statuses.map { status in
                let node = try ScriptedCloud()
                node.on(
                    "POST /admin-api/namespaces/\(namespace)/admit",
                    status == 200
                        ? .json(#"{"data":{"published":true}}"#) : .status(status, #"{"error":"no \#(status)"}"#))
                return node
            }
            let hintURLs = try hints.map { [nodes] in try nodes[$0].url.absoluteString }
            invitation = try GroupInvitations.sign(
                groupId: namespace, inviterAccount: admitters[0], keys: .generate(), admitters: admitters,
                admitterAddrs: ["/ip4/1.2.3.4/tcp/1"] + hintURLs)
            let rows = try nodes.enumerated().map { index, node in
                let account = index < 3 ? admitters[index] : String(repeating: "ee", count: 32)
                return
                    #"{"peer_id":"p\#(index)","account":"\#(account)","relay_url":"\#(try node.url.absoluteString)","fresh":true,"can_admit":\#(index != 0)}"#
            }
            cloud.serve(admitters: hints.isEmpty ? rows : [], namespace: namespace)
        }

        func join(nodeURL: String? = nil) async throws -> JoinOutcome {
            try await AccountJoin.bootstrapFromInvitation(
                namespaceId: namespace, invitation: invitation, account: device.account,
                credential: device.credential, keys: device.keys, nonce: 7, nodeURL: nodeURL,
                cloud: CloudClient(baseURL: try cloud.url))
        }

        var asked: [Int] { nodes.map(\.asked.count) }

        func stop() {
            cloud.stop()
            for node in nodes { node.stop() }
        }
    }

    /// Those that say that they can admit come first; who cannot, or says that it is not named, is followed by the next.
    @Test(arguments: [
        ([200, 200, 200, 200], [0, 1, 0, 0], 1), ([200, 409, 200, 200], [0, 1, 1, 0], 2),
        ([200, 403, 409, 200], [1, 1, 1, 0], 0), ([200, 409, 403, 200], [1, 1, 1, 0], 0),
    ])
    func theNextOneIsAsked(statuses: [Int], asked: [Int], taker: Int) async throws {
        let rig = try Rig(statuses)
        defer { rig.stop() }
        let outcome = try await rig.join()
        #expect(outcome.published && rig.asked == asked)
        #expect(try outcome.relayUrl == rig.nodes[taker].url.absoluteString)
        #expect(outcome.relay?.admitterAccount == Self.admitters[taker])
        // One op for all of them: a join that arrives twice is one join.
        let ops = rig.nodes.flatMap(\.requests).map { $0.json?["signedOp"]?.stringValue }
        #expect(Set(ops).count == 1 && ops.first??.hasPrefix("18") == true)
        #expect(rig.nodes.flatMap(\.requests).allSatisfy { $0.values("Authorization").isEmpty })
    }

    @Test(arguments: [
        ([403, 409, 403, 200], [1, 1, 1, 0], 403, "no 403"), ([200, 400, 200, 200], [0, 1, 0, 0], 400, "altered"),
        ([200, 503, 200, 200], [0, 1, 0, 0], 503, "same invitation"),
        ([200, 500, 200, 200], [0, 1, 0, 0], 500, "not published"),
        ([409, 409, 409, 200], [1, 1, 1, 0], 409, "no device of its own"),
    ])
    func refusalsSayWhy(statuses: [Int], asked: [Int], status: Int, text: String) async throws {
        let rig = try Rig(statuses)
        defer { rig.stop() }
        guard
            case AccountError.intentRefused(let reason, false, let told)? = await failure(of: {
                try await rig.join()
            })
        else { return #expect(Bool(false), "another error") }
        #expect(told == status && reason.contains(text) && reason.contains("no \(status)"))
        // Nobody twice, and nobody that the invitation does not name.
        #expect(rig.asked == asked)
    }

    /// One that is away, and one whose address is none, are passed over; what another one says outranks that.
    @Test func whoDoesNotAnswerIsFollowedByTheNext() async throws {
        let away = try ScriptedCloud()
        let gone = try away.url.absoluteString
        away.stop()
        let rig = try Rig([200, 403])
        defer { rig.stop() }
        func rows(_ urls: [String]) -> [String] {
            zip(Self.admitters, urls).map {
                #"{"peer_id":"p","account":"\#($0)","relay_url":"\#($1)","fresh":true,"can_admit":true}"#
            }
        }
        let (good, bad) = (try rig.nodes[0].url.absoluteString, try rig.nodes[1].url.absoluteString)
        rig.cloud.serve(admitters: rows([gone, "ftp://x", good]), namespace: Self.namespace)
        #expect(try await rig.join().relayUrl == good)
        rig.cloud.serve(admitters: rows([bad, gone, "ftp://x"]), namespace: Self.namespace)
        guard case AccountError.intentRefused(_, false, 403)? = await failure(of: { try await rig.join() }) else {
            return #expect(Bool(false), "another error")
        }
        rig.cloud.serve(admitters: rows([gone]), namespace: Self.namespace)
        guard case MeroError.network? = await failure(of: { try await rig.join() }) else {
            return #expect(Bool(false), "another error")
        }
    }

    /// Whoever wrote the invitation does not send a device from address to address.
    @Test func onlyTheFirstHintIsACandidate() async throws {
        let rig = try Rig([409, 200], hints: [0, 1])
        defer { rig.stop() }
        guard case AccountError.intentRefused(_, false, 409)? = await failure(of: { try await rig.join() }) else {
            return #expect(Bool(false), "another error")
        }
        #expect(rig.asked == [1, 0])
        let willing = try Rig([409, 200], hints: [1, 0])
        defer { willing.stop() }
        #expect(try await willing.join().relayUrl == willing.nodes[1].url.absoluteString)
    }

    @Test(arguments: ["http://h/shutdown?x=", "https://h/#", "http://", "https://a b"])
    func aHintThatIsNoOriginIsNobody(hint: String) throws {
        let invitation = try GroupInvitations.sign(
            groupId: Self.namespace, inviterAccount: Self.admitters[0], keys: .generate(), admitters: Self.admitters,
            admitterAddrs: [hint])
        let choice = AdmitterChoice(namespaceId: Self.namespace, invitation: invitation)
        let routing = CloudNamespaceRouting(
            namespaceId: Self.namespace, nodes: [], servable: true, writable: true)
        #expect(throws: AccountError.self) { try choice.relays(in: routing) }
    }

    @Test func soManyNodesAreAskedAndNoMore() async throws {
        let rig = try Rig([409])
        defer { rig.stop() }
        let url = try rig.nodes[0].url.absoluteString
        let row =
            #"{"peer_id":"p","account":"\#(Self.admitters[0])","relay_url":"\#(url)","fresh":true,"can_admit":true}"#
        rig.cloud.serve(admitters: Array(repeating: row, count: 30), namespace: Self.namespace)
        guard case AccountError.intentRefused(_, false, 409)? = await failure(of: { try await rig.join() }) else {
            return #expect(Bool(false), "another error")
        }
        #expect(rig.asked == [8])
    }

    @Test func aNodeThatIsGivenIsTheOnlyOne() async throws {
        let rig = try Rig([200, 409, 200])
        defer { rig.stop() }
        let error = await failure(of: { try await rig.join(nodeURL: try rig.nodes[1].url.absoluteString + "//") })
        guard case AccountError.intentRefused(_, false, 409)? = error else {
            return #expect(Bool(false), "another error")
        }
        #expect(rig.asked == [0, 1, 0] && rig.cloud.asked.isEmpty)
    }

    // MARK: Waiting for membership

    /// A clock that passes only while somebody sleeps.
    private final class Sleeper: Sendable {
        let time = Locked((now: Date(timeIntervalSince1970: 1_000_000), naps: [TimeInterval]()))

        var clock: RelayClock {
            var clock = RelayClock()
            clock.now = { self.time.withLock { $0.now } }
            clock.sleep = { seconds in
                try Task.checkCancellation()
                self.time.withLock { time in
                    time.now += seconds
                    time.naps.append(seconds)
                }
            }
            return clock
        }
    }

    private static func listing(_ ids: [String]) -> EngineResponse {
        let rows = ids.map {
            #"{"namespaceId":"\#($0)","appKey":"k","targetApplicationId":"t","createdAt":1,"memberCount":1,"contextCount":0,"subgroupCount":0}"#
        }
        return .status(200, [:], #"{"data":[\#(rows.joined(separator: ","))]}"#)
    }

    private static func wait(
        timeout: TimeInterval = 60, _ answer: @escaping @Sendable (EngineRequest, Int) async throws -> EngineResponse
    ) async throws -> (isMember: Bool, naps: [TimeInterval], requests: [EngineRequest]) {
        let engine = ScriptedEngine(answer)
        let sleeper = Sleeper()
        let admin = AdminApi(
            http: URLSessionHttpClient(
                baseURL: try #require(URL(string: "https://relay.example")), engine: engine, retryPolicy: .never))
        let isMember = try await AccountJoin.waitForMembership(
            namespace.uppercased(), admin: admin, timeout: timeout, clock: sleeper.clock)
        return (isMember, sleeper.time.withLock { $0.naps }, engine.requests)
    }

    @Test func membershipIsPolledMoreAndMoreSlowly() async throws {
        let late = try await Self.wait { _, number in Self.listing(number < 7 ? ["x"] : ["x", Self.namespace]) }
        #expect(late.isMember)
        #expect(late.naps == [1, 1.5, 2.25, 3.375, 5.0625, 7.59375, 8])
        let at = try await Self.wait { _, _ in Self.listing([Self.namespace]) }
        #expect(at.isMember && at.naps.isEmpty)
        let never = try await Self.wait(timeout: 10) { _, _ in Self.listing([]) }
        #expect(!never.isMember && never.naps.reduce(0, +) == 10)
        // What is wrong for a while is waited out.
        let shaky = try await Self.wait { _, number in
            if number == 0 { throw EngineError(kind: .unreachable, mayHaveReachedNode: false, message: "away") }
            return number == 1 ? .status(503) : number == 2 ? .status(200, [:], "<") : Self.listing([Self.namespace])
        }
        #expect(shaky.isMember && shaky.naps.count == 3)
    }

    @Test func aListingOfManyPagesIsReadToItsEnd() async throws {
        let many = (0..<100).map { "n\($0)" }
        let found = try await Self.wait { request, _ in
            Self.listing(request.url.contains("offset=100") ? [Self.namespace] : many)
        }
        #expect(found.isMember && found.naps.isEmpty && found.requests.count == 2)
    }

    /// A relay that returns the same page for any offset, and one that always has more.
    @Test func aListingWithoutAnEndIsGivenUp() async throws {
        let many = (0..<100).map { "n\($0)" }
        let same = try await Self.wait(timeout: 1) { _, _ in Self.listing(many) }
        #expect(!same.isMember && same.requests.count == 3 && same.naps == [1])
        let endless = try await Self.wait(timeout: 0) { _, number in Self.listing(many.map { "\(number)-\($0)" }) }
        #expect(!endless.isMember && endless.requests.count == 1)
    }

    @Test func aSessionThatIsOverIsNotWaitedFor() async throws {
        for status in [401, 403] {
            let error = await failure(of: { try await Self.wait { _, _ in .status(status) } })
            #expect((error as? MeroError)?.httpStatus == status)
        }
        let revoked = await failure(of: {
            try await Self.wait { _, _ in .status(401, ["x-auth-error": "token_revoked"]) }
        })
        guard case MeroError.authRevoked? = revoked else { return #expect(Bool(false), "another error") }
    }

    @Test func waitingIsCancelled() async throws {
        let asked = Locked(0)
        let admin = AdminApi(
            http: URLSessionHttpClient(
                baseURL: try #require(URL(string: "https://relay.example")),
                engine: ScriptedEngine { _, _ in
                    asked.withLock { $0 += 1 }
                    return Self.listing([])
                }))
        let waiting = Task { try await AccountJoin.waitForMembership(Self.namespace, admin: admin, timeout: 3600) }
        try await eventually { asked.withLock { $0 } > 0 }
        waiting.cancel()
        let error = await failure(of: { try await waiting.value })
        #expect(error is CancellationError)
    }
}
