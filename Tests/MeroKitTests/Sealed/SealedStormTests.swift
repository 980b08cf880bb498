import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Many calls over sessions that come and go, on a way that loses, repeats and cuts. Spec: 80, sections 1.3 and 1.6.
@Suite("Sealed sessions under fire") struct SealedStormTests {
    private static let workers = 16
    private static let rounds = 20

    /// Everything that goes out is kept, and looked at for a nonce that has served twice: under one key there is one for one
    /// session and id, which stand in the first 25 bytes.
    @Test func noNonceServesTwice() async throws {
        let fixture = try await SealedFixture.start()
        let proxy = try SealedProxy(to: fixture.node.port)
        let clock = SealedTestClock()
        let mero = try await fixture.signedIn(Sealing(key: fixture.attested, clock: clock.clock), at: proxy.url)
        for worker in 0..<Self.workers {
            let _: JSONValue? = try await mero.rpc.execute(
                contextId: fixture.context, method: "set",
                argsJson: ["key": .string("k\(worker)"), "value": .string("of \(worker)")])
        }
        proxy.set(
            .init(
                request: { number, envelope in
                    if number % 13 == 4 { fixture.node.sealed.forgetSessions() }
                    if number % 61 == 7 { fixture.node.sealed.renewTransportKey() }
                    if number % 37 == 9 { clock.advance(3_600) }
                    switch number % 17 {
                    case 3: return []
                    case 8: return [envelope, envelope]
                    default: return [envelope]
                    }
                },
                frame: { number, index, frame in number % 11 == 2 && index == 1 ? nil : [frame] }))
        let answered = Locked(0)
        let outcomes = await withTaskGroup(of: (own: Int, failed: Int).self) { group in
            for worker in 0..<Self.workers {
                group.addTask {
                    var (own, failed) = (0, 0)
                    // On a busy machine fewer calls get through: it goes on until they are enough.
                    for round in 0..<Self.rounds * 10 where round < Self.rounds || answered.withLock({ $0 }) <= 100 {
                        do {
                            let value: String? = try await mero.rpc.execute(
                                contextId: fixture.context, method: "get", argsJson: ["key": .string("k\(worker)")])
                            #expect(value == "of \(worker)", "the answer to somebody else's call")
                            own += 1
                            answered.withLock { $0 += 1 }
                        } catch {
                            #expect(Self.isAllowed(error), "\(error)")
                            failed += 1
                        }
                    }
                    return (own, failed)
                }
            }
            return await group.reduce(into: (own: 0, failed: 0)) { $0 = ($0.own + $1.own, $0.failed + $1.failed) }
        }
        #expect(outcomes.own + outcomes.failed >= Self.workers * Self.rounds)
        #expect(outcomes.own > 100 && outcomes.failed > 10, "\(outcomes)")
        let envelopes = proxy.exchanges.map(\.envelope)
        #expect(envelopes.count > outcomes.own + outcomes.failed)
        let sealed = Dictionary(grouping: envelopes) { $0.prefix(25) }
        // The stack may send the same bytes again over a connection that died; other bytes would be another plaintext.
        for (header, sent) in sealed {
            #expect(Set(sent).count == 1, "two plaintexts under \(Hex.encode(Array(header)))")
        }
        #expect(Set(sealed.keys.map { $0.prefix(17) }).count > 10, "not many sessions took part")
        await mero.close()
        try await eventually { proxy.openConnections == 0 }
        await fixture.stop()
        proxy.stop()
    }

    private static func isAllowed(_ error: any Error) -> Bool {
        switch error {
        case is SealedTransportError, MeroError.network: return true
        case MeroError.http(let answer):
            let codes = ["unknown_session", "replayed_request", "stale_transport_key", "undecryptable"]
            return answer.cameInTheClear && codes.contains(answer.sealedRefusal?.code ?? "")
        default: return false
        }
    }

    /// Wherever the connection ends: an error until the last frame has come, and the result from then on.
    @Test func anAnswerThatEndsAtAnyByte() async throws {
        let fixture = try await SealedFixture.start()
        let (port, cut, size) = (fixture.node.port, Locked(Int.max), Locked(0))
        let server = try ScriptedServer { peer in
            guard let request = try peer.readRequest() else { return }
            let upstream = try LoopbackSocket.connected(to: port)
            defer { close(upstream) }
            let type = request.values("Content-Type").first.map { "Content-Type: \($0)\r\n" } ?? ""
            let head =
                "\(request.method) \(request.target) HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\(type)"
                + "Content-Length: \(request.body.count)\r\n\r\n"
            _ = LoopbackSocket.send(Data(head.utf8) + request.body, to: upstream)
            var answer = Data()
            while let more = LoopbackSocket.receive(from: upstream) { answer += more }
            let isExchange = request.target.hasSuffix("/sealed/v2")
            if isExchange { size.withLock { $0 = answer.count } }
            try peer.send(isExchange ? answer.prefix(cut.withLock { $0 }) : answer)
        }
        let base = try #require(URL(string: server.url))
        let mero = try await fixture.signedIn(Sealing(key: fixture.fixed), at: base, policy: .never)
        let get: @Sendable () async throws -> String? = {
            try await mero.rpc.execute(contextId: fixture.context, method: "get", argsJson: ["key": "k"])
        }
        let _: JSONValue? = try await mero.rpc.execute(
            contextId: fixture.context, method: "set", argsJson: ["key": "k", "value": "v"])
        #expect(try await get() == "v")
        let whole = size.withLock { $0 }
        #expect(whole > 200)
        var firstSuccess: Int?
        for length in 0...whole {
            cut.withLock { $0 = length }
            do {
                #expect(try await get() == "v")
                firstSuccess = firstSuccess ?? length
            } catch {
                #expect(firstSuccess == nil, "\(length) bytes of \(whole): \(error)")
                switch error {
                case MeroError.network, SealedTransportError.cutShort: break
                default: Issue.record("\(length) bytes of \(whole): \(error)")
                }
            }
        }
        // What may be missing is the end of the outer body, behind the last frame.
        #expect(try #require(firstSuccess) > whole - 10)
        await mero.close()
        await fixture.stop()
        server.stop()
    }

    /// Each call leaves a connection behind that says nothing any more: they do not pile up.
    @Test func silenceGathersNoConnections() async throws {
        let fixture = try await SealedFixture.start()
        let proxy = try SealedProxy(to: fixture.node.port)
        let mero = fixture.mero(Sealing(key: fixture.fixed), at: proxy.url)
        proxy.set(.init(staysSilent: true))
        let most = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<40 {
                        let error = await failure(of: {
                            let _: JSONValue = try await mero.http.get("/admin-api/health")
                        })
                        #expect(error == nil)
                        let open = proxy.openConnections
                        most.withLock { $0 = max($0, open) }
                    }
                }
            }
        }
        // A connection that was given up is counted until the proxy has noticed.
        let open = most.withLock { $0 }
        #expect(open < EngineFarewell.most + 64, "\(open) connections")
        try await eventually { proxy.openConnections == 0 }
        await mero.close()
        await fixture.stop()
        proxy.stop()
    }

    /// Cancelled a little later each time: before, in and after the attestation, the handshake and the exchange.
    @Test func aCallThatIsCancelledAnywhere() async throws {
        let fixture = try await SealedFixture.start()
        let clock = SealedTestClock()
        let mero = fixture.mero(Sealing(key: fixture.attested, clock: clock.clock))
        var (cancelled, answered) = (0, 0)
        for round in 0..<240 {
            // Every other one needs a session, every fifth an attestation.
            if round % 5 == 0 {
                // One that was left to itself is over by then: a node that restarts twice in one opening is given up.
                let _: JSONValue = try await mero.http.get("/admin-api/health")
                fixture.node.sealed.renewTransportKey()
            }
            if round % 2 == 0 { clock.advance(3_600) }
            let call = Task { let _: JSONValue = try await mero.http.get("/admin-api/health") }
            let deadline = ProcessInfo.processInfo.systemUptime + Double(round) * 50e-6
            while ProcessInfo.processInfo.systemUptime < deadline { await Task.yield() }
            call.cancel()
            let start = ProcessInfo.processInfo.systemUptime
            switch await call.result {
            case .success: answered += 1
            case .failure(let error):
                #expect(error is CancellationError, "\(round): \(error)")
                cancelled += 1
            }
            // Attestations take their time under a sanitizer.
            let isSanitized = ProcessInfo.processInfo.environment["MEROKIT_SANITIZED"] != nil
            #expect(ProcessInfo.processInfo.systemUptime - start < (isSanitized ? 120 : 5))
        }
        #expect(cancelled > 20)
        // Nothing is left in a state that would harm the next one.
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        #expect(cancelled + answered == 240)
        await mero.close()
        await fixture.stop()
    }
}
