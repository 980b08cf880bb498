import Foundation
import Testing

@testable import MeroDevNode

@Suite struct ValidateTests {
    private static let uri = "X-Forwarded-Uri"
    private static let method = "X-Forwarded-Method"

    @Test(arguments: ["GET", "POST", "HEAD"])
    func aGoodTokenIsGood(method: String) async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens(permissions: ["context:list", "blob"]).accessToken
            let answer = try await fixture.call(method, "/auth/validate", token: token)
            #expect(answer.status == 200)
            #expect(answer.headers["x-auth-user"] == claims(token)["sub"]?.stringValue)
            #expect(answer.headers["x-auth-permissions"] == "context:list,blob")
            #expect(answer.headers["x-auth-account"] == nil)
            if method == "HEAD" {
                #expect(answer.body.isEmpty)
            } else {
                #expect(answer.json == ["data": "", "error": .null])
            }
        }
    }

    @Test func withoutPermissionsTheHeaderIsAbsent() async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens(permissions: []).accessToken
            let answer = try await fixture.call("GET", "/auth/validate", token: token)
            #expect(answer.status == 200)
            #expect(answer.headers["x-auth-permissions"] == nil)
        }
    }

    private func expect(
        _ answer: Answer, _ status: Int, _ authError: String, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(answer.authError == authError, sourceLocation: sourceLocation)
        #expect(answer.error == text, sourceLocation: sourceLocation)
        #expect(answer.json["data"] == .null, sourceLocation: sourceLocation)
    }

    @Test func everyRefusalOfTheTable() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let good = node.mintTokens().accessToken
            expect(try await fixture.call("GET", "/auth/validate"), 401, "missing_token", "No token provided")
            expect(
                try await fixture.call("GET", "/auth/validate", headers: [("Authorization", "Basic eDp5")]), 401,
                "missing_token", "No token provided")
            for method in [nil, "", "  ", "G E T"] as [String?] {
                let headers = [(Self.uri, "/jsonrpc")] + (method.map { [(Self.method, $0)] } ?? [])
                expect(
                    try await fixture.call("GET", "/auth/validate", token: good, headers: headers), 403,
                    "malformed_forwarded_request", "X-Forwarded-Uri was set without a usable X-Forwarded-Method")
            }
            let bad = try await fixture.call("GET", "/auth/validate", token: "nonsense")
            #expect(bad.status == 401)
            #expect(bad.authError == "invalid_token")
            #expect(bad.error?.hasPrefix("Invalid token: ") == true)
            #expect(
                try await fixture.call("GET", "/auth/validate", token: node.mintTokens().refreshToken).authError
                    == "invalid_token")

            let bound = node.mintTokens(nodeURL: "https://node.example").accessToken
            let elsewhere = try await fixture.call("GET", "/auth/validate", token: bound)
            #expect(elsewhere.status == 403)
            #expect(elsewhere.authError == "invalid_node")
            #expect(elsewhere.error?.isEmpty == false)

            let secret = node.core.auth.vault.secret
            let stray = forge(claims(good).replacing("key_id", "0000"), secret: secret)
            expect(try await fixture.call("GET", "/auth/validate", token: stray), 401, "invalid_token", "Key not found")

            node.expireAccessTokens()
            expect(
                try await fixture.call("GET", "/auth/validate", token: good), 401, "token_expired",
                "Invalid token: Token has expired")
            let revoked = node.mintTokens().accessToken
            node.revokeFamilies()
            expect(
                try await fixture.call("GET", "/auth/validate", token: revoked), 403, "token_revoked",
                "Key has been revoked")
            let fresh = node.mintTokens().accessToken
            node.setStorageAvailable(false)
            expect(
                try await fixture.call("GET", "/auth/validate", token: fresh), 401, "invalid_token",
                "Failed to verify key")
        }
    }

    @Test(arguments: [
        ("GET", "/admin-api/contexts?limit=5", "context:list", true),
        ("HEAD", "/admin-api/contexts", "context:list", true),
        ("GET", "/admin-api/contexts", "context:list[A]", false),
        ("GET", "/admin-api/contexts/A", "context:list[A]", true),
        ("GET", "/admin-api/contexts/B", "context:list[A]", false),
        ("GET", "/admin-api/contexts/A/identities", "context:list[A]", true),
        ("GET", "/admin-api/contexts/for-application/A", "context:list[A]", false),
        ("DELETE", "/admin-api/contexts/A", "context:list", false),
        ("DELETE", "/admin-api/contexts/A", "context:delete", true),
        ("POST", "/admin-api/contexts", "context:create", true),
        ("POST", "/admin-api/contexts/A/join", "context:execute[A]", true),
        ("POST", "/admin-api/contexts/sync", "context:execute[A]", false),
        ("POST", "/admin-api/contexts/sync/A", "context:execute[A]", true),
        ("GET", "/admin-api/identity", "namespace", true),
        ("GET", "/admin-api/applications", "application", true),
        ("POST", "/admin-api/install-application", "application:list", false),
        ("DELETE", "/admin-api/applications/A", "application", false),
        ("GET", "/admin-api/packages/p/latest", "package:get-latest-version", true),
        ("PUT", "/admin-api/blobs", "blob:add", true),
        ("DELETE", "/admin-api/blobs/b", "blob:add", false),
        ("POST", "/admin-api/alias/create/context", "context:alias", true),
        ("POST", "/admin-api/alias/create/context", "context:alias:create:application", false),
        ("GET", "/admin-api/peers", "context:list", false),
        ("GET", "/admin-api/made-up", "admin", true),
        ("GET", "/admin-api/health", "blob", true),
        ("POST", "/jsonrpc", "context:execute[A,,get]", true),
        ("POST", "/jsonrpc", "context:list", false),
        ("GET", "/sse", "context:subscribe", true),
        ("GET", "/ws?x=1", "context", false),
        ("GET", "/admin/keys", "keys", true),
        ("GET", "/admin/keys", "blob", false),
        ("POST", "/auth/token", "blob", true),
        ("GET", "https://node.example/admin-api/contexts", "blob", false),
        ("get", "/admin-api/contexts", "context:list", true),
    ])
    func aForwardedRequestNeedsItsRoutesScope(method: String, uri: String, held: String, isAllowed: Bool) async throws {
        try await withNode { fixture async throws in
            let token = fixture.node.mintTokens(permissions: [held]).accessToken
            let headers = [(Self.uri, uri), (Self.method, method)]
            let answer = try await fixture.call("GET", "/auth/validate", token: token, headers: headers)
            if isAllowed {
                #expect(answer.status == 200)
            } else {
                expect(
                    answer, 403, "permission_denied", "Token does not carry the permissions this route requires")
            }
        }
    }

    @Test func aForwardedTokenInTheQueryCountsWithoutAHeader() async throws {
        try await withNode { fixture async throws in
            let token = fixture.node.mintTokens().accessToken
            let headers = [(Self.uri, "/sse?a=1&token=\(token)"), (Self.method, "GET")]
            #expect(try await fixture.call("GET", "/auth/validate", headers: headers).status == 200)
            // Not the query of the request itself.
            #expect(
                try await fixture.call("GET", "/auth/validate?token=\(token)").authError == "missing_token")
        }
    }

    @Test func theForwardedHostIsTheOneCompared() async throws {
        try await withNode { fixture in
            let bound = fixture.node.mintTokens(nodeURL: "https://node.example:8443/path").accessToken
            for (name, isGood) in [("Node.Example:1", true), ("other.example", false)] {
                let answer = try await fixture.call(
                    "GET", "/auth/validate", token: bound, headers: [("X-Forwarded-Host", name)])
                #expect(answer.status == (isGood ? 200 : 403))
            }
        }
        try await withNode(.with { $0.publicHost = "public.example" }) { fixture in
            let bound = fixture.node.mintTokens(nodeURL: "https://public.example").accessToken
            let answer = try await fixture.call(
                "GET", "/auth/validate", token: bound, headers: [("X-Forwarded-Host", "other.example")])
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: ["mero-swift-sdk", "localhost:2428", "://x", "http://", ""])
    func whatIsNoUrlWithAHostBindsNothing(nodeURL: String) async throws {
        try await withNode { fixture async throws in
            let token = fixture.node.mintTokens(nodeURL: nodeURL).accessToken
            #expect(try await fixture.call("GET", "/auth/validate", token: token).status == 200)
        }
    }
}
