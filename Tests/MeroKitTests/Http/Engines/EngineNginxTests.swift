import Foundation
import Testing

@testable import MeroKit

/// Engines against a real server: TLS with a private authority, HTTP/2, redirects.
@Suite("Engines against nginx") struct EngineNginxTests {
    /// On a machine without nginx or openssl the suite fails, and says what to do.
    @Test func aMissingProgramIsNamed() {
        let error = #expect(throws: CommandLineTool.Missing.self) {
            try CommandLineTool.find("merokit-no-such-program")
        }
        #expect(error?.description.contains("merokit-no-such-program is not installed") == true)
        #expect(error?.description.contains("scripts/setup --for-tests") == true)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func plainHttp(engine: EngineUnderTest) async throws {
        let nginx = try Nginx.shared()
        let response = try await engine.make().perform(EngineRequest("http://127.0.0.1:\(nginx.http)/json"))
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.body == Data("{\"ok\":true}".utf8))
    }

    @Test(arguments: EngineUnderTest.allCases, [301, 302, 303, 307, 308])
    func redirectsAreNotFollowed(engine: EngineUnderTest, status: Int) async throws {
        let nginx = try Nginx.shared()
        let engine = try engine.make()
        for to in ["/json", "http://127.0.0.1:\(nginx.http)/json", "https://localhost:\(nginx.https)/json"] {
            let response = try await engine.perform(
                EngineRequest("http://127.0.0.1:\(nginx.http)/redirect/\(status)?to=\(to)"))
            #expect(response.status == status)
            #expect(response.headers["location"] == to)
        }
    }

    @Test(arguments: EngineUnderTest.allCases, [false, true])
    func anUnknownAuthorityIsRefused(engine: EngineUnderTest, once: Bool) async throws {
        let nginx = try Nginx.shared()
        let engine = try engine.make()
        let target = "/json/\(UUID().uuidString)"
        for port in [nginx.https, nginx.http2] {
            let error = await engineError {
                try await engine.perform(EngineRequest("https://localhost:\(port)\(target)", once: once))
            }
            #expect(error?.kind == .unreachable)
            #expect(error?.mayHaveReachedNode == false)
        }
        #expect(nginx.logged(target) == [])
    }

    #if os(Linux)
        @Test(arguments: ["localhost", "127.0.0.1"])
        func aGivenAuthorityIsTrusted(host: String) async throws {
            let nginx = try Nginx.shared()
            let engine = CurlEngine(certificateAuthorityFile: nginx.authority)
            for once in [false, true] {
                let response = try await engine.perform(
                    EngineRequest("https://\(host):\(nginx.https)/json", once: once))
                #expect(response.body == Data("{\"ok\":true}".utf8))
            }
        }

        @Test func theEnvironmentNamesAnAuthority() async throws {
            let nginx = try Nginx.shared()
            let engine = CurlEngine(environment: ["SSL_CERT_FILE": nginx.authority.path])
            let response = try await engine.perform(EngineRequest("https://localhost:\(nginx.https)/json"))
            #expect(response.status == 200)
        }

        /// As a program meets it: the variable is there when the process looks.
        @Test func theEnvironmentOfTheProcessNamesAnAuthority() async throws {
            let nginx = try Nginx.shared()
            await #expect(processExitsWith: .success) {
                [url = "https://localhost:\(nginx.https)/json" as String, authority = nginx.authority.path as String] in
                setenv("SSL_CERT_FILE", authority, 1)
                let response = try await CurlEngine().perform(EngineRequest(url))
                #expect(response.status == 200)
            }
        }

        /// A trusted authority vouches for another host: refused by name, and nothing was sent.
        @Test func aWrongHostNameIsRefused() async throws {
            let nginx = try Nginx.shared()
            let engine = CurlEngine(certificateAuthorityFile: nginx.authority)
            let target = "/json/\(UUID().uuidString)"
            for host in ["localhost", "127.0.0.1"] {
                let error = await engineError {
                    try await engine.perform(EngineRequest("https://\(host):\(nginx.wrongName)\(target)"))
                }
                #expect(error?.kind == .unreachable)
                #expect(error?.mayHaveReachedNode == false)
            }
            #expect(nginx.logged(target) == [])
        }

        @Test func http2IsSpokenWhereTheServerOffersIt() async throws {
            let nginx = try Nginx.shared()
            let engine = CurlEngine(certificateAuthorityFile: nginx.authority)
            let target = "/json/\(UUID().uuidString)"
            for (port, expected) in [(nginx.https, "HTTP/1.1"), (nginx.http2, "HTTP/2.0")] {
                let response = try await engine.perform(
                    EngineRequest("https://localhost:\(port)\(target)/\(port)", headers: [("X-A", "b")]))
                #expect(response.status == 200)
                #expect(response.headers["content-type"] == "application/json")
                try await eventually { nginx.logged("\(target)/\(port)") == ["GET \(expected) 200"] }
            }
        }

        @Test func http2CarriesBodiesRefusalsAndManyCalls() async throws {
            let nginx = try Nginx.shared()
            let engine = CurlEngine(certificateAuthorityFile: nginx.authority)
            let base = "https://localhost:\(nginx.http2)"
            let missing = try await engine.perform(EngineRequest(base + "/missing"))
            #expect(missing.status == 404)
            #expect(missing.body == Data("{\"error\":\"no such page\"}".utf8))
            let head = try await engine.perform(EngineRequest(base + "/json", method: "HEAD"))
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let response = try await engine.perform(
                            EngineRequest(
                                base + "/upload", method: "POST", body: .bytes(Data(count: number * 1000)),
                                once: number % 10 == 0))
                        #expect(response.body == Data("POST".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }
    #endif
}

#if os(Linux)
    /// The proxy variables, which libcurl reads from the environment of the process: so each case is a process of its own.
    @Suite("Engines behind a proxy") struct EngineProxyTests {
        @Test(arguments: EngineUnderTest.allCases)
        func plainRequestsGoToTheProxy(engine: EngineUnderTest) async throws {
            let nginx = try Nginx.shared()
            let proxy = try ForwardProxy(to: nginx.http)
            await #expect(processExitsWith: .success) { [engine, proxy = proxy.url as String] in
                setenv("http_proxy", proxy, 1)
                let response = try await engine.make().perform(EngineRequest("http://merokit-test.invalid/json"))
                #expect(response.body == Data("{\"ok\":true}".utf8))
            }
            #expect(proxy.asked == ["GET http://merokit-test.invalid/json"])
        }

        @Test(arguments: ["https_proxy", "HTTPS_PROXY"])
        func tunnelsGoThroughTheProxy(variable: String) async throws {
            let nginx = try Nginx.shared()
            let proxy = try ForwardProxy(to: nginx.https)
            await #expect(processExitsWith: .success) {
                [
                    variable, proxy = proxy.url as String, authority = nginx.authority as URL,
                ] in
                setenv(variable, proxy, 1)
                let engine = CurlEngine(certificateAuthorityFile: authority)
                let response = try await engine.perform(EngineRequest("https://localhost/json"))
                #expect(response.body == Data("{\"ok\":true}".utf8))
            }
            #expect(proxy.asked == ["CONNECT localhost:443"])
        }

        @Test(arguments: EngineUnderTest.allCases)
        func hostsMayBeExempt(engine: EngineUnderTest) async throws {
            let nginx = try Nginx.shared()
            let proxy = try ForwardProxy(to: nginx.http)
            await #expect(processExitsWith: .success) {
                [engine, proxy = proxy.url as String, url = "http://127.0.0.1:\(nginx.http)/json" as String] in
                setenv("http_proxy", proxy, 1)
                setenv("no_proxy", "example.org,127.0.0.1", 1)
                let response = try await engine.make().perform(EngineRequest(url))
                #expect(response.status == 200)
            }
            #expect(proxy.asked == [])
        }

        /// Loopback is not exempt by itself.
        @Test(arguments: EngineUnderTest.allCases)
        func loopbackIsNoException(engine: EngineUnderTest) async throws {
            let nginx = try Nginx.shared()
            let proxy = try ForwardProxy(to: nginx.http)
            await #expect(processExitsWith: .success) { [engine, proxy = proxy.url as String] in
                setenv("http_proxy", proxy, 1)
                let response = try await engine.make().perform(EngineRequest("http://127.0.0.1:1/json"))
                #expect(response.status == 200)
            }
            #expect(proxy.asked == ["GET http://127.0.0.1:1/json"])
        }

        @Test(arguments: EngineUnderTest.allCases)
        func aProxyThatIsNotThereMeansUnreachable(engine: EngineUnderTest) async throws {
            let socket = try LoopbackSocket.bound()
            defer { close(socket) }
            let proxy = "http://127.0.0.1:\(try LoopbackSocket.port(of: socket))"
            await #expect(processExitsWith: .success) { [engine, proxy = proxy as String] in
                setenv("http_proxy", proxy, 1)
                let engine = try engine.make()
                let error = await engineError {
                    try await engine.perform(EngineRequest("http://merokit-test.invalid/json"))
                }
                #expect(error?.kind == .unreachable)
                #expect(error?.mayHaveReachedNode == false)
            }
        }
    }
#endif
