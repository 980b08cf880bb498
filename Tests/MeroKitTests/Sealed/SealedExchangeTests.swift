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

    private static func bring(_ bytes: Data, to exchange: SealedExchange) {
        exchange.begin(status: 200, headers: whole.headers)
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
                    rest.withUnsafeBytes { exchange.receive($0) }
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
        for (status, behind, isCancelled) in [
            (204, end, false), (204, end + Data([0]), true), (200, Data([0]), true), (200, Data(), false),
        ] {
            let exchange = answer.exchange()
            let head = try answer.head(status)
            let wasCancelled = Locked<Bool?>(nil)
            _ = try await exchange.run(url: "http://x/y") {
                Self.bring(status == 204 ? head : head + end, to: exchange)
                behind.withUnsafeBytes { exchange.receive($0) }
                wasCancelled.withLock { $0 = Task.isCancelled }
                return Self.whole
            }
            try await eventually { wasCancelled.withLock { $0 } != nil }
            #expect(wasCancelled.withLock { $0 } == isCancelled, "\(status) \(behind.count)")
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

    /// A call that is given up while its answer arrives leaves no file behind, not even when the answer was whole.
    @Test func aFileOfACancelledCallIsGone() async throws {
        let answer = try Answer()
        let folder = try TemporaryFolder()
        let bytes = try answer.head(200) + answer.frame(1, 1, Data("content".utf8)) + answer.frame(2, 2, Data())
        let exchange = answer.exchange(.file(folder.file("part")))
        let hasEnded = Locked(false)
        let (began, isBegun) = (DispatchSemaphore(value: 0), Locked(false))
        let call = Task {
            try await exchange.run(url: "http://x/y") {
                isBegun.withLock { $0 = true }
                await Self.wait(for: began)
                // The caller has gone; the carrier does not know yet.
                Self.bring(bytes, to: exchange)
                hasEnded.withLock { $0 = true }
                return Self.whole
            }
        }
        try await eventually { isBegun.withLock { $0 } }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        began.signal()
        try await eventually { hasEnded.withLock { $0 } && folder.contents.isEmpty }
    }

    /// The same when the caller goes while a piece is being read.
    @Test func aFileThatIsWholeAfterTheCallerHasGone() async throws {
        let answer = try Answer()
        let folder = try TemporaryFolder()
        let first = try answer.head(200) + answer.frame(1, 1, Data("content".utf8))
        let end = try answer.frame(2, 2, Data())
        let exchange = answer.exchange(.file(folder.file("part")))
        let isGone = DispatchSemaphore(value: 0)
        let call = Task {
            try await exchange.run(url: "http://x/y") {
                Self.bring(first, to: exchange)
                await Self.wait(for: isGone)
                end.withUnsafeBytes { exchange.receive($0) }
                return Self.whole
            }
        }
        try await eventually { folder.contents == ["part"] }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        isGone.signal()
        try await eventually { folder.contents.isEmpty }
    }

    /// And when the caller goes in the midst of one piece that holds all of the answer.
    @Test func aCallerWhoGoesWhileAPieceIsRead() async throws {
        let answer = try Answer()
        let folder = try TemporaryFolder()
        let size: UInt32 = 40
        var bytes = try answer.head(200)
        for index in 1...size { bytes += try answer.frame(index, 1, Data(count: 65_536)) }
        bytes += try answer.frame(size + 1, 2, Data())
        let whole = bytes
        for index in 0..<10 {
            let exchange = answer.exchange(.file(folder.file("part")))
            let hasEnded = Locked(false)
            let call = Task {
                try await exchange.run(url: "http://x/y") {
                    Self.bring(whole, to: exchange)
                    hasEnded.withLock { $0 = true }
                    return Self.whole
                }
            }
            try await eventually { !folder.contents.isEmpty || hasEnded.withLock { $0 } }
            if index > 0 { call.cancel() }
            switch await call.result {
            case .success:
                try await eventually { hasEnded.withLock { $0 } }
                #expect(folder.contents == ["part"])
                try FileManager.default.removeItem(at: folder.file("part"))
            case .failure(let error):
                #expect(error is CancellationError)
                try await eventually { hasEnded.withLock { $0 } && folder.contents.isEmpty }
            }
        }
    }

    /// Waits as an engine's thread does: cancellation changes nothing.
    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    @Test(arguments: ["application/json", "application/vnd.calimero.sealed; charset=utf-8", ""])
    func aSuccessInTheClearIsNamedSo(type: String) async throws {
        let answer = try Answer()
        for bytes in [Data(repeating: 0xff, count: 9), Data(), Data(#"{"jsonrpc":"2.0"}"#.utf8)] {
            let exchange = answer.exchange()
            let error = await failure(of: {
                _ = try await exchange.run(url: "http://x/y") {
                    if !bytes.isEmpty {
                        exchange.begin(status: 203, headers: ["content-type": type])
                        bytes.withUnsafeBytes { exchange.receive($0) }
                    }
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
