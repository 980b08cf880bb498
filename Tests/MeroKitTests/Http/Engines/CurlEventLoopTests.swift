#if canImport(CCurl)
    import Foundation
    import Testing

    @testable import MeroKit

    /// Lone calls, which their own task sets off, between bursts, which the event thread sets off; cancelled and closed at any
    /// moment.
    @Suite struct CurlEventLoopTests {
        private struct Tally {
            var answered = 0
            var cancelled = 0
            var closed = 0
            var other: [String] = []
        }

        /// One call, and how it ended.
        private static func call(_ engine: CurlEngine, _ url: String, _ tally: Locked<Tally>) async {
            do {
                let response = try await engine.perform(EngineRequest(url))
                tally.withLock { tally in
                    if response.status == 200 && response.body == Data("ok".utf8) {
                        tally.answered += 1
                    } else {
                        tally.other.append("\(response.status)")
                    }
                }
            } catch is CancellationError {
                tally.withLock { $0.cancelled += 1 }
            } catch let error as EngineError where error.kind == .closed {
                tally.withLock { $0.closed += 1 }
            } catch {
                tally.withLock { $0.other.append("\(error)") }
            }
        }

        private func random(_ test: String) -> SeededGenerator {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed of \(test): \(seed)")
            return SeededGenerator(seed: seed)
        }

        private func server() throws -> ScriptedServer {
            try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" }
        }

        @Test func loneCallsBetweenBurstsAndCancellations() async throws {
            var random = self.random("loneCallsBetweenBurstsAndCancellations")
            let server = try server()
            let engine = CurlEngine()
            let tally = Locked(Tally())
            var calls = 0
            for _ in 0..<300 {
                let burst = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 2...20, using: &random) : 1
                let cancels = Int.random(in: 0..<3, using: &random) == 0
                let pause = UInt64.random(in: 0...200_000, using: &random)
                calls += burst
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<burst { group.addTask { await Self.call(engine, server.url, tally) } }
                    if cancels {
                        try? await Task.sleep(nanoseconds: pause)
                        group.cancelAll()
                    }
                }
            }
            let end = tally.withLock { $0 }
            #expect(end.other.isEmpty)
            #expect(end.closed == 0)
            #expect(end.answered + end.cancelled == calls)
            // The engine works as before.
            await Self.call(engine, server.url, tally)
            #expect(tally.withLock { $0.answered } == end.answered + 1)
        }

        @Test func closingMeetsCallsOfEveryAge() async throws {
            var random = self.random("closingMeetsCallsOfEveryAge")
            let server = try server()
            let tally = Locked(Tally())
            var calls = 0
            for _ in 0..<100 {
                let engine = CurlEngine()
                let callers = Int.random(in: 1...8, using: &random)
                let pause = UInt64.random(in: 0...300_000, using: &random)
                calls += callers * 3
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers {
                        group.addTask { for _ in 0..<3 { await Self.call(engine, server.url, tally) } }
                    }
                    group.addTask {
                        try? await Task.sleep(nanoseconds: pause)
                        engine.close()
                    }
                }
            }
            let end = tally.withLock { $0 }
            #expect(end.other.isEmpty)
            #expect(end.answered + end.closed == calls && end.cancelled == 0)
        }

        /// Callers of two engines, each letting go of its engine while the other is busy.
        @Test func lettingGoOfAnEngineThatJustAnswered() async throws {
            let server = try server()
            let tally = Locked(Tally())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<50 { await Self.call(CurlEngine(), server.url, tally) }
                    }
                }
            }
            #expect(tally.withLock { $0.answered } == 200)
        }
    }
#endif
