import Foundation
import MeroDevNode
import MeroKitTestSupport
import Testing

@testable import MeroKit

/// What stands outside the seal and what stands inside, of which neither becomes the other. Spec: 80, sections 1.3, 1.4 and
/// 1.8.
@Suite("Headers inside and outside the seal") struct SealedCarrierTests {
    /// A carrier that says more than it was asked to.
    private final class Meddling: HttpEngine {
        private let engine: any HttpEngine
        private let headers: [(name: String, value: String)]

        init(_ headers: [(String, String)], over engine: any HttpEngine) {
            self.engine = engine
            self.headers = headers.map { (name: $0.0, value: $0.1) }
        }

        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            var request = request
            request.headers += headers
            return try await engine.perform(request)
        }
    }

    private static func client(
        _ url: URL, _ key: Data, carrier: any HttpEngine, token: String? = "inner-token"
    ) -> URLSessionHttpClient {
        URLSessionHttpClient(
            baseURL: url, hooks: TransportHooks(getAuthToken: { token }),
            engine: Sealing(key: .fixed(key)).engine(over: carrier, baseURL: url), retryPolicy: .never)
    }

    /// What an app may say, with a word in each value that must not be found elsewhere.
    private static let said = [
        "X-Auth-Proof": "inner-proof", "X-Account": "inner-account", "X-Request-Id": "inner-id", "Cookie": "inner=1",
        "Forwarded": "for=inner", "X-Forwarded-For": "inner-for", "X-Forwarded-Proto": "inner-proto",
        "X-Forwarded-Uri": "/inner", "X-Real-Ip": "inner-ip", "User-Agent": "inner-agent", "Accept": "inner/accept",
        "Referer": "inner-referer", "Proxy-Authorization": "inner-proxy", "Via": "inner-via",
        // The outer request's business, and what only a proxy may say of a caller.
        "Origin": "https://inner.example", "X-Forwarded-Host": "inner.example", "X-Auth-User": "inner-user",
        "X-Auth-Permissions": "inner-admin",
    ]
    /// What the outer request says of them counts, since tokens may be bound to a host. Whoever changes them makes a node
    /// refuse, and no more.
    private static let outerNames = ["host", "origin", "x-forwarded-host"]

    @Test func aCarriersHeadersStayOutside() async throws {
        let node = try await SealedStandIn { _ in .init() }
        func inside(_ headers: [(String, String)]) async throws -> [String: String] {
            let carrier = Meddling(headers, over: try EngineUnderTest.allCases[0].make())
            try await Self.client(node.url, node.key, carrier: carrier)
                .sendVoid(HttpRequest(path: "/x", headers: Self.said))
            return try #require(node.inner.last).headers
        }
        let plain = try await inside([])
        for (name, value) in Self.said {
            let name = name.lowercased()
            let isTaken = Self.outerNames.contains(name) || name == "x-auth-user" || name == "x-auth-permissions"
            #expect(plain[name] == (isTaken ? nil : value), "\(name)")
        }
        #expect(plain["authorization"] == "Bearer inner-token")
        #expect(plain["host"] == "127.0.0.1:\(node.url.port ?? 0)")
        for name in Self.said.keys.sorted() + ["Authorization", "Host", "X-Http-Method-Override", "X-Original-Url"] {
            var expected = plain
            if Self.outerNames.contains(name.lowercased()) { expected[name.lowercased()] = "outer.example" }
            #expect(try await inside([(name, "outer.example")]) == expected, "\(name)")
        }
        #expect(node.isSealedWhole && node.inner.allSatisfy { $0.line == "GET /x" })
        await node.stop()
    }

    /// A credential counts where it was sealed.
    @Test func aCarriersCredentialsAreNobodys() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn(Sealing(key: fixture.fixed))
        let token = try #require(await mero.currentTokenData()?.accessToken)
        func status(inner: String?, outer: [(String, String)]) async throws -> Int {
            let carrier = Meddling(outer, over: try EngineUnderTest.allCases[0].make())
            let http = Self.client(fixture.node.url, fixture.node.sealed.transportKey, carrier: carrier, token: inner)
            let error = await failure(of: { try await http.sendVoid(HttpRequest(path: "/admin-api/contexts")) })
            guard let error else { return 200 }
            guard case MeroError.http(let answer) = error, !answer.cameInTheClear else { throw error }
            return answer.status
        }
        let bearer = ("Authorization", "Bearer \(token)")
        #expect(try await status(inner: nil, outer: []) == 401)
        #expect(try await status(inner: nil, outer: [bearer, ("X-Auth-User", "dev")]) == 401)
        #expect(try await status(inner: "nonsense", outer: [bearer]) == 401)
        #expect(try await status(inner: token, outer: []) == 200)
        #expect(try await status(inner: token, outer: [("Authorization", "Bearer nonsense")]) == 200)
        #expect(
            try await status(inner: token, outer: [("Cookie", "token=x"), ("X-Auth-Error", "token_revoked")]) == 200)
        await mero.close()
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases) func nothingOfTheInsideIsOutside(engine: EngineUnderTest) async throws {
        let node = try await SealedStandIn { _ in
            .init(
                headers: [
                    ("Set-Cookie", "inner=2"), ("X-Auth-Error", "inner-error"), ("WWW-Authenticate", "inner-realm"),
                    ("Location", "/inner"), ("ETag", "inner-tag"), ("Content-Type", "inner/type"),
                ], body: Data("inner-body".utf8))
        }
        let tap = try Wiretap(to: UInt16(node.url.port ?? 0))
        let url = tap.url
        let http = URLSessionHttpClient(
            baseURL: url,
            hooks: {
                var hooks = TransportHooks()
                hooks.authorize = { method, path, _ in
                    ["Authorization": "Bearer inner-token", "X-Auth-Signature": "inner-signature of \(method) \(path)"]
                }
                return hooks
            }(), engine: Sealing(key: .fixed(node.key)).engine(over: try engine.make(), baseURL: url),
            retryPolicy: .never)
        for method in [HTTPMethod.get, .post, .put, .delete] {
            let body: HttpBody? = method == .get ? nil : .data(Data("inner-body".utf8), contentType: "inner/type")
            let (answer, head) = try await http.sendRaw(
                HttpRequest(path: "/inner-path?inner=query", method: method, body: body, headers: Self.said))
            #expect(answer == Data("inner-body".utf8) && head.headers["x-auth-error"] == "inner-error")
            let inner = try #require(node.inner.last)
            #expect(inner.line == "\(method.rawValue) /inner-path?inner=query")
            #expect(inner.headers["x-auth-signature"] == "inner-signature of \(method.rawValue) /inner-path")
            #expect(inner.headers["authorization"] == "Bearer inner-token")
        }
        // What a carrier needs, and what is said of every request alike.
        let needed: Set = ["host", "content-type", "content-length", "accept", "accept-encoding", "connection"]
        let allowed = needed.union(["user-agent", "accept-language"])
        for request in node.outer {
            #expect(allowed.isSuperset(of: request.headers.keys), "\(request.headers.keys.sorted())")
            #expect(request.headers["content-type"] == SealedSessions.contentType)
        }
        #expect(node.isSealedWhole)
        let passed = (tap.up + tap.down).lowercasedASCII
        let names = Self.said.keys.filter { !allowed.contains($0.lowercased()) }
        for word in ["inner", "bearer", "authorization", "x-auth", "www-authenticate", "etag"] + names {
            #expect(passed.range(of: Data(word.lowercased().utf8)) == nil, "\(word) could be read")
        }
        await node.stop()
        tap.stop()
    }

    /// What a carrier adds to an answer is neither part of it nor remembered.
    @Test(arguments: EngineUnderTest.allCases) func aCarriersAnswerStaysOutside(engine: EngineUnderTest) async throws {
        let added = [
            ("Set-Cookie", "carrier=1; Path=/"), ("X-Auth-Error", "token_revoked"), ("Location", "/elsewhere"),
            ("Retry-After", "9"), ("WWW-Authenticate", "Basic"), ("Access-Control-Allow-Origin", "*"),
            ("Alt-Svc", "h3=\":1\""), ("Strict-Transport-Security", "max-age=9"), ("X-Inner", "outer"),
        ]
        let node = try await SealedStandIn(outerHeaders: added) { request in
            .init(status: request.line.hasSuffix("/no") ? 403 : 200, headers: [("X-Inner", "inner")])
        }
        let sealed = Sealing(key: .fixed(node.key)).engine(over: try engine.make(), baseURL: node.url)
        for (path, status) in [("/yes", 200), ("/no", 403), ("/yes", 200)] {
            let answer = try await sealed.perform(EngineRequest(node.url.absoluteString + path))
            #expect(answer.status == status && answer.headers == ["x-inner": "inner", "content-length": "2"])
        }
        #expect(
            (node.outer + node.inner).allSatisfy { $0.headers["cookie"] == nil && $0.headers["authorization"] == nil })
        await node.stop()
    }

    /// An attestation is asked for in the clear, and so by nobody in particular.
    @Test func anAttestationCarriesNoCredential() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn(.node(at: fixture.node.url, verifier: MockQuoteVerifier()))
        fixture.node.sealed.renewTransportKey()
        let _: JSONValue = try await mero.http.get("/admin-api/contexts")
        let attestations = fixture.node.requests.filter { $0.path == "/admin-api/tee/attest" }
        #expect(attestations.count == 2 && fixture.inTheClear == [])
        for request in attestations {
            #expect(!request.headers.keys.contains { $0.hasPrefix("x-") || $0 == "cookie" || $0 == "authorization" })
        }
        await mero.close()
        await fixture.stop()
    }

    // MARK: Heads that do not fit

    /// A head of an answer fits into its frame or is an error of the node's, in its seal; nothing lies in between.
    @Test func theLargestHeadOfAnAnswer() async throws {
        let node = try await SealedStandIn { request in
            let size = Int(request.line.split(separator: "/").last ?? "") ?? 0
            return .init(headers: [("x-a", String(repeating: "a", count: size))])
        }
        let sealed = Sealing(key: .fixed(node.key)).engine(
            over: try EngineUnderTest.allCases[0].make(), baseURL: node.url)
        // With `{"status":200,"headers":[["x-a",""],["content-length","2"]]}` around it.
        let room = 65_536 - 60
        for size in [1, 9_000, room - 60, room - 23, room - 1, room, room + 1, room + 23, room + 60, 200_000] {
            let answer = try await sealed.perform(EngineRequest(node.url.absoluteString + "/\(size)"))
            if size <= room {
                #expect(answer.status == 200 && answer.headers["x-a"]?.utf8.count == size, "\(size)")
            } else {
                #expect(answer.status == 502 && answer.headers["x-a"] == nil, "\(size)")
                let body = try JSONValue(jsonBytes: answer.body)
                #expect(body["error"]?["message"] == "the head of the answer is too large to be sealed")
            }
        }
        await node.stop()
    }

    /// Many small headers are as long as a large one.
    @Test func manyHeadersOfAnAnswer() async throws {
        let node = try await SealedStandIn { request in
            let count = Int(request.line.split(separator: "/").last ?? "") ?? 0
            return .init(headers: (0..<count).map { _ in ("a", "") })
        }
        let sealed = Sealing(key: .fixed(node.key)).engine(
            over: try EngineUnderTest.allCases[0].make(), baseURL: node.url)
        for (count, status) in [(1_000, 200), (7_000, 200), (7_500, 502), (8_100, 502), (20_000, 502)] {
            let answer = try await sealed.perform(EngineRequest(node.url.absoluteString + "/\(count)"))
            #expect(answer.status == status, "\(count)")
        }
        await node.stop()
    }
}

extension Data {
    fileprivate var lowercasedASCII: Data { Data(map { 65...90 ~= $0 ? $0 + 32 : $0 }) }
}
