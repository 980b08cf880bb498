import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Whole messages that do not arrive, arrive twice, in another order, or in part: always an error with a name, never another
/// result, and nothing in the clear. Spec: 80, sections 1.3, 1.4, 1.6 and 1.7.
@Suite("Sealed messages on their way") struct SealedMessageTests {
    /// What happens to one frame.
    enum Act: CaseIterable, Sendable {
        case dropped, repeated, swapped, replaced, cut

        /// - Parameters:
        ///   - older: the frames of another answer to the same request.
        ///   - exchange: whose frames.
        func frames(at place: Int, of exchange: Int = 0, older: [Data]) -> @Sendable (Int, Int, Data) -> [Data]? {
            let held = Locked<Data?>(nil)
            return { [self] number, index, frame in
                guard number == exchange else { return [frame] }
                let earlier = held.withLock { held -> Data? in
                    defer { held = nil }
                    return held
                }
                if let earlier { return [frame, earlier] }
                guard index == place else { return [frame] }
                switch self {
                case .dropped: return []
                case .repeated: return [frame, frame]
                case .swapped:
                    held.withLock { $0 = frame }
                    return []
                case .replaced: return older.indices.contains(index) ? [older[index]] : []
                case .cut: return nil
                }
            }
        }
    }

    private struct Rig {
        let fixture: SealedFixture
        let proxy: SealedProxy
        let mero: Mero

        init(timeout: TimeInterval = 20) async throws {
            fixture = try await SealedFixture.start()
            proxy = try SealedProxy(to: fixture.node.port)
            mero = try await fixture.signedIn(
                Sealing(key: fixture.fixed), at: proxy.url, policy: .never, timeout: timeout)
        }

        func set(_ value: String, _ key: String = "k") async throws {
            let _: JSONValue? = try await mero.rpc.execute(
                contextId: fixture.context, method: "set", argsJson: ["key": .string(key), "value": .string(value)])
        }

        func get(_ key: String = "k") async throws -> String? {
            try await mero.rpc.execute(contextId: fixture.context, method: "get", argsJson: ["key": .string(key)])
        }

        var calls: Int { fixture.node.handlerRuns("POST", "/jsonrpc") }

        /// Nothing of what passed could be read, and nothing went another way.
        func end(_ secrets: [String] = []) async {
            for word in secrets + ["dev-password", "jsonrpc", "authorization", "Bearer", "/admin-api", "/sse"] {
                #expect(proxy.seen.range(of: Data(word.utf8)) == nil, "\(word) could be read")
            }
            #expect(fixture.inTheClear == [])
            await mero.close()
            await fixture.stop()
            proxy.stop()
        }
    }

    private static let frameErrors: [SealedTransportError] = [.notFromNode, .cutShort]

    @Test(arguments: Act.allCases) func framesOfAnAnswer(act: Act) async throws {
        let rig = try await Rig()
        let value = "nobody-else-reads-this"
        try await rig.set(value)
        rig.proxy.set(.init())
        #expect(try await rig.get() == value)
        let older = try #require(rig.proxy.exchanges.first).frames
        #expect(older.count == 3)
        for place in older.indices {
            rig.proxy.set(.init(frame: act.frames(at: place, older: older)))
            if act == .repeated, place == older.count - 1 {
                // Behind the end nothing counts.
                #expect(try await rig.get() == value)
                continue
            }
            let error = await failure(of: { _ = try await rig.get() })
            #expect(Self.frameErrors.contains { $0 == error as? SealedTransportError }, "\(place): \(error as Any)")
        }
        // The node's whole answer to an earlier request of the same kind is none to this one.
        rig.proxy.set(.init(frame: { _, index, _ in older.indices.contains(index) ? [older[index]] : [] }))
        let error = await failure(of: { _ = try await rig.get() })
        #expect(error as? SealedTransportError == .notFromNode)
        rig.proxy.set(.init())
        #expect(try await rig.get() == value)
        await rig.end([value])
    }

    /// Of a blob that is written to a file, and of one that is held.
    @Test(arguments: Act.allCases) func framesOfABlob(act: Act) async throws {
        let rig = try await Rig()
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let folder = try TemporaryFolder()
        try content.write(to: folder.file("in"))
        let blob = try await rig.mero.admin.uploadBlob(file: folder.file("in"))
        rig.proxy.set(.init())
        #expect(try await rig.mero.admin.getBlob(blob.blobId) == content)
        let older = try #require(rig.proxy.exchanges.first).frames
        #expect(older.count == 6)
        for place in older.indices {
            let isHarmless = act == .repeated && place == older.count - 1
            rig.proxy.set(.init(frame: act.frames(at: place, older: older)))
            let held = await failure(of: {
                let got = try await rig.mero.admin.getBlob(blob.blobId)
                #expect(got == content)
            })
            rig.proxy.set(.init(frame: act.frames(at: place, older: older)))
            let file = folder.file("out-\(place)")
            let written = await failure(of: {
                _ = try await rig.mero.admin.downloadBlob(blob.blobId, to: file)
                #expect(try Data(contentsOf: file) == content)
            })
            for error in [held, written] {
                #expect((error == nil) == isHarmless, "\(place): \(error as Any)")
                if let error {
                    #expect(Self.frameErrors.contains { $0 == error as? SealedTransportError }, "\(place): \(error)")
                }
            }
        }
        let kept = act == .repeated ? ["in", "out-5"] : ["in"]
        try await eventually { folder.contents.sorted() == kept }
        await rig.end()
    }

    /// A stream is a lost connection to its reader, which opens it again: what comes out is in order, and nothing twice.
    @Test(arguments: Act.allCases) func framesOfAnEventStream(act: Act) async throws {
        let rig = try await Rig()
        let older = try await Self.framesOfAStream(rig)
        // The head, the word that it is open, and events.
        for place in 0..<4 {
            let (fixture, proxy) = (rig.fixture, rig.proxy)
            let isDone = Locked(false)
            let damage = act.frames(at: place, older: older)
            proxy.set(
                .init(frame: { exchange, index, frame in
                    // Only the first stream: the subscription to it comes behind it.
                    guard exchange == 0 else { return [frame] }
                    if index >= place { isDone.withLock { $0 = true } }
                    return damage(exchange, index, frame)
                }))
            let opened = fixture.node.handlerRuns("GET", "/sse")
            let heard = Locked<[Int]>([])
            let reading = Task {
                for try await event in rig.mero.events(contextIds: [fixture.context]) where event.kind == "Number" {
                    guard case .number(let number)? = event.payload["data"]?["number"] else { continue }
                    heard.withLock { $0.append(Int(number)) }
                }
            }
            let sent = Locked(0)
            // Until the stream that was meddled with has given way to another one, which brings something.
            let last = Locked<Int?>(nil)
            try await eventually {
                let number = sent.withLock { sent in
                    sent += 1
                    return sent
                }
                fixture.node.emit(
                    .other(type: "Number", data: ["number": .number(Double(number))]), context: fixture.context)
                guard isDone.withLock({ $0 }), fixture.node.handlerRuns("GET", "/sse") > opened + 1 else {
                    return false
                }
                let mark = last.withLock { last in
                    last = last ?? number
                    return last ?? number
                }
                return heard.withLock { $0.contains { $0 > mark } }
            }
            reading.cancel()
            _ = await reading.result
            let numbers = heard.withLock { $0 }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<), "\(place): \(numbers)")
            #expect(numbers.allSatisfy { (1...sent.withLock { $0 }).contains($0) })
        }
        await rig.end()
    }

    /// The frames of a stream that nobody meddles with.
    private static func framesOfAStream(_ rig: Rig) async throws -> [Data] {
        rig.proxy.set(.init())
        let (fixture, mero) = (rig.fixture, rig.mero)
        let reading = Task { for try await _ in mero.events(contextIds: [fixture.context]) {} }
        try await eventually {
            fixture.node.emit(.syncStatus(.syncing), context: fixture.context)
            return (rig.proxy.exchanges.first?.frames.count ?? 0) > 6
        }
        reading.cancel()
        _ = await reading.result
        return rig.proxy.exchanges.first?.frames ?? []
    }

    @Test func aRequestThatIsSwallowed() async throws {
        let rig = try await Rig()
        let before = rig.calls
        rig.proxy.set(.init(request: { _, _ in [] }))
        guard case MeroError.network? = await failure(of: { try await rig.set("lost-value") }) else {
            Issue.record("another error")
            return
        }
        #expect(rig.calls == before)
        rig.proxy.set(.init())
        #expect(try await rig.get() == nil)
        await rig.end(["lost-value"])
    }

    /// What is sent once more, by whomever, is sealed anew: an id never serves twice.
    @Test func aRequestThatIsSentAgainIsSealedAnew() async throws {
        let rig = try await Rig()
        let sealing = Sealing(key: rig.fixture.fixed)
        let mero = rig.fixture.mero(sealing, at: rig.proxy.url)
        rig.proxy.set(.init(request: { exchange, envelope in exchange < 2 ? [] : [envelope] }))
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        let ids = rig.proxy.exchanges.map { Data($0.envelope[17..<25]) }
        #expect(ids == (1...3).map { Data(BigEndian.bytes(UInt64($0))) })
        // As is what follows one that was given up.
        rig.proxy.set(.init(staysSilent: true))
        let stalled = rig.fixture.node.inject(.stall, on: "POST /sealed/v2")
        let call = Task { let _: JSONValue = try await mero.http.get("/admin-api/health") }
        try await eventually { stalled.hits == 1 }
        call.cancel()
        _ = await call.result
        rig.proxy.set(.init())
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        #expect(rig.proxy.exchanges.map { Data($0.envelope[17..<25]) } == [Data(BigEndian.bytes(UInt64(5)))])
        await rig.end()
    }

    /// Whichever copy's answer comes back, the call runs once.
    @Test func aRequestThatArrivesTwice() async throws {
        let rig = try await Rig()
        for answered in [0, 1] {
            let before = rig.calls
            rig.proxy.set(.init(request: { _, envelope in [envelope, envelope] }, answered: answered))
            let error = await failure(of: { try await rig.set("twice-\(answered)") })
            #expect(answered == 0 ? error == nil : clearCode(error) == "replayed_request")
            #expect(rig.calls == before + 1)
        }
        await rig.end(["twice"])
    }

    /// An older request in the place of a new one is not run again, and its refusal is no answer.
    @Test func anOlderRequestInThePlaceOfANewOne() async throws {
        let rig = try await Rig()
        rig.proxy.set(.init())
        try await rig.set("old-value")
        let older = try #require(rig.proxy.exchanges.first).envelope
        try await rig.set("new-value")
        let before = rig.calls
        rig.proxy.set(.init(request: { _, _ in [older] }))
        #expect(clearCode(await failure(of: { try await rig.set("newest-value") })) == "replayed_request")
        #expect(rig.calls == before)
        rig.proxy.set(.init())
        #expect(try await rig.get() == "new-value")
        await rig.end(["old-value", "new-value"])
    }

    @Test func aRequestThatIsCut() async throws {
        let rig = try await Rig()
        let before = rig.calls
        for kept in [0, 1, 24, 25, 40, 41, 60] {
            rig.proxy.set(.init(request: { _, envelope in [Data(envelope.prefix(kept))] }))
            let code = clearCode(await failure(of: { try await rig.set("cut-value") }))
            #expect(code == (kept < 41 ? "malformed" : "undecryptable"), "\(kept)")
        }
        rig.proxy.set(.init(request: { _, envelope in [Data(envelope.dropLast())] }))
        #expect(clearCode(await failure(of: { try await rig.set("cut-value") })) == "undecryptable")
        #expect(rig.calls == before)
        await rig.end(["cut-value"])
    }

    /// Two requests under way change places: each runs once, and neither takes the other's answer for its own.
    @Test func requestsInAnotherOrder() async throws {
        let rig = try await Rig()
        try await rig.set("value-of-a", "a")
        try await rig.set("value-of-b", "b")
        let before = rig.calls
        let meeting = Meeting()
        rig.proxy.set(.init(request: { exchange, envelope in exchange < 2 ? [meeting.swap(envelope)] : [envelope] }))
        async let first = failure(of: { _ = try await rig.get("a") })
        async let second = failure(of: { _ = try await rig.get("b") })
        for error in await [first, second] { #expect(error as? SealedTransportError == .notFromNode) }
        #expect(rig.calls == before + 2)
        // Late is not wrong: ids may come in any order.
        let late = Meeting()
        rig.proxy.set(
            .init(request: { exchange, envelope in
                // The first to come leaves only once the second has been answered.
                if exchange == 0 { late.wait() }
                return [envelope]
            }))
        async let held = rig.get("a")
        try await eventually { rig.proxy.exchanges.count == 1 }
        #expect(try await rig.get("b") == "value-of-b")
        late.open()
        #expect(try await held == "value-of-a")
        await rig.end(["value-of"])
    }

    /// What is uploaded is there whole, or not at all.
    @Test func anUploadThatIsCutOrSwallowed() async throws {
        let rig = try await Rig()
        let folder = try TemporaryFolder()
        try Data(repeating: 7, count: 150_000).write(to: folder.file("in"))
        rig.proxy.set(.init(request: { _, envelope in [Data(envelope.prefix(100_000))] }))
        var error = await failure(of: { _ = try await rig.mero.admin.uploadBlob(file: folder.file("in")) })
        #expect(clearCode(error) == "undecryptable")
        rig.proxy.set(.init(request: { _, _ in [] }))
        error = await failure(of: { _ = try await rig.mero.admin.uploadBlob(file: folder.file("in")) })
        #expect(error.map { if case MeroError.network = $0 { true } else { false } } == true)
        rig.proxy.set(.init())
        #expect(try await rig.mero.admin.listBlobs().blobs.isEmpty)
        rig.proxy.set(.init(request: { _, envelope in [envelope, envelope] }, answered: 0))
        let blob = try await rig.mero.admin.uploadBlob(file: folder.file("in"))
        rig.proxy.set(.init())
        #expect(try await rig.mero.admin.listBlobs().blobs.map(\.blobId) == [blob.blobId])
        await rig.end()
    }

    /// A carrier that holds its tongue behind the end keeps nobody waiting, and is let go of.
    @Test func silenceBehindTheEnd() async throws {
        let rig = try await Rig(timeout: 600)
        try await rig.set("v")
        try await eventually { rig.proxy.openConnections == 0 }
        rig.proxy.set(.init(staysSilent: true))
        #expect(try await rig.get() == "v")
        // Long before the time-out.
        try await eventually { rig.proxy.openConnections == 0 }
        await rig.end()
    }
}

/// Where threads of a proxy wait for one another.
private final class Meeting: Sendable {
    private let envelopes = Locked<[Data]>([])
    private let semaphores = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    /// Gives each of two the other's.
    func swap(_ envelope: Data) -> Data {
        let isFirst = envelopes.withLock { envelopes in
            envelopes.append(envelope)
            return envelopes.count == 1
        }
        if isFirst {
            semaphores.0.wait()
            return envelopes.withLock { $0[1] }
        }
        semaphores.0.signal()
        return envelopes.withLock { $0[0] }
    }

    func wait() { semaphores.1.wait() }

    func open() { semaphores.1.signal() }
}
