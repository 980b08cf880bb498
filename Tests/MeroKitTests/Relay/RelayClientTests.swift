import Foundation
import Testing

@testable import MeroKit

/// How a write goes. Spec: 60, sections 2, 3 and 5.
@Suite("Relay client") struct RelayClientTests {
    private typealias Rig = RelayRig

    private static func describing(
        _ answer: @escaping @Sendable (Int) -> EngineResponse = { _ in Rig.done() }
    ) -> RelayRig.Script {
        { route, count, _ in
            switch route {
            case "GET intents": return Rig.description
            case "POST intents": return answer(count)
            default: return .status(404)
            }
        }
    }

    @Test func aWriteAsksWhoActsSignsAndSends() async throws {
        let rig = try RelayRig(Self.describing { _ in Rig.done(#"{"n":9007199254740993,"s":"x"}"#) })
        let result = try await rig.relay.execute(
            contextId: Rig.context, method: "set", argsJson: ["value": "é", "key": "k", "n": 1.5])
        #expect(result.rootHash == String(repeating: "99", count: 32))
        #expect(result.returns?["s"] == "x")
        #expect(rig.routes == ["GET intents", "POST intents"])
        #expect(rig.engine.requests.allSatisfy { $0.url == "\(Rig.url)/admin-api/contexts/\(Rig.context)/intents" })
        for request in rig.engine.requests {
            #expect(request.header("Authorization") == nil && request.header("X-Calimero-Proof") == nil)
            #expect(request.header("Accept") == "application/json")
            #expect(request.inactivityTimeout == 15)
        }
        #expect(rig.engine.requests[0].sendAtMostOnce == false)
        #expect(rig.engine.requests[1].sendAtMostOnce)
        #expect(rig.engine.requests[1].header("Content-Type") == "application/json")
        // Exactly four members, and the arguments are the text that the warrant commits to.
        guard case .bytes(let sent) = rig.engine.requests[1].body else {
            Issue.record("no body")
            return
        }
        let arguments = #"{"key":"k","n":1.5,"value":"é"}"#
        #expect(
            String(decoding: sent, as: UTF8.self).hasPrefix(#"{"method":"set","argsJson":\#(arguments),"warrant":""#))
        #expect(rig.body(1)?.objectValue?.keys.sorted() == ["argsJson", "authorProof", "method", "warrant"])
        let warrant = try #require(try rig.warrants().first)
        try warrant.verify()
        #expect(Hex.encode(warrant.context) == Rig.context)
        #expect(Hex.encode(warrant.authorAccount) == rig.device.account)
        #expect(Hex.encode(warrant.executor) == Rig.executor && Hex.encode(warrant.executorKey) == Rig.executorKey)
        #expect(Hex.encode(warrant.releaseBytecodeId) == Rig.release && warrant.releaseVersion == "1.2.0")
        #expect(warrant.intentHash == Warrants.intentHash(method: "set", canonicalArguments: Data(arguments.utf8)))
        #expect(warrant.tail.nonce == 1 && warrant.tail.notAfter == 1_790_000_300)
        #expect(rig.nonces.next(relay: Rig.url) == 2)
    }

    /// The relay is asked before every write: its key and its release may have changed.
    @Test func everyWriteAsksAgain() async throws {
        let rig = try RelayRig(Self.describing())
        for _ in 0..<2 { _ = try await rig.relay.execute(contextId: Rig.context, method: "set") }
        #expect(rig.routes == ["GET intents", "POST intents", "GET intents", "POST intents"])
        #expect(try rig.warrants().map(\.tail.nonce) == [1, 2])
        #expect(rig.body(1)?["argsJson"] == [:])
    }

    @Test func typedResultsAreExactAndNullIsWhatANodeMakesOfIt() async throws {
        let rig = try RelayRig(
            Self.describing { count in Rig.done(count == 0 ? "18446744073709551615" : "null") })
        #expect(try await rig.relay.execute(UInt64.self, contextId: Rig.context, method: "m") == .max)
        #expect(try await rig.relay.execute(String?.self, contextId: Rig.context, method: "m") == nil)
        #expect(try await rig.relay.execute(JSONValue.self, contextId: Rig.context, method: "m") == .null)
        _ = try await rig.relay.execute(Empty.self, contextId: Rig.context, method: "m")
        #expect(try await rig.relay.execute(contextId: Rig.context, method: "m").returns == nil)
        guard
            case MeroError.emptyResponse? = await failure(of: {
                try await rig.relay.execute(String.self, contextId: Rig.context, method: "m")
            })
        else {
            Issue.record("null became a String")
            return
        }
    }

    @Test func argumentsAsTextKeepEveryDigit() async throws {
        let rig = try RelayRig(Self.describing { _ in Rig.done("1") })
        let json = try RawJSON(#"{ "b": 18446744073709551615, "a": 9007199254740993 }"#)
        #expect(try await rig.relay.execute(Int.self, contextId: Rig.context, method: "m", argsJson: json) == 1)
        guard case .bytes(let sent) = rig.engine.requests[1].body else {
            Issue.record("no body")
            return
        }
        let text = #"{"a":9007199254740993,"b":18446744073709551615}"#
        #expect(String(decoding: sent, as: UTF8.self).contains(#""argsJson":\#(text),"#))
        let warrant = try #require(try rig.warrants().first)
        #expect(warrant.intentHash == Warrants.intentHash(method: "m", canonicalArguments: Data(text.utf8)))
    }

    // MARK: Nothing is signed for a wrong relay, and nothing is sent for bad input

    @Test func anotherExecutorIsRefusedUnsigned() async throws {
        let rig = try RelayRig(executorAccount: String(repeating: "EE", count: 32), Self.describing())
        let error = await failure(of: { try await rig.relay.execute(contextId: Rig.context, method: "set") })
        guard case AccountError.protocolViolation(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("would be unspendable"))
        #expect(rig.routes == ["GET intents"] && rig.nonces.next(relay: Rig.url) == 1)
        let same = try RelayRig(executorAccount: Rig.executor.uppercased(), Self.describing())
        _ = try await same.relay.execute(contextId: Rig.context, method: "set")
        #expect(same.relay.executorAccount == Rig.executor)
    }

    /// Nodes before the release pins can be described, and not written through.
    @Test(arguments: [
        #"{"executorAccount":"\#(RelayRig.executor)","canAuthorOnBehalf":true,"groupId":"ab"}"#,
        #"{"executorAccount":"\#(RelayRig.executor)","executorKey":"\#(RelayRig.executorKey)"}"#,
        #"{"executorKey":"\#(RelayRig.executorKey)","releaseBytecodeId":"\#(RelayRig.release)"}"#,
        "{}",
    ])
    func anOlderRelayCostsNoNonce(answer: String) async throws {
        let rig = try RelayRig { route, _, _ in route == "GET intents" ? Rig.data(answer) : .status(500) }
        let described = try await rig.relay.describe(Rig.context)
        #expect(described.releaseVersion == "")
        let error = await failure(of: { try await rig.relay.execute(contextId: Rig.context, method: "set") })
        guard case AccountError.protocolViolation? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!rig.routes.contains("POST intents") && rig.nonces.next(relay: Rig.url) == 1)
    }

    @Test func badInputIsRefusedBeforeANumberIsDrawn() async throws {
        for (proof, context) in [
            ("nothex", Rig.context), ("", Rig.context), (nil, "ab"), (nil, "zz" + Rig.context.dropFirst(2)),
        ] {
            let rig = try RelayRig(authorProof: proof, Self.describing())
            let error = await failure(of: { try await rig.relay.execute(contextId: context, method: "set") })
            guard case AccountError.invalidInput? = error else {
                Issue.record("\(String(describing: error)) for \(proof ?? "-") \(context)")
                continue
            }
            #expect(!rig.routes.contains("POST intents") && rig.nonces.next(relay: Rig.url) == 1)
        }
        // Ids that would name another route, and numbers that JSON has not, reach nobody.
        let rig = try RelayRig(Self.describing())
        for context in ["", ".", ".."] {
            guard case MeroError.network? = await failure(of: { try await rig.relay.describe(context) }) else {
                Issue.record("\(context) was sent")
                continue
            }
        }
        guard
            case MeroError.network? = await failure(of: {
                try await rig.relay.execute(contextId: Rig.context, method: "m", argsJson: ["x": .number(.nan)])
            })
        else {
            Issue.record("NaN was sent")
            return
        }
        #expect(rig.routes.isEmpty)
        let nowhere = try RelayRig(url: "no url", Self.describing())
        guard case AccountError.invalidInput? = await failure(of: { try await nowhere.relay.describe(Rig.context) })
        else {
            Issue.record("no url was reached")
            return
        }
    }

    @Test func pathsAreEncodedAsOneSegment() async throws {
        let rig = try RelayRig(Self.describing())
        _ = try? await rig.relay.describe("a/b?c#d")
        #expect(rig.engine.requests.first?.url == "\(Rig.url)/admin-api/contexts/a%2Fb%3Fc%23d/intents")
    }

    @Test func aSignerIsAskedAndItsSignatureChecked() async throws {
        let keys = DeviceKeys.generate()
        let good = ClosureSigner(signPublicKey: keys.signPublicKey) { try keys.sign($0) }
        let rig = try RelayRig(signer: good, Self.describing())
        _ = try await rig.relay.execute(contextId: Rig.context, method: "set")
        let warrant = try #require(try rig.warrants().first)
        try warrant.verify()
        #expect(Hex.encode(warrant.deviceKey) == keys.signPublicKey)
        let bad = ClosureSigner(signPublicKey: keys.signPublicKey) { _ in Data(repeating: 0, count: 64) }
        let other = try RelayRig(signer: bad, Self.describing())
        guard
            case AccountError.invalidInput? = await failure(of: {
                try await other.relay.execute(contextId: Rig.context, method: "set")
            })
        else {
            Issue.record("a wrong signature was sent")
            return
        }
        #expect(other.routes == ["GET intents"])
        let keyless = ClosureSigner(signPublicKey: "none") { _ in Data() }
        let third = try RelayRig(signer: keyless, Self.describing())
        _ = await failure(of: { try await third.relay.execute(contextId: Rig.context, method: "set") })
        #expect(third.nonces.next(relay: Rig.url) == 1 && third.routes.isEmpty)
    }

    // MARK: Refusals

    struct Refusal: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        /// Nil: no refusal but `MeroError.http`.
        let reason: String?
        let retryable: Bool
        var testDescription: String { "\(status) \(body.prefix(60))" }
    }

    @Test(arguments: [
        Refusal(
            status: 403, body: #"{"error":"this warrant's nonce has already been spent by this author device"}"#,
            reason: RelayRig.spent, retryable: true),
        Refusal(status: 403, body: #"{"error":"some NONCE thing"}"#, reason: "some NONCE thing", retryable: true),
        Refusal(
            status: 403, body: #"{"error":"this governance warrant has already been spent"}"#,
            reason: "this governance warrant has already been spent", retryable: false),
        Refusal(
            status: 400, body: #"{"error":"authorProof is not hex"}"#, reason: "authorProof is not hex",
            retryable: false),
        Refusal(status: 403, body: "", reason: "no reason given", retryable: false),
        Refusal(status: 403, body: "<html>no</html>", reason: "<html>no</html>", retryable: false),
        Refusal(status: 400, body: #"{"error":"","message":"m"}"#, reason: "m", retryable: false),
        Refusal(
            status: 403, body: #"{"error":{"code":"sealed_required"}}"#,
            reason: #"{"error":{"code":"sealed_required"}}"#, retryable: false),
        Refusal(
            status: 400, body: #"{"error":"bad nonce","type":"FunctionCallError","data":"bad nonce"}"#, reason: nil,
            retryable: false),
        Refusal(
            status: 409, body: #"{"error":"e","type":"FunctionCallError","data":1}"#, reason: nil, retryable: false),
        Refusal(status: 403, body: #"{"error":"nonce","type":"Unauthorized"}"#, reason: nil, retryable: false),
        Refusal(status: 409, body: #"{"error":"stale nonce"}"#, reason: nil, retryable: false),
        Refusal(status: 404, body: #"{"error":"context not found"}"#, reason: nil, retryable: false),
        Refusal(status: 401, body: #"{"error":"missing_token"}"#, reason: nil, retryable: false),
        Refusal(status: 500, body: "boom nonce", reason: nil, retryable: false),
        Refusal(status: 503, body: #"{"error":"still catching up"}"#, reason: nil, retryable: false),
    ])
    func everyRefusalIsWhatItIs(refusal: Refusal) async throws {
        let rig = try RelayRig(Self.describing { _ in .status(refusal.status, [:], refusal.body) })
        let error = await failure(of: { try await rig.relay.execute(contextId: Rig.context, method: "set") })
        if let reason = refusal.reason {
            #expect(
                error as? AccountError
                    == .intentRefused(reason: reason, retryable: refusal.retryable, status: refusal.status))
        } else {
            #expect((error as? MeroError)?.httpStatus == refusal.status)
            if refusal.body.contains("FunctionCallError") {
                #expect((error as? MeroError)?.errorType == "FunctionCallError")
            }
        }
        // Only a spent nonce is answered by a second warrant.
        #expect(rig.routes.filter { $0 == "POST intents" }.count == (refusal.retryable ? 2 : 1))
    }

    @Test func describingIsRefusedInTheSameWay() async throws {
        let rig = try RelayRig { _, _, _ in Rig.refused(400, "context id 'x' is not valid") }
        let error = await failure(of: { try await rig.relay.describe("x") }) as? AccountError
        #expect(error == .intentRefused(reason: "context id 'x' is not valid", retryable: false, status: 400))
        let missing = try RelayRig { _, _, _ in Rig.refused(404, "belongs to no group") }
        #expect((await failure(of: { try await missing.relay.describe("x") }) as? MeroError)?.httpStatus == 404)
        let empty = try RelayRig { _, _, _ in .status(200, [:], "{}") }
        guard case MeroError.decoding? = await failure(of: { try await empty.relay.describe("x") }) else {
            Issue.record("an answer without data was taken")
            return
        }
    }

    /// A lost answer, a time-out and a failing relay are thrown: who knows whether the method ran.
    @Test func aLostAnswerNeverBecomesASecondWrite() async throws {
        for kind in [EngineError.Kind.connectionLost, .timedOut, .unreachable] {
            let rig = try RelayRig { route, _, _ in
                if route == "GET intents" { return Rig.description }
                throw EngineError(kind: kind, mayHaveReachedNode: true, message: "lost")
            }
            guard
                case MeroError.network? = await failure(of: {
                    try await rig.relay.execute(contextId: Rig.context, method: "set")
                })
            else {
                Issue.record("\(kind) was no network error")
                continue
            }
            #expect(rig.routes == ["GET intents", "POST intents"])
        }
        // Asking who the relay is, too, is left to the caller.
        let silent = try RelayRig { _, _, _ in .status(503) }
        #expect((await failure(of: { try await silent.relay.describe(Rig.context) }) as? MeroError)?.httpStatus == 503)
        #expect(silent.routes.count == 1)
    }

    // MARK: 429

    @Test func aThrottledWriteIsSentAgainAsItIs() async throws {
        let rig = try RelayRig(
            Self.describing { count in count < 3 ? .status(429, count == 1 ? ["retry-after": "7"] : [:]) : Rig.done() })
        _ = try await rig.relay.execute(contextId: Rig.context, method: "set")
        #expect(rig.clock.waits == [0.25, 7, 1])
        let posts = rig.engine.requests.filter { $0.method == "POST" }
        let bodies = posts.map { request -> Data? in
            guard case .bytes(let data) = request.body else { return nil }
            return data
        }
        #expect(posts.count == 4 && Set(bodies).count == 1)
        #expect(rig.nonces.next(relay: Rig.url) == 2)
    }

    @Test func waitingHasItsLimits() async throws {
        let stubborn = try RelayRig(Self.describing { _ in .status(429) })
        #expect(
            (await failure(of: { try await stubborn.relay.execute(contextId: Rig.context, method: "set") })
                as? MeroError)?
                .httpStatus == 429)
        #expect(stubborn.clock.waits == [0.25, 0.5, 1] && stubborn.routes.count == 5)
        // More than ten seconds is not waited for.
        let slow = try RelayRig(Self.describing { _ in .status(429, ["retry-after": "11"]) })
        _ = await failure(of: { try await slow.relay.execute(contextId: Rig.context, method: "set") })
        #expect(slow.clock.waits.isEmpty && slow.routes.count == 2)
        // Nor a wait that the warrant would not survive.
        let short = try RelayRig(ttlSeconds: 5, Self.describing { _ in .status(429, ["retry-after": "6"]) })
        _ = await failure(of: { try await short.relay.execute(contextId: Rig.context, method: "set") })
        #expect(short.clock.waits.isEmpty && short.routes.count == 2)
        let never = try RelayRig(rateLimitRetries: 0, Self.describing { _ in .status(429) })
        _ = await failure(of: { try await never.relay.execute(contextId: Rig.context, method: "set") })
        #expect(never.routes.count == 2)
        // Questions are waited for, too.
        let question = try RelayRig { _, count, _ in count == 0 ? .status(429) : Rig.description }
        _ = try await question.relay.describe(Rig.context)
        #expect(question.clock.waits == [0.25])
    }

    @Test func waitingEndsWithItsTask() async throws {
        let device = try AccountDevice()
        let isWaiting = Locked(false)
        let engine = ScriptedEngine { request, _ in request.method == "GET" ? Rig.description : .status(429) }
        let relay = RelayClient(
            relayURL: Rig.url, authorAccount: device.account, authorProof: device.credential, signer: device.keys,
            nonces: MemoryWarrantNonceStore(), engine: engine,
            clock: RelayClock(sleep: { _ in
                isWaiting.withLock { $0 = true }
                try await Task.sleep(nanoseconds: 600_000_000_000)
            }))
        let task = Task { try await relay.execute(contextId: Rig.context, method: "set") }
        try await eventually { isWaiting.withLock { $0 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(engine.requests.count == 2)
    }
}
