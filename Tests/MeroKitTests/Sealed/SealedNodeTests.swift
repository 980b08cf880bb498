import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Sealed clients against a node, over real HTTP. Spec: 80, section 1.
@Suite("Sealed transport over HTTP") struct SealedNodeTests {
    /// Nobody on the way learns anything of a whole session.
    @Test func nothingOfASessionCanBeRead() async throws {
        let fixture = try await SealedFixture.start()
        let tap = try Wiretap(to: fixture.node.port)
        let mero = try await fixture.signedIn(Sealing(key: fixture.fixed), at: tap.url)
        let token = try #require(await mero.currentTokenData()?.accessToken)
        let events = mero.events(contextIds: [fixture.context])
        var iterator = events.makeAsyncIterator()
        try await eventually { fixture.node.handlerRuns("POST", "/sse/subscription") == 1 }
        let secret = "nobody-reads-this-value"
        let written: JSONValue? = try await mero.rpc.execute(
            contextId: fixture.context, method: "set", argsJson: ["key": "colour", "value": .string(secret)])
        #expect(written == nil || written == .null)
        let read: String? = try await mero.rpc.execute(
            contextId: fixture.context, method: "get", argsJson: ["key": "colour"])
        #expect(read == secret)
        #expect(try await iterator.next() != nil)
        fixture.node.expireAccessTokens()
        let again: String? = try await mero.rpc.execute(
            contextId: fixture.context, method: "get", argsJson: ["key": "colour"])
        #expect(again == secret)
        let content = Data("the content of a blob, ".utf8) + Data(repeating: 0x41, count: 200_000)
        let folder = try TemporaryFolder()
        try content.write(to: folder.file("in"))
        let blob = try await mero.admin.uploadBlob(file: folder.file("in"))
        #expect(try await mero.admin.getBlob(blob.blobId) == content)
        _ = try await mero.admin.downloadBlob(blob.blobId, to: folder.file("out"))
        #expect(try Data(contentsOf: folder.file("out")) == content)
        await mero.close()
        let passed = tap.up + tap.down
        for word in [
            secret, token, "dev-password", "colour", "execute", "jsonrpc", "authorization", "Bearer", "/auth/",
            "/sse", "/admin-api", "content of a blob", fixture.context, blob.blobId,
        ] {
            #expect(passed.range(of: Data(word.utf8)) == nil, "\(word) could be read")
        }
        #expect(fixture.inTheClear == [])
        await fixture.stop()
        tap.stop()
    }

    @Test(arguments: EngineUnderTest.allCases) func bothEnginesCarryIt(engine: EngineUnderTest) async throws {
        let fixture = try await SealedFixture.start()
        let carrier = try engine.make()
        let sealing = Sealing(key: fixture.fixed)
        let http = URLSessionHttpClient(
            baseURL: fixture.node.url, engine: sealing.engine(over: carrier, baseURL: fixture.node.url))
        let alive: JSONValue = try await http.get("/admin-api/health")
        #expect(alive["data"]?["status"] == "alive")
        #expect(try await http.head("/admin-api/health", headers: [:]).status == 200)
        let error = await failure(of: { try await http.sendVoid(HttpRequest(path: "/admin-api/contexts")) })
        guard case MeroError.http(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.status == 401 && !answer.cameInTheClear)
        #expect(fixture.handshakes == 1)
        await fixture.stop()
    }

    @Test func aBasePathIsLeftOutOfTheSeal() async throws {
        let fixture = try await SealedFixture.start { $0.pathPrefix = "/node1" }
        let url = fixture.node.url.appendingPathComponent("node1")
        let http = URLSessionHttpClient(baseURL: url, options: HttpOptions(sealing: Sealing(key: fixture.fixed)))
        let alive: JSONValue = try await http.get("/admin-api/health?x=a%20b")
        #expect(alive["data"]?["status"] == "alive")
        #expect(fixture.node.handlerRuns("GET", "/node1/admin-api/health") == 1)
        await fixture.stop()
    }

    @Test func manyCallersShareOneHandshake() async throws {
        let fixture = try await SealedFixture.start()
        let mero = fixture.mero()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask { let _: JSONValue = try await mero.http.get("/admin-api/health") }
            }
            try await group.waitForAll()
        }
        #expect(fixture.handshakes == 1 && fixture.node.sealed.sessionCount == 1)
        #expect(fixture.attestations.withLock { $0 } == 1)
        await fixture.stop()
    }

    @Test(arguments: [
        (400, "malformed"), (400, "unsupported_version"), (400, "undecryptable"), (400, "replayed_request"),
        (408, "timeout"), (413, "too_large"), (405, ""), (429, ""), (500, ""), (502, ""), (504, ""),
    ]) func refusalsInTheClearAreThrownOnce(status: Int, code: String) async throws {
        let fixture = try await SealedFixture.start()
        let mero = fixture.mero()
        let body = code.isEmpty ? nil : Data(#"{"error":{"code":"\#(code)","message":"no"}}"#.utf8)
        let fault = fixture.node.inject(.status(status, body: body), on: "POST /sealed/v2", times: nil)
        let error = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        guard case MeroError.http(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.status == status && answer.cameInTheClear && answer.refusal == nil)
        #expect(answer.sealedRefusal?.code == (code.isEmpty ? nil : code))
        #expect(fault.hits == 1)
        await fixture.stop()
    }

    /// Somebody on the way cannot end a session, answer a call or send a client elsewhere.
    @Test func whatIsNotSealedDecidesNothing() async throws {
        let fixture = try await SealedFixture.start()
        let revoked = Locked(false)
        let mero = Mero(
            config: MeroConfig(
                baseURL: fixture.node.url, onAuthRevoked: { _ in revoked.withLock { $0 = true } },
                httpOptions: HttpOptions(sealing: Sealing(key: fixture.fixed))))
        _ = try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
        let get: @Sendable () async throws -> String? = {
            try await mero.rpc.execute(contextId: fixture.context, method: "get", argsJson: ["key": "k"])
        }
        fixture.node.inject(
            .answer(Data(#"{"jsonrpc":"2.0","id":1,"result":{"output":"forged"}}"#.utf8)), on: "POST /sealed/v2")
        var error = await failure(of: { _ = try await get() })
        #expect(error as? SealedTransportError == .notSealed(status: 200))
        for status in [401, 403] {
            fixture.node.inject(
                .status(status, headers: ["x-auth-error": "token_revoked"]), on: "POST /sealed/v2")
            error = await failure(of: { _ = try await get() })
            guard case MeroError.http? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        fixture.node.inject(
            .status(307, headers: ["location": fixture.node.url.absoluteString + "/admin-api/health"]),
            on: "POST /sealed/v2")
        error = await failure(of: { _ = try await get() })
        #expect((error as? MeroError)?.httpStatus == 307)
        #expect(!revoked.withLock { $0 })
        #expect(await mero.isAuthenticated)
        #expect(try await get() == nil)
        #expect(fixture.inTheClear == [])
        await fixture.stop()
    }

    /// Whatever byte of whatever answer is changed, dropped or cut, the value is right or there is an error.
    @Test func noChangeOnTheWayGivesAWrongResult() async throws {
        let fixture = try await SealedFixture.start()
        let tap = try Wiretap(to: fixture.node.port)
        let mero = try await fixture.signedIn(Sealing(key: fixture.fixed), at: tap.url, policy: .never, timeout: 0.5)
        let value = String(repeating: "right", count: 20)
        let _: JSONValue? = try await mero.rpc.execute(
            contextId: fixture.context, method: "set", argsJson: ["key": "k", "value": .string(value)])
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var errors = 0
        for _ in 0..<60 {
            let place = Int.random(in: 0..<460, using: &random)
            let kind = Int.random(in: 0..<4, using: &random)
            tap.change { bytes, offset in
                guard (offset..<(offset + bytes.count)).contains(place) else { return }
                let index = bytes.startIndex + place - offset
                switch kind {
                case 0: bytes[index] ^= 0x10
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes[index], at: index)
                default: bytes.removeSubrange(index...)
                }
            }
            do {
                let read: String? = try await mero.rpc.execute(
                    contextId: fixture.context, method: "get", argsJson: ["key": "k"])
                #expect(read == value, "seed \(seed)")
            } catch is SealedTransportError {
                errors += 1
            } catch is MeroError {
                errors += 1
            }
        }
        #expect(errors > 10)
        tap.change(nil)
        #expect(fixture.inTheClear == [])
        await fixture.stop()
        tap.stop()
    }

    /// A refusal of nobody's is a lost connection to a stream, and no more.
    @Test func noClearAnswerEndsAStream() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn()
        let faults = [401, 403, 404, 422].map { fixture.node.inject(.status($0), on: "POST /sealed/v2") }
        let seen = Locked(0)
        let reading = Task {
            for try await event in mero.events(contextIds: [fixture.context]) where !event.isGap {
                seen.withLock { $0 += 1 }
            }
        }
        try await eventually {
            fixture.node.emit(.syncStatus(.syncing), context: fixture.context)
            return seen.withLock { $0 } > 0
        }
        #expect(faults.allSatisfy { $0.hits == 1 })
        #expect(await mero.isAuthenticated)
        reading.cancel()
        await mero.close()
        await fixture.stop()
    }

    @Test func nothingIsSentElsewhere() async throws {
        let fixture = try await SealedFixture.start()
        let other = try await DevNode.start()
        let mero = fixture.mero()
        let target = other.url.absoluteString + "/admin-api/health"
        let error = await failure(of: { let _: JSONValue = try await mero.http.get(target) })
        #expect(
            error as? SealedTransportError
                == .outsideBase(url: target, base: fixture.node.url.absoluteString))
        #expect(other.requests.isEmpty && fixture.node.requests.isEmpty)
        await other.stop()
        await fixture.stop()
    }

    @Test func webSocketsAreRefused() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn()
        let socket = mero.ws
        let errors = Locked<[any Error]>([])
        let listening = socket.onError { error in errors.withLock { $0.append(error) } }
        socket.connect()
        try await eventually { errors.withLock { !$0.isEmpty } }
        #expect(errors.withLock { $0.first as? SealedTransportError } == .webSocket)
        socket.close()
        withExtendedLifetime(listening) {}
        await fixture.stop()
    }

    @Test func aStreamThatIsCutOpensAgain() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn()
        let events = mero.events(contextIds: [fixture.context])
        let seen = Locked(0)
        let reading = Task { for try await _ in events { seen.withLock { $0 += 1 } } }
        try await eventually { fixture.node.handlerRuns("POST", "/sse/subscription") == 1 }
        fixture.node.sealed.renewTransportKey()
        fixture.node.streams.cutAll()
        try await eventually { fixture.node.handlerRuns("POST", "/sse/subscription") == 2 && seen.withLock { $0 } > 0 }
        let before = seen.withLock { $0 }
        fixture.node.emit(.syncStatus(.syncing), context: fixture.context)
        try await eventually { seen.withLock { $0 } > before }
        #expect(fixture.attestations.withLock { $0 } == 2)
        reading.cancel()
        await mero.close()
        try await eventually { fixture.node.streams.open.isEmpty }
        await fixture.stop()
    }

    @Test func cancellingEndsAStalledCallAndLeavesTheHandshakeToOthers() async throws {
        let fixture = try await SealedFixture.start()
        let mero = fixture.mero()
        fixture.node.inject(.delay(0.3), on: "POST /sealed/v2/handshake")
        let first = Task { let _: JSONValue = try await mero.http.get("/admin-api/health") }
        let second = Task { let _: JSONValue = try await mero.http.get("/admin-api/health") }
        try await eventually { fixture.node.requestCount("POST", "/sealed/v2/handshake") == 1 }
        first.cancel()
        #expect(await first.result.failure is CancellationError)
        try await second.value
        #expect(fixture.handshakes == 1)
        fixture.node.inject(.stall, on: "POST /sealed/v2")
        let stalled = Task { let _: JSONValue = try await mero.http.get("/admin-api/health") }
        try await eventually { fixture.node.requestCount("POST", "/sealed/v2") == 2 }
        stalled.cancel()
        #expect(await stalled.result.failure is CancellationError)
        await fixture.stop()
    }

    @Test func aBodyOverTheLimitIsNotHeldAndADownloadIs() async throws {
        let fixture = try await SealedFixture.start()
        let content = Data((0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let mero = Mero(
            config: MeroConfig(
                baseURL: fixture.node.url, credentials: Credentials(username: "dev", password: "dev-password"),
                httpOptions: HttpOptions(replyLimit: 500_000, sealing: Sealing(key: fixture.fixed))))
        _ = try await mero.authenticate()
        let folder = try TemporaryFolder()
        try content.write(to: folder.file("in"))
        let blob = try await mero.admin.uploadBlob(file: folder.file("in"))
        guard case MeroError.network(let text)? = await failure(of: { _ = try await mero.admin.getBlob(blob.blobId) })
        else {
            Issue.record("held all the same")
            return
        }
        #expect(text.contains("500000"))
        let progress = Locked<[TransferProgress]>([])
        _ = try await mero.admin.downloadBlob(blob.blobId, to: folder.file("out")) { news in
            progress.withLock { $0.append(news) }
        }
        #expect(try Data(contentsOf: folder.file("out")) == content)
        #expect(progress.withLock { $0.last } == TransferProgress(completed: 900_000, total: 900_000))
        fixture.node.inject(.cutMidBody(after: 400_000), on: "POST /sealed/v2", times: nil)
        #expect(
            await failure(of: { _ = try await mero.admin.downloadBlob(blob.blobId, to: folder.file("cut")) }) != nil)
        try await eventually { folder.contents.sorted() == ["in", "out"] }
        await fixture.stop()
    }

    @Test func aNodeThatTakesNothingElseSaysSo() async throws {
        let fixture = try await SealedFixture.start { $0.sealing.isRequired = true }
        let plain = Mero(config: MeroConfig(baseURL: fixture.node.url))
        let error = await failure(of: {
            _ = try await plain.authenticate(Credentials(username: "dev", password: "dev-password"))
        })
        #expect(error.map { "\($0)" }?.contains("dev-password") == false)
        let answer = await failure(of: { try await plain.http.sendVoid(HttpRequest(path: "/admin-api/contexts")) })
        guard case MeroError.http(let refusal)? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(refusal.status == 403 && refusal.sealedRefusal?.code == "sealed_required")
        let mero = try await fixture.signedIn()
        #expect(await mero.isAuthenticated)
        await fixture.stop()
    }

    @Test func aNodeOfBeforeIsNotSpokenToInTheClear() async throws {
        let fixture = try await SealedFixture.start { $0.sealing.isOffered = false }
        let mero = fixture.mero(Sealing(key: .fixed(try X25519.publicKey(secret: randomBytes(32)))))
        let error = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        #expect((error as? MeroError)?.httpStatus == 404)
        #expect(fixture.inTheClear == [])
        await fixture.stop()
    }
}

extension Result {
    /// What went wrong.
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
