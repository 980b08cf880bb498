import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// A dev node with one context of each bundled contract, and a client signed in to it.
struct NodeFixture {
    let node: DevNode
    let mero: Mero
    let store: MemoryTokenStore
    let probe: String
    let keyValue: String

    static func start(
        _ engine: EngineUnderTest, timeout: TimeInterval = 60, policy: RetryPolicy = .documented,
        options: HttpOptions = HttpOptions(), signedIn: Bool = true,
        onAuthRevoked: (@Sendable (String) async -> Void)? = nil
    ) async throws -> NodeFixture {
        var nodeOptions = DevNodeOptions()
        nodeOptions.eventRetryMilliseconds = 100
        let node = try await DevNode.start(nodeOptions)
        let store = MemoryTokenStore()
        let config = MeroConfig(
            baseURL: node.url, credentials: Credentials(username: "dev", password: "dev-password"), timeout: timeout,
            tokenStore: store, retryPolicy: policy, onAuthRevoked: onAuthRevoked, httpOptions: options)
        let streamEngine = try engine.make()
        let mero = Mero(config: config, engine: try engine.make()) { streamEngine }
        let fixture = NodeFixture(
            node: node, mero: mero, store: store, probe: try node.createContext(ProbeContract()),
            keyValue: try node.createContext(KeyValueContract()))
        if signedIn {
            // Minted, so that a test with a short time-out does not depend on how busy the machine is.
            let tokens = node.mintTokens()
            await mero.setTokenData(
                TokenData(
                    accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                    expiresAt: Date(timeIntervalSince1970: 0)))
        }
        node.clearRequests()
        return fixture
    }

    func stop() async { await node.stop() }
}

/// The six ways to send something, as a test's argument.
enum Surface: String, CaseIterable, Sendable {
    case send, sendVoid, sendRaw, head, download, rpc

    /// The route of the dev node that it is tried on.
    var route: DevRouteMatch {
        switch self {
        case .head: return "HEAD /admin-api/identity"
        case .rpc: return "POST /jsonrpc"
        default: return "GET /admin-api/identity"
        }
    }

    var methodAndPath: (String, String) {
        switch self {
        case .head: return ("HEAD", "/admin-api/identity")
        case .rpc: return ("POST", "/jsonrpc")
        default: return ("GET", "/admin-api/identity")
        }
    }

    /// Whether this surface looks into the body of a success.
    var readsBody: Bool { self == .send || self == .rpc }

    func run(_ fixture: NodeFixture, sendOnce: Bool = false, folder: TemporaryFolder? = nil) async throws {
        let http = await fixture.mero.http
        var request = HttpRequest(path: "/admin-api/identity")
        request.sendOnce = sendOnce
        switch self {
        case .send: let _: JSONValue = try await http.send(request)
        case .sendVoid: try await http.sendVoid(request)
        case .sendRaw: _ = try await http.sendRaw(request)
        case .head:
            request.method = .head
            _ = try await http.sendRaw(request)
        case .download:
            let folder = try folder ?? TemporaryFolder()
            _ = try await http.download(request, to: folder.file("body"))
        case .rpc:
            let _: Int = try await fixture.mero.rpc.execute(contextId: fixture.probe, method: "count")
        }
    }
}

/// The `MeroError` that `work` ends with; nil, and an issue, for anything else.
func meroError(
    sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> Void
) async -> MeroError? {
    do {
        try await work()
        Issue.record("success instead of an error", sourceLocation: sourceLocation)
    } catch let error as MeroError {
        return error
    } catch {
        Issue.record("\(error) instead of a MeroError", sourceLocation: sourceLocation)
    }
    return nil
}
