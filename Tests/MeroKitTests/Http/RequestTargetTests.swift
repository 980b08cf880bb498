import Foundation
import Testing

@testable import MeroKit

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("https://n.example", "/auth/health", "https://n.example/auth/health"),
        ("https://n.example/", "auth/health", "https://n.example/auth/health"),
        (
            "https://n.example/node1", "/admin-api/contexts?limit=5",
            "https://n.example/node1/admin-api/contexts?limit=5"
        ),
        ("https://n.example/node1/", "/x", "https://n.example/node1/x"),
        ("https://n.example", "https://other.example/x", "https://other.example/x"),
        ("http://[::1]:2428", "/a/../b/%2F", "http://[::1]:2428/a/../b/%2F"),
        ("http://n.example", "/a#fragment", "http://n.example/a"),
    ])
    func joinsAsText(base: String, path: String, expected: String) throws {
        let url = try #require(URL(string: base))
        #expect(try BaseURL(url).target(for: path).url == expected)
    }

    @Test(arguments: [
        "/a b", "/ä", "http://", "https:///x", "http://user:pw@n.example/x", "http://n.example:99999/x", "/a\u{0}b",
        "/a\r\nHost: x", "http://a b/x", "http://n.example:8o/x",
    ])
    func refusesWhatFormsNoURL(path: String) throws {
        let base = BaseURL(try #require(URL(string: "https://n.example")))
        let error = #expect(throws: MeroError.self) { try base.target(for: path) }
        #expect(error?.localizedDescription == "Network error: Invalid URL: \(path)")
    }

    @Test func aBaseThatIsNoHTTPAddressRefusesEveryCall() throws {
        let base = BaseURL(try #require(URL(string: "ftp://n.example")))
        #expect(throws: MeroError.self) { try base.target(for: "/x") }
        #expect(throws: MeroError.self) { try BaseURL(URL(fileURLWithPath: "/tmp")).target(for: "/x") }
    }

    /// A path behind a query would be part of the query.
    @Test(
        arguments: [
            "https://n.example?x=1", "https://n.example/?x=1", "https://n.example/a?x=1/", "https://n.example#f",
            "https://n.example/#f",
        ])
    func aBaseHasNoQuery(base: String) throws {
        let base = BaseURL(try #require(URL(string: base)))
        #expect(base.origin == nil)
        #expect(throws: MeroError.self) { try base.target(for: "/x") }
        #expect(try base.target(for: "https://n.example/x?y").url == "https://n.example/x?y")
    }

    @Test(arguments: ["HTTPS://N.example/a", "hTTpS://N.example/a/", "https://N.example/a"])
    func aSchemeMayBeOfEitherCase(base: String) throws {
        let base = BaseURL(try #require(URL(string: base)))
        #expect(try base.target(for: "/x?Y").url == "https://N.example/a/x?Y")
        #expect(base.origin == RequestTarget("HTTPS://n.example:443")?.origin)
        #expect(RequestTarget("HTTP:/n.example") == nil && RequestTarget("httpss://n.example") == nil)
    }

    /// What no node would read is refused here, in words and not in megabytes.
    @Test(arguments: [1_048_560, 6_000_000]) func aURLHasALength(characters: Int) async throws {
        let id = String(repeating: "é", count: characters / 6)
        let engine = ScriptedEngine { _, _ in .status(200) }
        let http = URLSessionHttpClient(
            baseURL: try #require(URL(string: "https://n.example")), engine: engine)
        let admin = AdminApi(http: http)
        let long = "/x?" + String(repeating: "y", count: 1_048_576)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await admin.getContext(id) }, { _ = try await admin.deleteContext(id) },
            { _ = try await admin.getContextIntentRelay("a", author: id) },
            { _ = try await http.head(long, headers: [:]) },
            { _ = try await http.head("https://other.example" + long, headers: [:]) },
        ]
        for call in calls {
            guard case MeroError.network(let text)? = await failure(of: call) else {
                Issue.record("it was sent")
                continue
            }
            #expect(text.hasPrefix("The URL is too long: ") && text.utf8.count < 100)
        }
        #expect(engine.requests.isEmpty)
        _ = try await http.head("/x?" + String(repeating: "y", count: 1_048_000), headers: [:])
    }

    @Test func originsCompareByWhatAConnectionNeeds() throws {
        let left = try #require(RequestTarget("https://N.example/x"))
        #expect(left.origin == RequestTarget("https://n.example:443/y")?.origin)
        #expect(left.origin != RequestTarget("http://n.example:443/y")?.origin)
        #expect(left.origin != RequestTarget("https://n.example:444/y")?.origin)
        #expect(left.origin != RequestTarget("https://n.example.evil/y")?.origin)
    }

    @Test func knowsItsOwnPaths() throws {
        let base = BaseURL(try #require(URL(string: "https://n.example/node1")))
        #expect(try base.relativePath(of: base.target(for: "/auth/token?x=1")) == "/auth/token")
        #expect(try base.relativePath(of: base.target(for: "https://n.example/node1/auth/token")) == "/auth/token")
        #expect(try base.relativePath(of: base.target(for: "https://other.example/node1/auth/token")) == nil)
    }

    @Test(arguments: ["", ".", ".."])
    func anIdThatWouldNameAnotherRouteIsRefused(id: String) throws {
        let error = #expect(throws: MeroError.self) {
            try AuthEndpoints.deleteRootKey.request([id])
        }
        #expect(error?.localizedDescription.hasPrefix("Network error: Invalid URL: /admin/keys/") == true)
    }

    @Test func idsBecomeOneSegmentEach() throws {
        let request = try AuthEndpoints.deleteClientKey.request(["a/b?c#d", "ü %~."])
        #expect(request.path == "/admin/keys/a%2Fb%3Fc%23d/clients/%C3%BC%20%25~.")
    }

    @Test(
        "What lies below a base",
        arguments: [
            ("https://n.example/node", "https://n.example/node/x?y=1", "/x?y=1"),
            ("https://n.example/node", "HTTPS://N.EXAMPLE/node/x", "/x"),
            ("https://n.example/node", "https://n.example:443/node/x#f", "/x"),
            ("https://n.example/node", "https://n.example/node/x#f", "/x"),
            ("https://n.example/node", "https://n.example/node/", "/"),
            ("https://n.example/node", "https://n.example/node", nil),
            ("https://n.example/node", "https://n.example/nodes/x", nil),
            ("https://n.example/node", "https://n.example/other", nil),
            ("https://n.example/node", "https://n.example/node/a b", nil),
            ("https://n.example/node", "https://n.example/node/\u{e9}", nil),
            ("https://n.example", "https://n.example/x", "/x"),
            ("https://n.example", "https://n.example@evil.example/x", nil),
            ("https://n.example", "https://n.example.evil.example/x", nil),
            ("https://n.example:80", "https://n.example:8080/x", nil),
            ("https://n.example", "http://n.example/x", nil),
        ] as [(String, String, String?)])
    func below(base: String, url: String, tail: String?) throws {
        #expect(BaseURL(try #require(URL(string: base))).below(url) == tail)
    }
}
