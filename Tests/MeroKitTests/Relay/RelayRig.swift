import Foundation

@testable import MeroKit

/// A relay client over a scripted engine: what is answered is up to the test, what was sent is kept.
struct RelayRig {
    static let url = "https://relay.example"
    static let context = String(repeating: "c1", count: 32)
    static let group = String(repeating: "ab", count: 32)
    static let executor = String(repeating: "4d", count: 32)
    static let executorKey = String(repeating: "3c", count: 32)
    static let release = String(repeating: "7e", count: 32)

    /// Answers by method and path, and how often that route was asked before.
    typealias Script =
        @Sendable (_ route: String, _ count: Int, _ request: EngineRequest) async throws -> EngineResponse

    let device: AccountDevice
    let engine: ScriptedEngine
    let nonces: MemoryWarrantNonceStore
    let clock: TestClock
    let relay: RelayClient

    /// Time that passes only by waiting for it.
    final class TestClock: Sendable {
        private let state = Locked((now: Date(timeIntervalSince1970: 1_790_000_000.25), waits: [TimeInterval]()))

        var now: Date { state.withLock { $0.now } }
        var waits: [TimeInterval] { state.withLock { $0.waits } }

        func pass(_ seconds: TimeInterval) {
            state.withLock { state in
                state.now += seconds
                state.waits.append(seconds)
            }
        }

        var relayClock: RelayClock {
            RelayClock(
                now: { self.now },
                sleep: {
                    try Task.checkCancellation()
                    self.pass($0)
                })
        }
    }

    init(
        executorAccount: String? = nil, ttlSeconds: UInt64 = 300, rateLimitRetries: Int = 3, token: String? = nil,
        url: String = RelayRig.url + "//", signer: (any DeviceSigner)? = nil, authorProof: String? = nil,
        _ script: @escaping Script
    ) throws {
        device = try AccountDevice()
        let counts = Locked<[String: Int]>([:])
        engine = ScriptedEngine { request, _ in
            let path = request.url.dropFirst(RelayRig.url.count).split(separator: "?").first.map(String.init) ?? ""
            let route = "\(request.method) \(RelayRig.shorten(path))"
            let count = counts.withLock { counts in
                counts[route, default: 0] += 1
                return counts[route, default: 1] - 1
            }
            return try await script(route, count, request)
        }
        nonces = MemoryWarrantNonceStore()
        clock = TestClock()
        relay = RelayClient(
            relayURL: url, authorAccount: device.account.uppercased(), authorProof: authorProof ?? device.credential,
            signer: signer ?? device.keys, nonces: nonces, executorAccount: executorAccount, ttlSeconds: ttlSeconds,
            tokenProvider: { token }, rateLimitRetries: rateLimitRetries, engine: engine, clock: clock.relayClock)
    }

    /// The last part of a path says which route it is.
    private static func shorten(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The requests so far as `GET intents`, in order.
    var routes: [String] {
        engine.requests.map { request in
            let path = request.url.split(separator: "?").first.map(String.init) ?? request.url
            return "\(request.method) \(RelayRig.shorten(path))"
        }
    }

    /// The body of a request.
    func body(_ index: Int) -> JSONValue? {
        guard engine.requests.indices.contains(index), case .bytes(let data) = engine.requests[index].body else {
            return nil
        }
        return try? JSONValue(jsonBytes: data)
    }

    /// The warrants of the writes that were sent, in order.
    func warrants() throws -> [WriteWarrant] {
        try engine.requests.indices.compactMap { index in
            guard routes[index] == "POST intents", let hex = body(index)?["warrant"]?.stringValue else { return nil }
            return try WriteWarrant(Hex.decodeUnsized(hex, label: "warrant"))
        }
    }

    // MARK: Answers

    static func data(_ json: String) -> EngineResponse { .status(200, [:], #"{"data":\#(json)}"#) }

    static var description: EngineResponse {
        data(
            """
            {"executorAccount":"\(executor)","executorKey":"\(executorKey)","canAuthorOnBehalf":false,\
            "groupId":"\(group)","releaseBytecodeId":"\(release)","releaseVersion":"1.2.0"}
            """)
    }

    static var creationDescription: EngineResponse {
        data(
            """
            {"executorAccount":"\(executor)","executorKey":"\(executorKey)","groupId":"\(group)",\
            "canCreateOnBehalf":true,"authorMayCreate":true}
            """)
    }

    static var governanceDescription: EngineResponse {
        data(
            """
            {"executorAccount":"\(executor)","executorKey":"\(executorKey)","groupId":"\(group)","canActOnBehalf":true}
            """)
    }

    static func done(_ returns: String = "null") -> EngineResponse {
        data(#"{"rootHash":"\#(String(repeating: "99", count: 32))","returns":\#(returns)}"#)
    }

    static func refused(_ status: Int, _ error: String) -> EngineResponse {
        .status(status, [:], #"{"error":"\#(error)"}"#)
    }

    static let spent = "this warrant's nonce has already been spent by this author device"
}

/// The error that `work` ends with; nil, and an issue, for success.
func failure<T>(of work: () async throws -> T) async -> (any Error)? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}
