import Foundation
import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// Reads events, or keeps streams open that bring none.
struct EventJob: Codable {
    enum Reading: String, Codable {
        /// Every event is delivered; its payload is not looked at.
        case delivered
        /// Every payload is parsed as a whole.
        case parsed
        /// Every event's time of sending is compared with the time of its arrival.
        case timed
    }

    var engine: Engine
    var base: URL
    /// Events in each pass.
    var count: Int
    /// Streams read one after the other, of which the first is not counted.
    var passes: Int
    var reading: Reading

    struct Result: Codable {
        /// From the first event to the last, of all passes that count.
        var seconds: Double
        /// Nanoseconds from the sender to the consumer.
        var delays: [Double]
    }

    func run() async throws -> Result {
        var result = Result(seconds: 0, delays: [])
        for pass in 0..<passes {
            let (seconds, delays) = try await read()
            guard pass > 0 || passes == 1 else { continue }
            result.seconds += seconds
            result.delays += delays
        }
        return result
    }

    private func read() async throws -> (seconds: Double, delays: [Double]) {
        let client = engine.events(base)
        var seen = 0
        var start = 0.0
        var delays: [Double] = []
        for try await event in client.events(contextIds: [SampleCall.contextId]) {
            if seen == 0 { start = monotonicSeconds() }
            seen += 1
            switch reading {
            case .delivered:
                guard !event.isGap else { throw BenchError("events were dropped") }
            case .parsed:
                guard event.payload["data"] != nil else { throw BenchError("not the expected event") }
            case .timed:
                let now = DispatchTime.now().uptimeNanoseconds
                guard let sent = event.payload["data"]?["t"]?.doubleValue else {
                    throw BenchError("no time in an event")
                }
                delays.append(Double(now) - sent)
            }
            if seen == count { break }
        }
        guard seen == count else { throw BenchError("the stream ended after \(seen) of \(count) events") }
        return (monotonicSeconds() - start, delays)
    }
}

/// Keeps many streams open at once.
struct IdleStreamsJob: Codable {
    var base: URL
    var streams: Int

    struct Result: Codable {
        /// Of resident memory, for one stream. Nil where the system does not tell.
        var bytesPerStream: Double?
    }

    func run() async throws -> Result {
        #if canImport(Glibc)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #endif
        let client = Engine.standard.events(base)
        // What the first streams load for good is not a stream's own.
        let first = try await open(4, client)
        let memory = MemoryWatch()
        let all = try await open(streams, client)
        let peak = memory?.peakBytesAboveStart()
        withExtendedLifetime((first, all)) {}
        return Result(bytesPerStream: peak.map { Double($0) / Double(streams) })
    }

    private func open(_ count: Int, _ client: SseClient) async throws -> [AsyncThrowingStream<ContextEvent, Error>] {
        let open = Counter()
        let streams = (0..<count).map { _ in
            client.events(contextIds: [SampleCall.contextId]) { status in if status.isComplete { open.add() } }
        }
        let deadline = monotonicSeconds() + 60
        while open.value < count {
            guard monotonicSeconds() < deadline else { throw BenchError("\(open.value) of \(count) streams opened") }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        return streams
    }

    private final class Counter: @unchecked Sendable {
        // Only touched while `lock` is held.
        private let lock = NSLock()
        private var count = 0

        var value: Int { lock.withLock { count } }
        func add() { lock.withLock { count += 1 } }
    }
}

extension Engine {
    func events(_ base: URL) -> SseClient {
        let session = self == .urlSession ? URLSession(configuration: .ephemeral) : URLSession.shared
        return SseClient(baseURL: base, token: { SampleCall.token }, session: session)
    }
}
