import Foundation
import Testing

@testable import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct RetryTests {
    @Test func waitsDoubleEachTime() {
        #expect([1, 2, 3].map { backoffDelay(attempt: $0, jitter: 0) } == [0.25, 0.5, 1.0])
        for _ in 0..<1_000 { #expect(0.2...0.3 ~= backoffDelay(attempt: 1)) }
    }

    @Test func retriesOnlyWhatMayPass() {
        let http = { MeroError.http(HTTPError(status: $0, statusText: "", url: "", headers: [:])) }
        for status in [500, 501, 502, 503, 504, 599, 429] { #expect(isRetryable(http(status))) }
        for status in [300, 400, 401, 403, 404, 409, 422] { #expect(!isRetryable(http(status))) }
        #expect(isRetryable(MeroError.network("x")))
        let revoked = MeroError.authRevoked(
            reason: "token_revoked", http: HTTPError(status: 500, statusText: "", url: "", headers: [:]))
        for error: any Error in [
            revoked, MeroError.decoding(""), MeroError.emptyResponse(""), MeroError.authenticationFailed(""),
            CancellationError(), URLError(.cancelled), URLError(.badURL),
        ] { #expect(!isRetryable(error)) }
        for code in [URLError.Code.timedOut, .networkConnectionLost, .cannotConnectToHost, .dnsLookupFailed] {
            #expect(isRetryable(URLError(code)))
        }
    }

    /// Foundation's formatter traps for the first of these on Linux.
    @Test(arguments: [
        "Wed\u{59a}, 21 Oct 2015 07:28:00 GMT", "W\u{80}ed, 21 Oct 2015 07:28:00 GMT", "", " ",
        "Wed, 21 Oct 2015 07:28:00",
        "Wed, 21 Oct 2015 07:28:00 EST", "Wed, 21 Oct 2015 7:28:00 GMT", "Wed, 21 Oct 2015 24:00:00 GMT",
        "Wed, 32 Oct 2015 07:28:00 GMT", "Wed, 29 Feb 2015 07:28:00 GMT", "Wed, 21 Okt 2015 07:28:00 GMT",
        "Wed, 21 Oct 15 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00:00 GMT", "Wed, -1 Oct 2015 07:28:00 GMT",
        "Wed, 21 Oct 2015 07:28:\u{661}\u{662} GMT", String(repeating: "9", count: 100_000),
    ]) func whatIsNoDateIsNone(text: String) {
        #expect(httpDate(text) == nil)
        let error = MeroError.http(HTTPError(status: 429, statusText: "", url: "", headers: ["retry-after": text]))
        #expect(TimeInterval(text) != nil || retryAfter(of: error, now: Date()) == nil)
    }

    @Test func datesAreThoseOfTheCalendar() {
        #expect(httpDate("Thu, 01 Jan 1970 00:00:00 GMT") == Date(timeIntervalSince1970: 0))
        #expect(httpDate("Thu, 29 Feb 2024 23:59:60 GMT") == Date(timeIntervalSince1970: 1_709_251_199))
        #expect(httpDate("Tue,  1 Dec 2026 00:58:00 GMT") == Date(timeIntervalSince1970: 1_796_086_680))
    }

    @Test func readsRetryAfter() throws {
        let now = try #require(httpDate("Sun, 06 Nov 1994 08:49:37 GMT"))
        #expect(now.timeIntervalSince1970 == 784_111_777)
        let error = { (value: String) in
            MeroError.http(HTTPError(status: 503, statusText: "", url: "", headers: ["retry-after": value]))
        }
        #expect(retryAfter(of: error(" 3 "), now: now) == 3)
        #expect(retryAfter(of: error("Sun, 06 Nov 1994 08:49:42 GMT"), now: now) == 5)
        #expect(retryAfter(of: error("Sun, 06 Nov 1994 08:49:30 GMT"), now: now) == 0)
        #expect(retryAfter(of: error("soon"), now: now) == nil)
        #expect(retryAfter(of: error("-1"), now: now) == nil)
        #expect(retryAfter(of: MeroError.network("x"), now: now) == nil)
    }

    @Test func givesUpAfterThreeAttempts() async {
        let waits = Locked<[TimeInterval]>([])
        let runs = Locked(0)
        await #expect(throws: MeroError.self) {
            let note: (TimeInterval) -> Void = { wait in waits.withLock { $0.append(wait) } }
            try await withRetry(sleep: note) {
                runs.withLock { $0 += 1 }
                throw MeroError.network("down")
            }
        }
        #expect(runs.withLock { $0 } == 3)
        let seen = waits.withLock { $0 }
        #expect(seen.count == 2 && 0.2...0.3 ~= seen[0] && 0.4...0.6 ~= seen[1])
    }

    @Test func honoursAShortRetryAfterAndSurfacesALongOne() async {
        for (value, runsExpected) in [("7", 3), ("10", 3), ("11", 1), ("86400", 1)] {
            let waits = Locked<[TimeInterval]>([])
            let runs = Locked(0)
            await #expect(throws: MeroError.self) {
                let note: (TimeInterval) -> Void = { wait in waits.withLock { $0.append(wait) } }
                try await withRetry(sleep: note) {
                    runs.withLock { $0 += 1 }
                    throw MeroError.http(
                        HTTPError(status: 429, statusText: "", url: "", headers: ["retry-after": value]))
                }
            }
            #expect(runs.withLock { $0 } == runsExpected)
            #expect(waits.withLock { $0 }.allSatisfy { $0 == TimeInterval(value) })
        }
    }

    @Test func aCancelledTaskMakesNoFurtherAttempt() async {
        let runs = Locked(0)
        let task = Task {
            try await withRetry {
                runs.withLock { $0 += 1 }
                withUnsafeCurrentTask { $0?.cancel() }
                throw MeroError.network("down")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(runs.withLock { $0 } == 1)
    }
}
