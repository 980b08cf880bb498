import Foundation
import Testing

@testable import MeroDevNode

@Suite struct HostedLoginTests {
    private static let callback = "http://localhost:5173/cb"

    private func submit(
        _ fixture: NodeFixture, callback: String? = callback, permissions: String = "", mode: String = "login",
        password: String = "dev-password"
    ) async throws -> Answer {
        var pairs = [("username", "dev"), ("password", password), ("permissions", permissions), ("mode", mode)]
        if let callback { pairs.append(("callback-url", callback)) }
        return try await fixture.send(
            "POST", "/auth/login", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Data(FormEncoding.encode(pairs).utf8))
    }

    private func fragment(_ answer: Answer) throws -> [String: String] {
        let location = try #require(answer.headers["location"])
        let parts = location.split(separator: "#", maxSplits: 1)
        #expect(parts.count == 2)
        return Dictionary(uniqueKeysWithValues: FormEncoding.decode(String(parts[1])).map { ($0.0, $0.1 ?? "") })
    }

    @Test func thePageTakesTheQueryOfTheHostedLogin() async throws {
        try await withNode { fixture in
            let query = FormEncoding.encode([
                ("callback-url", Self.callback), ("permissions", "context:list,context:execute"),
                ("mode", "multi-context"),
            ])
            let answer = try await fixture.call("GET", "/auth/login?\(query)")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            #expect(answer.text.contains(#"name="callback-url" value="http://localhost:5173/cb""#))
            #expect(answer.text.contains(#"name="permissions" value="context:list,context:execute""#))
            #expect(try await fixture.call("GET", "/auth/login").status == 200)
        }
    }

    @Test func anAdminSessionComesBackInTheFragment() async throws {
        try await withNode { fixture in
            let answer = try await submit(fixture, mode: "admin")
            #expect(answer.status == 303)
            #expect(answer.headers["location"]?.hasPrefix(Self.callback + "#") == true)
            let values = try fragment(answer)
            #expect(Set(values.keys) == ["access_token", "refresh_token", "node_url"])
            #expect(values["node_url"] == "http://127.0.0.1")
            #expect(claims(values["access_token"] ?? "")["permissions"] == ["admin"])
            #expect(
                try await fixture.call("GET", "/admin/keys", token: values["access_token"]).status == 200)
        }
    }

    @Test func askedPermissionsMakeAClientKey() async throws {
        try await withNode { fixture in
            let answer = try await submit(fixture, permissions: "context:list,blob", mode: "multi-context")
            let token = try fragment(answer)["access_token"] ?? ""
            #expect(claims(token)["permissions"] == ["context:list", "blob"])
            #expect(try await fixture.call("GET", "/admin/keys", token: token).authError == "permission_denied")
            let refused = try await submit(fixture, permissions: "keys:list")
            #expect(refused.status == 400)
            #expect(refused.headers["location"] == nil)
        }
    }

    @Test(arguments: [
        "https://evil.example/cb", "myapp://callback", "http://localhost.evil.example/",
        "http://127.0.0.1.evil.example/",
        "http://localhost/#x", "javascript:alert(1)", "http://user@localhost/", "http:///x", "//localhost/",
        "http://127.1/",
        "http://localhost/\r\nX: y", "data:text/html,x",
    ])
    func anUntrustedCallbackGetsNoTokens(callback: String) async throws {
        try await withNode { fixture in
            let page = try await fixture.call("GET", "/auth/login?" + FormEncoding.encode([("callback-url", callback)]))
            #expect(page.status == 400)
            let answer = try await submit(fixture, callback: callback)
            #expect(answer.status == 400)
            #expect(answer.headers["location"] == nil)
            #expect(!answer.text.contains("eyJ"))
        }
    }

    @Test(arguments: ["http://127.0.0.1:9/cb?a=1", "https://localhost/", "http://[::1]:80/x", "http://127.9.8.7/"])
    func aLoopbackCallbackIsTrusted(callback: String) async throws {
        try await withNode { fixture in
            let answer = try await submit(fixture, callback: callback)
            #expect(answer.status == 303)
            #expect(answer.headers["location"]?.hasPrefix(callback + "#access_token=") == true)
        }
    }

    @Test func aWrongPasswordShowsThePageAgainAndCounts() async throws {
        try await withNode { fixture in
            for _ in 0..<5 {
                let answer = try await submit(fixture, password: "wrong-password")
                #expect(answer.status == 401)
                #expect(answer.text.contains("Invalid username or password"))
            }
            let locked = try await submit(fixture)
            #expect(locked.status == 429)
            #expect(locked.headers["retry-after"] != nil)
            #expect(try await fixture.login().status == 429)
        }
    }

    @Test func whatIsShownIsEscaped() async throws {
        try await withNode { fixture in
            let query = FormEncoding.encode([("mode", #""><script>alert('x')</script>"#)])
            let answer = try await fixture.call("GET", "/auth/login?\(query)")
            #expect(!answer.text.contains("<script"))
        }
    }

    @Test func withoutACallbackThereIsNoRedirect() async throws {
        try await withNode { fixture in
            let answer = try await submit(fixture, callback: nil)
            #expect(answer.status == 200)
            #expect(!answer.text.contains("eyJ"))
            let json = try await fixture.call("POST", "/auth/login", json: "{}")
            #expect(json.status == 415)
        }
    }
}
