import Foundation
import Testing

@testable import MeroKit

/// How an answer is taken out of its frames while a carrier brings them, piece by piece. Spec: 80, section 1.4.
@Suite("Sealed exchanges") struct SealedExchangeTests {
    /// A session both of whose ends the test holds.
    private struct Answer {
        let sealed: SealedSession.Sealed
        private let key = [UInt8](repeating: 8, count: 32)

        init() throws {
            let session = SealedSession(
                NoiseHandshake.Outcome(
                    sessionId: [UInt8](repeating: 5, count: 16), lifetimeSeconds: 3600,
                    requestKey: SecretBytes([UInt8](repeating: 7, count: 32)), responseKey: SecretBytes(key)),
                now: 0)
            sealed = try session.seal(head: [], body: Data())
        }

        func frame(_ index: UInt32, _ kind: UInt8, _ data: Data) throws -> Data {
            let header = Array(sealed.envelope.prefix(25))
            let nonce = Array(header.suffix(8)) + BigEndian.bytes(index)
            let bytes = try #require(AesGcm.seal([kind] + data, key: key, nonce: nonce, aad: header))
            return Data(BigEndian.bytes(UInt32(bytes.count)) + bytes)
        }

        func head(_ status: Int) throws -> Data { try frame(0, 0, Data(#"{"status":\#(status)}"#.utf8)) }

        func exchange(_ sink: EngineSink = .memory(limit: 1 << 20), _ method: String = "GET") -> SealedExchange {
            SealedExchange(
                sealed.reader,
                for: EngineRequest(url: "http://x/y", method: method, headers: [], inactivityTimeout: 9, sink: sink))
        }
    }

    private static let whole = EngineResponse.status(200, ["content-type": SealedSessions.contentType])

    @discardableResult
    private static func bring(_ bytes: Data, to exchange: SealedExchange) -> EngineAppetite {
        bytes.withUnsafeBytes { exchange.receive($0) }
    }

    /// Whatever stands behind a head without a body is dropped, in the same piece as in a later one.
    @Test(arguments: [101, 204, 205, 304], [false, true]) func nothingBelongsToAHeadWithoutABody(
        status: Int, inOnePiece: Bool
    ) async throws {
        let answer = try Answer()
        let head = try answer.head(status)
        for rest in [
            try answer.frame(1, 2, Data()), try answer.frame(1, 1, Data("x".utf8)) + answer.frame(2, 2, Data()),
            try answer.frame(7, 1, Data("x".utf8)), Data("nonsense".utf8), Data(repeating: 0xff, count: 400),
        ] {
            let exchange = answer.exchange()
            let response = try await exchange.run(url: "http://x/y") {
                if inOnePiece {
                    Self.bring(head + rest, to: exchange)
                } else {
                    Self.bring(head, to: exchange)
                    Self.bring(rest, to: exchange)
                }
                return Self.whole
            }
            #expect(response.status == status && response.body.isEmpty)
        }
    }

    /// One end frame may follow such a head and leave the connection in use; more ends it.
    @Test func whatComesBehindTheEndEndsTheCarrier() async throws {
        let answer = try Answer()
        let end = try answer.frame(1, 2, Data())
        for (status, behind, appetite) in [
            (204, end, EngineAppetite.enough), (204, end + Data([0]), .stop), (200, Data([0]), .stop),
            (200, Data(), .enough),
        ] {
            let exchange = answer.exchange()
            let head = try answer.head(status)
            let response = try await exchange.run(url: "http://x/y") {
                #expect(Self.bring(status == 204 ? head : head + end, to: exchange) == .enough)
                #expect(Self.bring(behind, to: exchange) == appetite, "\(status) \(behind.count)")
                return Self.whole
            }
            #expect(response.status == status)
        }
    }

    /// A carrier goes on until it has brought everything, and not a piece longer than that it means something.
    @Test func howLongACarrierIsListenedTo() async throws {
        let answer = try Answer()
        let (head, data) = (try answer.head(200), try answer.frame(1, 1, Data("x".utf8)))
        let exchange = answer.exchange()
        for piece in [head.prefix(9), head.dropFirst(9), data.prefix(30), data.dropFirst(30)] {
            #expect(Self.bring(Data(piece), to: exchange) == .more)
        }
        #expect(Self.bring(data, to: exchange) == .stop)
        #expect(Self.bring(try answer.frame(2, 2, Data()), to: exchange) == .stop)
    }

    /// Whoever reads the body may have enough of it. What stands behind that is not looked at, be it in the same piece
    /// or in a later one.
    @Test(arguments: [EngineAppetite.enough, .stop], [false, true])
    func aReceiverThatHasEnough(appetite: EngineAppetite, inOnePiece: Bool) async throws {
        let answer = try Answer()
        let begun = try answer.head(200) + answer.frame(1, 1, Data("x".utf8))
        for rest in [
            try answer.frame(2, 1, Data("y".utf8)), try answer.frame(2, 2, Data()), Data(repeating: 0xff, count: 400),
            try answer.frame(2, 3, Data()),
        ] {
            let receiver = Receiver(appetite)
            let exchange = answer.exchange(.stream(receiver))
            let response = try await exchange.run(url: "http://x/y") {
                if inOnePiece {
                    #expect(Self.bring(begun + rest, to: exchange) != .more)
                } else {
                    #expect(Self.bring(begun, to: exchange) == appetite)
                    #expect(Self.bring(rest, to: exchange) == .stop)
                }
                return Self.whole
            }
            #expect(response.status == 200 && receiver.bytes == Data("x".utf8))
        }
    }

    private final class Receiver: EngineBodyReceiver {
        private let appetite: EngineAppetite
        private let received = Locked(Data())

        init(_ appetite: EngineAppetite) { self.appetite = appetite }

        var bytes: Data { received.withLock { $0 } }

        func receive(_ bytes: UnsafeRawBufferPointer) -> EngineAppetite {
            received.withLock { $0.append(contentsOf: bytes) }
            return appetite
        }
    }

    @Test func framesInAnOrderThatMeansNothing() async throws {
        let answer = try Answer()
        let (head, data) = (try answer.head(200), Data("x".utf8))
        for bytes in [
            try answer.frame(0, 1, data), try answer.frame(0, 2, Data()), try answer.frame(0, 3, data),
            try head + answer.frame(1, 0, Data(#"{"status":200}"#.utf8)), try head + answer.frame(1, 3, data),
            // An end holds nothing.
            try head + answer.frame(1, 2, data), try answer.frame(0, 0, Data("{}".utf8)),
        ] {
            let exchange = answer.exchange()
            let error = await failure(of: {
                _ = try await exchange.run(url: "http://x/y") {
                    Self.bring(bytes, to: exchange)
                    return Self.whole
                }
            })
            #expect(error as? SealedTransportError == .malformed)
        }
    }

    /// A call that comes to nothing leaves no file behind, not even when the answer was whole.
    @Test func aFileOfACallThatFails() async throws {
        let answer = try Answer()
        let folder = try TemporaryFolder()
        let begun = try answer.head(200) + answer.frame(1, 1, Data("content".utf8))
        for bytes in [begun, try begun + answer.frame(2, 2, Data())] {
            for error in [CancellationError() as any Error, EngineError.engineClosed] {
                let exchange = answer.exchange(.file(folder.file("part")))
                let thrown = await failure(of: {
                    _ = try await exchange.run(url: "http://x/y") {
                        Self.bring(bytes, to: exchange)
                        #expect(folder.contents == ["part"])
                        throw error
                    }
                })
                #expect(thrown.map { type(of: $0) == type(of: error) } == true && folder.contents == [])
            }
        }
        // One that is no answer of the node.
        let exchange = answer.exchange(.file(folder.file("part")))
        let whole = try begun + answer.frame(2, 2, Data())
        let thrown = await failure(of: {
            _ = try await exchange.run(url: "http://x/y") {
                Self.bring(whole, to: exchange)
                return .status(200, ["content-type": "application/json"])
            }
        })
        #expect(thrown as? SealedTransportError == .notSealed(status: 200) && folder.contents == [])
    }

    /// A caller who goes at any time, over real engines: a whole file, or none.
    @Test(arguments: EngineUnderTest.allCases) func aFileOfACallerWhoGoes(engine: EngineUnderTest) async throws {
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let node = try await SealedStandIn { _ in .init(body: content) }
        let folder = try TemporaryFolder()
        let sealed = Sealing(key: .fixed(node.key)).engine(over: try engine.make(), baseURL: node.url)
        var endings: Set<Bool> = []
        for round in 0..<40 {
            let arrived = Locked<Int64>(0)
            var request = EngineRequest(node.url.absoluteString + "/x", sink: .file(folder.file("part")))
            request.downloadProgress = { news in arrived.withLock { $0 = news.completed } }
            let asked = request
            let call = Task { try await sealed.perform(asked) }
            if round % 4 > 0 {
                try await eventually { round % 4 == 1 || arrived.withLock { $0 } > 0 }
                call.cancel()
            }
            switch await call.result {
            case .success:
                endings.insert(true)
                #expect(try Data(contentsOf: folder.file("part")) == content)
                try FileManager.default.removeItem(at: folder.file("part"))
            case .failure(let error):
                endings.insert(false)
                #expect(error is CancellationError && folder.contents == [], "\(error)")
            }
        }
        #expect(endings == [true, false])
        await node.stop()
    }

    @Test(arguments: ["application/json", "application/vnd.calimero.sealed; charset=utf-8", ""])
    func aSuccessInTheClearIsNamedSo(type: String) async throws {
        let answer = try Answer()
        for bytes in [Data(repeating: 0xff, count: 9), Data(), Data(#"{"jsonrpc":"2.0"}"#.utf8)] {
            let exchange = answer.exchange()
            let error = await failure(of: {
                _ = try await exchange.run(url: "http://x/y") {
                    if !bytes.isEmpty { Self.bring(bytes, to: exchange) }
                    return .status(203, ["content-type": type])
                }
            })
            #expect(error as? SealedTransportError == .notSealed(status: 203))
        }
    }

    /// The outer status is not looked at where the content type is right.
    @Test func theOuterStatusMeansNothing() async throws {
        let answer = try Answer()
        let exchange = answer.exchange()
        let body = try answer.head(200) + answer.frame(1, 1, Data("content".utf8)) + answer.frame(2, 2, Data())
        let response = try await exchange.run(url: "http://x/y") {
            EngineResponse(status: 502, headers: Self.whole.headers, body: body)
        }
        #expect(response.status == 200 && response.body == Data("content".utf8))
    }

    @Test func progressIsToldAFewTimesASecond() async throws {
        let (time, told) = (Locked(UInt64(1_000_000_000)), Locked<[TransferProgress]>([]))
        let made = SealedProgress(
            upload: nil, download: { news in told.withLock { $0.append(news) } }, now: { time.withLock { $0 } })
        let progress = try #require(made)
        for index in 0..<1000 {
            time.withLock { $0 += 1_000_000 }
            progress.received(TransferProgress(completed: Int64(index), total: 1000))
        }
        let last = TransferProgress(completed: 1000, total: 1000)
        await withCheckedContinuation { continuation in
            progress.finish(sent: last, received: last) { continuation.resume() }
        }
        let all = told.withLock { $0 }
        #expect((10...11).contains(all.count) && all.last == last)
        // Nothing behind the end.
        progress.received(TransferProgress(completed: 5, total: 5))
        #expect(told.withLock { $0.count } == all.count)
        #expect(SealedProgress(upload: nil, download: nil) == nil)
    }

    /// A listener that does not return holds up its own call alone.
    @Test func aSlowListenerHoldsUpNobodyElse() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn(Sealing(key: fixture.fixed))
        let folder = try TemporaryFolder()
        try Data(repeating: 3, count: 3_000_000).write(to: folder.file("in"))
        let sent = Locked<[TransferProgress]>([])
        let blob = try await mero.admin.uploadBlob(
            file: folder.file("in"), progress: { news in sent.withLock { $0.append(news) } })
        #expect(sent.withLock { $0.last } == TransferProgress(completed: 3_000_000, total: 3_000_000))
        let count = sent.withLock { $0.count }
        let (gate, isWaiting, told) = (DispatchSemaphore(value: 0), Locked(false), Locked<[TransferProgress]>([]))
        let download = Task {
            try await mero.admin.downloadBlob(blob.blobId, to: folder.file("out")) { news in
                let isFirst = isWaiting.withLock { waiting in
                    defer { waiting = true }
                    return !waiting
                }
                if isFirst { gate.wait() }
                told.withLock { $0.append(news) }
            }
        }
        try await eventually { isWaiting.withLock { $0 } }
        for _ in 0..<5 { let _: JSONValue = try await mero.http.get("/admin-api/health") }
        gate.signal()
        _ = try await download.value
        let all = told.withLock { $0 }
        #expect(all.last == TransferProgress(completed: 3_000_000, total: 3_000_000))
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.completed < $1.completed })
        // A call that has returned tells nothing more.
        #expect(sent.withLock { $0.count } == count)
        await fixture.stop()
    }
}
