import Foundation
import MeroDevNode

@testable import MeroKit

/// A dev node, and clients that seal what they send to it.
struct SealedFixture {
    let node: DevNode
    let context: String
    let attestations = Locked(0)

    static func start(_ change: (inout DevNodeOptions) -> Void = { _ in }) async throws -> SealedFixture {
        var options = DevNodeOptions()
        options.eventRetryMilliseconds = 50
        change(&options)
        let node = try await DevNode.start(options)
        return SealedFixture(node: node, context: try node.createContext(KeyValueContract()))
    }

    func stop() async { await node.stop() }

    /// Asks the node for its key, as an attestation does.
    var attested: TransportKeySource {
        let (url, attestations) = (node.url, attestations)
        return .attested {
            attestations.withLock { $0 += 1 }
            return try await Self.transportKey(of: url)
        }
    }

    static func transportKey(of url: URL) async throws -> Data {
        let answer: JSONValue = try await URLSessionHttpClient(baseURL: url).post(
            "/admin-api/tee/attest",
            json: ["nonce": JSONValue.string(Hex.encode(randomBytes(32))), "bindTransportKey": true])
        return try Hex.decodeUnsized(answer["data"]?["transportPublicKey"]?.stringValue ?? "", label: "key")
    }

    var fixed: TransportKeySource { .fixed(node.sealed.transportKey) }

    func mero(
        _ sealing: Sealing? = nil, at url: URL? = nil, policy: RetryPolicy = .documented, timeout: TimeInterval = 20
    ) -> Mero {
        Mero(
            config: MeroConfig(
                baseURL: url ?? node.url, timeout: timeout, retryPolicy: policy,
                httpOptions: HttpOptions(sealing: sealing ?? Sealing(key: attested))))
    }

    func signedIn(
        _ sealing: Sealing? = nil, at url: URL? = nil, policy: RetryPolicy = .documented, timeout: TimeInterval = 20
    ) async throws -> Mero {
        let mero = mero(sealing, at: url, policy: policy, timeout: timeout)
        _ = try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
        return mero
    }

    var handshakes: Int { node.handlerRuns("POST", "/sealed/v2/handshake") }

    /// Requests that came in the clear, the attestation left aside.
    var inTheClear: [String] {
        node.requests.map { "\($0.method) \($0.path)" }.filter {
            !$0.hasPrefix("POST /sealed/v2") && $0 != "POST /admin-api/tee/attest"
        }
    }
}

/// A clock that only moves when told to.
final class SealedTestClock: Sendable {
    private let state = Locked((now: TimeInterval(1000), waits: [TimeInterval]()))

    func advance(_ seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    var waits: [TimeInterval] { state.withLock { $0.waits } }

    var clock: SealedClock {
        SealedClock(
            now: { self.state.withLock { $0.now } },
            sleep: { seconds in
                try Task.checkCancellation()
                self.state.withLock { $0.waits.append(seconds) }
            })
    }
}

/// The code of a refusal that came in the clear.
func clearCode(_ error: (any Error)?) -> String? {
    guard case MeroError.http(let answer)? = error, answer.cameInTheClear else { return nil }
    return answer.sealedRefusal?.code
}
