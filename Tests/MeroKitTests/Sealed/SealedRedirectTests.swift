import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// A redirect inside the seal is the node's own word, and still leads nowhere that is not sealed to. Spec: 80, section 1.4.
@Suite("Redirects inside the seal") struct SealedRedirectTests {
    private static let token = "the-token-of-a-session"

    /// A node that redirects, and a server that nobody may be led to.
    private struct Rig {
        let node: SealedStandIn
        let other: ScriptedServer
        let http: URLSessionHttpClient

        /// - Parameters:
        ///   - prefix: of the node's base URL.
        ///   - location: Of the redirect, made of the URLs of the node and of the other server.
        init(
            _ status: Int, prefix: String = "", isForRelays: Bool = false,
            to location: @escaping @Sendable (_ own: URL, _ other: String) -> String
        ) async throws {
            let other = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" }
            let target = Locked("")
            node = try await SealedStandIn { request in
                guard !request.line.hasSuffix("/end") else { return .init(body: Data(#"{"at":"end"}"#.utf8)) }
                return .init(status: status, headers: [("Location", target.withLock { $0 })], body: Data())
            }
            let url = node.url
            target.withLock { $0 = location(url, other.url) }
            self.other = other
            let sealing = Sealing(key: .fixed(node.key), isForRelays: isForRelays, sparesLoopback: false)
            http = URLSessionHttpClient(
                baseURL: RelayOrigin.url(node.url.absoluteString + prefix),
                hooks: TransportHooks(getAuthToken: { SealedRedirectTests.token }), retryPolicy: .never,
                options: HttpOptions(sealing: sealing))
        }

        /// Nobody else heard of anything, and nothing came in the clear.
        func end(innerRequests: Int) async {
            #expect(other.connections == 0)
            #expect(node.isSealedWhole && node.inner.count == innerRequests)
            let secret = SealedRedirectTests.token
            #expect(node.inner.allSatisfy { $0.headers["authorization"] == "Bearer \(secret)" })
            #expect(!node.outer.contains { $0.headers.values.contains { $0.contains(secret) } })
            other.stop()
            await node.stop()
        }
    }

    private static let requests = [
        HttpRequest(path: "/start"), HttpRequest(path: "/start", method: .delete),
        HttpRequest(path: "/start", method: .post, body: .json(Data("{}".utf8))),
        HttpRequest(path: "/start", method: .put, body: .data(Data("x".utf8), contentType: "text/plain")),
    ]

    /// An answer like any other, as from a node that is not sealed to.
    @Test(arguments: [301, 302, 303, 307, 308], [false, true]) func toAnotherOrigin(
        status: Int, isForRelays: Bool
    ) async throws {
        let rig = try await Rig(status, isForRelays: isForRelays) { _, other in other + "/end" }
        for request in Self.requests {
            let error = await failure(of: { try await rig.http.sendVoid(request) })
            guard case MeroError.http(let answer)? = error else {
                Issue.record("\(request.method): \(String(describing: error))")
                continue
            }
            #expect(answer.status == status && !answer.cameInTheClear)
            #expect(answer.headers["location"] == rig.other.url + "/end")
        }
        _ = await failure(of: { _ = try await rig.http.head("/start", headers: [:]) })
        let folder = try TemporaryFolder()
        let error = await failure(of: {
            _ = try await rig.http.download(HttpRequest(path: "/start"), to: folder.file("out"))
        })
        #expect((error as? MeroError)?.httpStatus == status && folder.contents.isEmpty)
        await rig.end(innerRequests: Self.requests.count + 2)
    }

    /// Every way to write another place than the node's own.
    @Test(arguments: [
        "//{other}/end", "http://{own}@{other}/end", "HTTP://{other}/end", "ftp://{own}/end", "http:/\\{other}/end",
        "file:///end", "data:text/plain,end", "http://localhost:{port}/end", "", "http://",
    ]) func spelledSomehow(location: String) async throws {
        let rig = try await Rig(302) { own, other in
            location.replacingOccurrences(of: "{own}", with: "127.0.0.1:\(own.port ?? 0)")
                .replacingOccurrences(of: "{other}", with: String(other.dropFirst("http://".count)))
                .replacingOccurrences(of: "{port}", with: "\(own.port ?? 0)")
        }
        let error = await failure(of: { try await rig.http.sendVoid(HttpRequest(path: "/start")) })
        #expect((error as? MeroError)?.httpStatus == 302, "\(String(describing: error))")
        await rig.end(innerRequests: 1)
    }

    /// What a client without a seal would follow on the same host is refused where the seal does not reach.
    @Test(arguments: [("https://{own}/end", ""), ("http://{own}/end", "/n"), ("/end", "/n"), ("/n/../end", "/n")])
    func besideTheBase(location: String, prefix: String) async throws {
        let rig = try await Rig(307, prefix: prefix) { own, _ in
            location.replacingOccurrences(of: "{own}", with: "127.0.0.1:\(own.port ?? 0)")
        }
        // The stand-in serves no prefix itself: what is below it is asked of the one that does.
        guard prefix.isEmpty else {
            let engine = Sealing(key: .fixed(rig.node.key)).engine(
                over: Prefixed(prefix, try EngineUnderTest.allCases[0].make()),
                baseURL: RelayOrigin.url(rig.node.url.absoluteString + prefix))
            let http = URLSessionHttpClient(
                baseURL: RelayOrigin.url(rig.node.url.absoluteString + prefix),
                hooks: TransportHooks(getAuthToken: { Self.token }), engine: engine, retryPolicy: .never)
            await check(http, rig)
            return
        }
        await check(rig.http, rig)
    }

    private func check(_ http: URLSessionHttpClient, _ rig: Rig) async {
        let error = await failure(of: { try await http.sendVoid(HttpRequest(path: "/start", method: .post)) })
        guard case SealedTransportError.outsideBase? = error as? SealedTransportError else {
            Issue.record("\(String(describing: error))")
            return
        }
        await rig.end(innerRequests: 1)
    }

    /// Brings what is meant for a node with a prefix to one that has none.
    private final class Prefixed: HttpEngine {
        private let prefix: String
        private let engine: any HttpEngine

        init(_ prefix: String, _ engine: any HttpEngine) {
            self.prefix = prefix
            self.engine = engine
        }

        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            var request = request
            request.url = request.url.replacingOccurrences(of: prefix + "/sealed", with: "/sealed")
            return try await engine.perform(request)
        }
    }

    /// To another place of the node's own it is followed, sealed.
    @Test(arguments: ["/end", "end", "http://{own}/end"]) func withinTheNode(location: String) async throws {
        let rig = try await Rig(307) { own, _ in
            location.replacingOccurrences(of: "{own}", with: "127.0.0.1:\(own.port ?? 0)")
        }
        let answer: JSONValue = try await rig.http.post("/start", json: ["a": 1])
        #expect(answer["at"] == "end")
        #expect(rig.node.inner.map(\.line) == ["POST /start", "POST /end"])
        #expect(rig.node.inner.map(\.body) == [Data(#"{"a":1}"#.utf8), Data(#"{"a":1}"#.utf8)])
        await rig.end(innerRequests: 2)
    }

    /// An event stream is not led anywhere: a lost connection, and opened again where it was.
    @Test func anEventStream() async throws {
        let rig = try await Rig(307) { _, other in other + "/sse" }
        let engine = EngineChoice.streamEngine(
            session: nil, options: HttpOptions(sealing: Sealing(key: .fixed(rig.node.key))), baseURL: rig.node.url)
        let sse = SseClient(
            baseURL: rig.node.url, credentials: StreamCredentials(source: .bearer { Self.token }), engine: engine,
            timing: SseConnection.Timing(retryDelay: 0.02))
        sse.connect()
        try await eventually { rig.node.inner.count >= 3 }
        guard case MeroError.http(let answer)? = sse.status.lastError else {
            Issue.record("\(String(describing: sse.status.lastError))")
            return
        }
        #expect(answer.status == 307 && !answer.cameInTheClear)
        sse.close()
        #expect(rig.node.inner.allSatisfy { $0.line == "GET /sse" })
        await rig.end(innerRequests: rig.node.inner.count)
    }
}
