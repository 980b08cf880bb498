import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct CloudLoginTests {
    @Test func googleLoginMakesASession() async throws {
        try await withCloud { fixture in
            let token = fixture.cloud.googleIdToken("ana@example.com", name: "Ana", picture: "https://p.example/a")
            let answer = try await fixture.post("/api/auth/google", ["id_token": .string(token)])
            #expect(answer.status == 200)
            let user: JsonTree = ["email": "ana@example.com", "name": "Ana", "picture": "https://p.example/a"]
            #expect(answer.json["user"] == user)
            let expiry: Int64? = answer.json["expires_at"]?.integer()
            #expect(abs((expiry ?? 0) - fixture.cloud.clock.seconds - 7 * 86_400) <= 1)
            let session = answer.json["session_token"]?.stringValue ?? ""
            #expect(try await fixture.call("GET", "/api/cloud/me/namespaces", token: session).text == "[]")
        }
    }

    @Test func googleLoginRefusesWhatGoogleDidNotSign() async throws {
        try await withCloud(.with { $0.takesNewUsers = false }) { fixture in
            let good = fixture.cloud.googleIdToken("ana@example.com")
            let closed = try await fixture.post("/api/auth/google", ["id_token": .string(good)])
            #expect(closed.status == 403 && closed.detail == "Sign-up is closed")
            let session = fixture.session()
            for token in [good.flipping(at: good.count - 5), session, "", "a.b.c"] {
                let answer = try await fixture.post("/api/auth/google", ["id_token": .string(token)])
                #expect(answer.status == 401 && answer.detail == "Invalid Google ID token")
            }
            fixture.cloud.clock.advance(by: 3601)
            #expect(try await fixture.post("/api/auth/google", ["id_token": .string(good)]).status == 401)
        }
    }

    @Test func bodiesAreValidatedAsTheFrameworkDoes() async throws {
        try await withCloud { fixture in
            let missing = try await fixture.post("/api/auth/google", [:])
            #expect(missing.status == 422 && missing.invalidPlaces == [#"["body","id_token"]"#])
            let wrongType = try await fixture.post("/api/auth/google", ["id_token": 1])
            #expect(wrongType.status == 422 && wrongType.json["detail"]?.arrayValue?.first?["type"] == "string_type")
            let noJson = try await fixture.call("POST", "/api/auth/google", json: "{")
            #expect(noJson.status == 422 && noJson.json["detail"]?.arrayValue?.first?["type"] == "json_invalid")
            let noBody = try await fixture.call("POST", "/api/auth/google")
            #expect(noBody.status == 422 && noBody.invalidPlaces == [#"["body"]"#])
            let upper = try fixture.loginBody(nonce: "n")
                .replacing("root_public_key", .string(fixture.ada.root.publicKey.uppercased()))
            #expect(try await fixture.post("/api/auth/account", upper).status == 422)
        }
    }

    @Test func unknownRoutesAndMethods() async throws {
        try await withCloud { fixture in
            let unknown = try await fixture.call("GET", "/api/cloud/accounts/x/namespaces")
            #expect(unknown.status == 404 && unknown.detail == "Not Found")
            let method = try await fixture.call("GET", "/api/auth/google")
            #expect(method.status == 405 && method.headers["allow"] == "POST")
        }
    }

    // MARK: - Accounts

    @Test func aLinkedAccountLogsIn() async throws {
        try await withCloud { fixture in
            try fixture.cloud.link(account: fixture.ada.accountId, to: CloudFixture.email)
            let nonce = try await fixture.nonce("/api/auth/account/challenge")
            let answer = try await fixture.post("/api/auth/account", try fixture.loginBody(nonce: nonce))
            #expect(answer.status == 200 && answer.json["user"]?["email"]?.stringValue == CloudFixture.email)
            let again = try await fixture.post("/api/auth/account", try fixture.loginBody(nonce: nonce))
            #expect(again.status == 403 && again.detail == "The nonce has been used")
        }
    }

    @Test func anUnlinkedAccountIsRefusedButItsProofIsKept() async throws {
        try await withCloud { fixture in
            let nonce = try await fixture.nonce("/api/auth/account/challenge")
            let answer = try await fixture.post("/api/auth/account", try fixture.loginBody(nonce: nonce))
            #expect(answer.status == 403 && answer.detail == "This account is not linked to a Calimero Cloud login")
            let known = fixture.cloud.core.state.withLock { $0.accounts[fixture.ada.accountId]?.rootPublicKey }
            #expect(known == fixture.ada.root.publicKey)
        }
    }

    @Test func eachPartOfAnAccountLoginCounts() async throws {
        try await withCloud { fixture in
            try fixture.cloud.link(account: fixture.ada.accountId, to: CloudFixture.email)
            let nonce = try await fixture.nonce("/api/auth/account/challenge")
            let good = try fixture.loginBody(nonce: nonce)
            let signature = good["signature"]?.stringValue ?? ""
            let other = try DevAccount()
            let linkNonce = try await fixture.nonce("/api/cloud/me/accounts/challenge", token: fixture.session())
            let cases: [(JsonTree, String)] = [
                (good.replacing("signature", .string(signature.flipping(at: 3))), "The signature does not verify"),
                (good.replacing("signature", "AAAA"), "The signature does not verify"),
                (good.replacing("root_public_key", .string(other.root.publicKey)), "The signature does not verify"),
                (try fixture.loginBody(nonce: nonce, domain: "account-link"), "The signature does not verify"),
                (try fixture.loginBody(nonce: nonce + "x"), "The nonce was not issued here"),
                (try fixture.loginBody(nonce: "n-42"), "The nonce was not issued here"),
                (try fixture.loginBody(nonce: linkNonce), "The nonce is for something else"),
            ]
            for (body, reason) in cases {
                let answer = try await fixture.post("/api/auth/account", body)
                #expect(answer.status == 403 && answer.detail == reason)
            }
            fixture.cloud.clock.advance(by: 121)
            let late = try await fixture.post("/api/auth/account", good)
            #expect(late.status == 403 && late.detail == "The nonce has expired")
        }
    }

    // MARK: - Sessions

    @Test func sessionRoutesNeedOne() async throws {
        try await withCloud { fixture in
            for (method, path) in [
                ("GET", "/api/cloud/me/namespaces"), ("GET", "/api/cloud/me/machines"), ("GET", "/api/cloud/me/node"),
                ("GET", "/api/cloud/me/accounts"), ("GET", "/api/cloud/me/accounts/challenge"),
                ("POST", "/api/cloud/me/accounts"), ("POST", "/api/auth/refresh"), ("POST", "/api/auth/logout"),
                ("POST", "/api/cloud/namespaces/claim"),
            ] {
                let none = try await fixture.call(method, path)
                #expect(none.status == 401 && none.detail == "Not authenticated", "\(path)")
                let bad = try await fixture.call(method, path, token: "x.y.z")
                #expect(bad.status == 401 && bad.detail == "Invalid or expired session", "\(path)")
                #expect(fixture.cloud.handlerRuns(method, path) == 0)
            }
        }
    }

    @Test func sessionsExpireAndEnd() async throws {
        try await withCloud { fixture in
            let first = fixture.session()
            let second = fixture.session()
            let ended = try await fixture.call("POST", "/api/auth/logout", token: first)
            #expect(ended.status == 200)
            #expect(try await fixture.call("GET", "/api/cloud/me/accounts", token: first).status == 401)
            #expect(try await fixture.call("GET", "/api/cloud/me/accounts", token: second).status == 200)
            fixture.cloud.clock.advance(by: 7 * 86_400 + 1)
            #expect(try await fixture.call("GET", "/api/cloud/me/accounts", token: second).status == 401)
        }
    }

    @Test func sessionsRollOnSuccessAndOnErrors() async throws {
        try await withCloud { fixture in
            let old = fixture.session()
            let fresh = try await fixture.call("GET", "/api/cloud/me/accounts", token: old)
            #expect(fresh.headers["x-mdma-session-refresh"] == nil)
            fixture.cloud.clock.advance(by: 3601)
            let answers = [
                try await fixture.call("GET", "/api/cloud/me/accounts", token: old),
                try await fixture.call(
                    "GET", "/api/cloud/me/namespaces/\(String(repeating: "0", count: 64))/relays", token: old),
            ]
            #expect(answers.map(\.status) == [200, 404])
            for answer in answers {
                let next = answer.headers["x-mdma-session-refresh"] ?? ""
                #expect(!next.isEmpty && next != old)
                #expect(try await fixture.call("GET", "/api/cloud/me/accounts", token: next).status == 200)
                let expiry = Int64(answer.headers["x-mdma-session-expires"] ?? "") ?? 0
                #expect(abs(expiry - fixture.cloud.clock.seconds - 7 * 86_400) <= 1)
            }
            // What was rolled ends with the login it belongs to.
            let next = answers[0].headers["x-mdma-session-refresh"] ?? ""
            #expect(try await fixture.call("POST", "/api/auth/logout", token: old).status == 200)
            #expect(try await fixture.call("GET", "/api/cloud/me/accounts", token: next).status == 401)
        }
    }

    @Test func refreshGivesTheWholeSession() async throws {
        try await withCloud { fixture in
            fixture.cloud.addUser(CloudFixture.email, name: "Ada")
            let old = fixture.session()
            let answer = try await fixture.call("POST", "/api/auth/refresh", token: old)
            #expect(answer.status == 200 && answer.json["user"]?["name"] == "Ada")
            #expect(answer.json["session_token"]?.stringValue != old)
            fixture.cloud.endSessions(of: CloudFixture.email)
            #expect(try await fixture.call("POST", "/api/auth/refresh", token: old).status == 401)
        }
    }

    // MARK: - Faults

    @Test func faultsStrikeCloudRoutes() async throws {
        try await withCloud { fixture in
            let session = fixture.session()
            let refresh = fixture.session()
            fixture.cloud.inject(
                .status(500, headers: ["x-mdma-session-refresh": refresh]), on: "GET /api/cloud/me/accounts")
            let answer = try await fixture.call("GET", "/api/cloud/me/accounts", token: session)
            #expect(answer.status == 500 && answer.headers["x-mdma-session-refresh"] == refresh)
            #expect(try await fixture.call("GET", "/api/cloud/me/accounts", token: session).status == 200)
            #expect(fixture.cloud.requestCount("GET", "/api/cloud/me/accounts") == 2)
            #expect(fixture.cloud.handlerRuns("GET", "/api/cloud/me/accounts") == 1)
            try await fixture.cloud.restart()
            #expect(try await fixture.call("GET", "/api/cloud/me/accounts", token: session).status == 200)
        }
    }
}
