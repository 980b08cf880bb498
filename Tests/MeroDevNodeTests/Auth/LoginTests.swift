import Foundation
import Testing

@testable import MeroDevNode

@Suite struct LoginTests {
    static let refused = "Authentication failed: Authentication failed: Invalid username or password"

    @Test func aPasswordLoginGivesAPairWithTheDocumentedClaims() async throws {
        try await withNode { fixture in
            let answer = try await fixture.login(clientName: "mero-swift-sdk")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.json.names == ["data", "error"])
            #expect(answer.json["error"] == .null)
            #expect(answer.data?.names == ["access_token", "refresh_token", "error"])
            #expect(answer.data?["error"] == .null)

            let access = claims(answer.pair.accessToken)
            #expect(
                access.names == [
                    "sub", "key_id", "iss", "aud", "exp", "iat", "jti", "token_type", "permissions", "node_url",
                ])
            #expect(access["iss"] == "calimero-auth")
            #expect(access["aud"] == "calimero-auth")
            #expect(access["token_type"] == "access")
            #expect(access["permissions"] == ["admin"])
            #expect(access["node_url"] == "mero-swift-sdk")
            let issued = try #require(access["iat"]?.integer(Int64.self))
            #expect(access["exp"] == JsonTree(issued + 3600))
            #expect(abs(Double(issued) - Date().timeIntervalSince1970) < 60)
            let id = try #require(access["jti"]?.stringValue)
            #expect(UUID(uuidString: id) != nil)
            #expect(Array(id)[14] == "4")
            #expect("89ab".contains(Array(id)[19]))

            let refresh = claims(answer.pair.refreshToken)
            #expect(refresh["token_type"] == "refresh")
            #expect(refresh["exp"] == JsonTree(issued + 30 * 86_400))
            #expect(refresh["key_id"] == access["key_id"])
            #expect(refresh["sub"] == access["sub"])
            #expect(refresh["jti"] != access["jti"])
            #expect(access["sub"] != access["key_id"])
        }
    }

    @Test func theAliasOfTheProviderWorks() async throws {
        try await withNode { fixture async throws in
            let answer = try await fixture.post("/auth/token", NodeFixture.loginBody(method: "username_password"))
            #expect(answer.status == 200)
        }
    }

    @Test func extraKeysInProviderDataAndNullOptionalsAreTaken() async throws {
        try await withNode { fixture async throws in
            let body = NodeFixture.loginBody().replacing("permissions", .null).replacing(
                "provider_data",
                ["username": "dev", "password": "dev-password", "bootstrap_secret": "x", "n": 1])
            #expect(try await fixture.post("/auth/token", body).status == 200)
            #expect(try await fixture.post("/auth/token", body.replacing("permissions", nil)).status == 200)
        }
    }

    @Test(arguments: [
        ("", "EOF while parsing a value"), ("{", "EOF while parsing an object"), ("[1]", "invalid type: sequence"),
        (#"{"auth_method":"x"} x"#, "trailing characters"),
    ])
    func malformedJsonIs400(body: String, text: String) async throws {
        try await withNode { fixture in
            let answer = try await fixture.call("POST", "/auth/token", json: body)
            #expect(answer.status == 400)
            #expect(answer.json.names == ["error", "status"])
            #expect(answer.json["status"] == 400)
            let error = try #require(answer.error)
            #expect(error.hasPrefix("Invalid JSON: "))
            #expect(error.contains(text))
            #expect(answer.authError == nil)
        }
    }

    @Test(arguments: ["auth_method", "public_key", "client_name", "timestamp", "provider_data"])
    func aMissingFieldIs400(name: String) async throws {
        try await withNode { fixture in
            let answer = try await fixture.post("/auth/token", NodeFixture.loginBody().replacing(name, nil))
            #expect(answer.status == 400)
            #expect(answer.error == "Invalid JSON: missing field `\(name)`")
        }
    }

    private static let wrongFields: [(String, JsonTree)] = [
        ("auth_method", 1), ("public_key", .null), ("client_name", []), ("permissions", "admin"),
        ("permissions", [1]), ("timestamp", "1"), ("timestamp", -1), ("timestamp", .number("1.5")),
        ("timestamp", .number("18446744073709551616")), ("provider_data", "x"), ("provider_data", []),
        ("surprise", 1),
    ]

    @Test(arguments: wrongFields)
    func aWrongOrUnknownFieldIs400(name: String, value: JsonTree) async throws {
        try await withNode { fixture in
            let answer = try await fixture.post("/auth/token", NodeFixture.loginBody().replacing(name, value))
            #expect(answer.status == 400)
            #expect(answer.error?.hasPrefix("Invalid JSON: ") == true)
            #expect(answer.json["status"] == 400)
        }
    }

    @Test func aRepeatedFieldIs400() async throws {
        try await withNode { fixture in
            let body = NodeFixture.loginBody().text.dropLast() + #","timestamp":1}"#
            let answer = try await fixture.call("POST", "/auth/token", json: String(body))
            #expect(answer.status == 400)
            #expect(answer.error == "Invalid JSON: duplicate field `timestamp`")
        }
    }

    @Test(arguments: ["auth_method", "public_key", "client_name"])
    func anEmptyFieldIs422(name: String) async throws {
        try await withNode { fixture in
            let answer = try await fixture.post("/auth/token", NodeFixture.loginBody().replacing(name, ""))
            #expect(answer.status == 422)
            #expect(answer.json["status"] == 422)
            #expect(answer.error?.hasPrefix("Validation error: ") == true)
            #expect(answer.json.names == ["error", "status"])
        }
    }

    @Test func aMissingOrWrongContentTypeIs400() async throws {
        try await withNode { fixture in
            let body = NodeFixture.loginBody().data
            for headers in [[], [("Content-Type", "text/plain")]] as [[(String, String)]] {
                let answer = try await fixture.send("POST", "/auth/token", headers: headers, body: body)
                #expect(answer.status == 400)
                #expect(answer.error?.hasPrefix("Invalid JSON: ") == true)
            }
            let charset = [("Content-Type", "Application/JSON; charset=utf-8")]
            #expect(try await fixture.send("POST", "/auth/token", headers: charset, body: body).status == 200)
        }
    }

    @Test func aBodyOverOneMebibyteIs413AsPlainText() async throws {
        try await withNode { fixture in
            func login(padding: Int) async throws -> Answer {
                let data: JsonTree = [
                    "username": "dev", "password": "dev-password",
                    "pad": .string(String(repeating: "x", count: padding)),
                ]
                return try await fixture.post("/auth/token", NodeFixture.loginBody().replacing("provider_data", data))
            }
            let frame = NodeFixture.loginBody().data.count + #","pad":"""#.utf8.count
            #expect(try await login(padding: (1 << 20) - frame).status == 200)
            let answer = try await login(padding: (1 << 20) - frame + 1)
            #expect(answer.status == 413)
            #expect(answer.headers["content-type"]?.hasPrefix("text/plain") == true)
            #expect(answer.json == .null)
        }
    }

    @Test(arguments: [
        ("auth_method", "!!!", "Authentication method must contain valid characters"),
        ("public_key", "\u{e9}\u{1f600}", "Public key cannot be empty after sanitization"),
        ("client_name", "\u{e9}", "Client name cannot be empty after sanitization"),
    ])
    func whatIsEmptyAfterFilteringIs400(name: String, value: String, text: String) async throws {
        try await withNode { fixture in
            let answer = try await fixture.post(
                "/auth/token", NodeFixture.loginBody().replacing(name, .string(value)))
            #expect(answer.status == 400)
            #expect(answer.json == ["data": .null, "error": .string(text)])
            #expect(answer.authError == nil)
        }
    }

    @Test func filteringKeepsTheRest() async throws {
        try await withNode { fixture in
            let body = NodeFixture.loginBody(method: "user password?".replacingOccurrences(of: " ", with: "_"))
                .replacing("client_name", "caf\u{e9} app")
            let answer = try await fixture.post("/auth/token", body)
            #expect(answer.status == 200)
            #expect(claims(answer.pair.accessToken)["node_url"] == "caf app")
        }
    }

    @Test func aWrongLoginIs401() async throws {
        try await withNode { fixture in
            for (username, password) in [
                ("dev", "wrong-password"), ("nobody", "dev-password"), ("DEV", "dev-password"),
            ] {
                let answer = try await fixture.login(username: username, password: password)
                #expect(answer.status == 401)
                #expect(answer.error == Self.refused)
                #expect(answer.json["data"] == .null)
                #expect(answer.authError == nil)
            }
        }
        try await withNode(.with { $0.users = [] }) { fixture in
            let answer = try await fixture.login()
            #expect(answer.error == Self.refused)
        }
    }

    @Test(arguments: ["near_wallet", "account_proof"])
    func anUnknownOrDisabledProviderIs401(method: String) async throws {
        try await withNode { fixture in
            let answer = try await fixture.post("/auth/token", NodeFixture.loginBody(method: method))
            #expect(answer.status == 401)
            #expect(
                answer.error
                    == "Authentication failed: Invalid request: Unsupported authentication method: \(method)")
        }
    }

    @Test func incompleteCredentialsAre401AndNotCounted() async throws {
        try await withNode { fixture in
            for data in [
                [:], ["username": "dev"], ["username": "dev", "password": 1], ["username": "dev", "password": ""],
            ]
                as [JsonTree]
            {
                let answer = try await fixture.post(
                    "/auth/token", NodeFixture.loginBody().replacing("provider_data", data))
                #expect(answer.status == 401)
                #expect(answer.error?.hasPrefix("Authentication failed: Invalid request: ") == true)
            }
            for _ in 0..<4 { _ = try await fixture.login(password: "wrong-password") }
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test func aNodeThatCannotCheckAnswers401AndCountsNothing() async throws {
        try await withNode { fixture in
            fixture.node.setStorageAvailable(false)
            for _ in 0..<6 {
                let answer = try await fixture.login(password: "wrong-password")
                #expect(answer.status == 401)
                #expect(answer.error?.hasPrefix("Authentication failed: Service unavailable: ") == true)
            }
            fixture.node.setStorageAvailable(true)
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test func aKeyForAnotherNodeIs401() async throws {
        try await withNode { fixture in
            let admin = fixture.node.mintTokens().accessToken
            let body: JsonTree = [
                "public_key": "k", "auth_method": "user_password",
                "provider_data": ["username": "far", "password": "far-password"],
                "target_node_url": "https://far.example:2428",
            ]
            #expect(try await fixture.post("/admin/keys", body, token: admin).status == 200)
            let refused = try await fixture.login(username: "far", password: "far-password")
            #expect(refused.status == 401)
            #expect(refused.error == "Authentication failed: Authentication failed: Key is not valid for this node")
            let answer = try await fixture.call(
                "POST", "/auth/token",
                json: NodeFixture.loginBody(username: "far", password: "far-password").text, host: "FAR.example")
            #expect(answer.status == 200)
        }
    }

    // MARK: - Throttle

    @Test func fiveRejectionsAMinuteLockThePeerAndAccount() async throws {
        try await withNode { fixture in
            fixture.node.addUser(username: "other", password: "other-password")
            for _ in 0..<5 { #expect(try await fixture.login(password: "wrong-password").status == 401) }
            for password in ["wrong-password", "dev-password"] {
                let answer = try await fixture.login(password: password)
                #expect(answer.status == 429)
                #expect(answer.error == "Too many failed login attempts; please try again later")
                #expect(answer.authError == nil)
                let wait = try #require(answer.headers["retry-after"].flatMap { Int($0) })
                #expect((1...60).contains(wait))
            }
            #expect(try await fixture.login(username: "other", password: "other-password").status == 200)
            fixture.node.clock.advance(by: 61)
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test func aSuccessResetsTheCount() async throws {
        try await withNode { fixture in
            for _ in 0..<4 { _ = try await fixture.login(password: "wrong-password") }
            #expect(try await fixture.login().status == 200)
            for _ in 0..<4 { #expect(try await fixture.login(password: "wrong-password").status == 401) }
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test func refusedAttemptsAreNotCounted() async throws {
        try await withNode { fixture in
            for _ in 0..<5 { _ = try await fixture.login(password: "wrong-password") }
            fixture.node.clock.advance(by: 30)
            for _ in 0..<5 { #expect(try await fixture.login(password: "wrong-password").status == 429) }
            fixture.node.clock.advance(by: 31)
            #expect(try await fixture.login().status == 200)
        }
    }

    // MARK: - Other public routes

    @Test func healthProvidersAndIdentity() async throws {
        try await withNode { fixture in
            let health = try await fixture.call("GET", "/auth/health")
            #expect(health.status == 200)
            #expect(health.json["error"] == .null)
            #expect(health.data?.names == ["status", "storage", "uptime_seconds"])
            #expect(health.data?["status"] == "alive")
            #expect(health.data?["storage"] == true)
            #expect(health.data?["uptime_seconds"]?.integer(Int.self) != nil)
            fixture.node.setStorageAvailable(false)
            let dead = try await fixture.call("GET", "/auth/health")
            #expect(dead.status == 200)
            #expect(dead.data?["status"] == "not_alive")
            #expect(dead.data?["storage"] == false)
            fixture.node.setStorageAvailable(true)

            let providers = try await fixture.call("GET", "/auth/providers")
            #expect(
                providers.json == [
                    "data": [
                        "providers": [
                            [
                                "name": "user_password", "type": "credentials",
                                "description": "Authenticates users with username and password credentials",
                                "configured": true,
                                "config": ["enabled": true, "description": "Username and password authentication"],
                            ]
                        ], "count": 1,
                    ], "error": .null,
                ])

            let identity = try await fixture.call(
                "GET", "/admin/identity", token: fixture.node.mintTokens(permissions: ["blob:list"]).accessToken)
            #expect(identity.status == 200)
            #expect(identity.data?.names == ["service", "version", "authentication_mode", "providers"])
            #expect(identity.data?["service"] == "calimero-auth")
            #expect(identity.data?["authentication_mode"] == "forward")
            #expect(identity.data?["providers"] == ["user_password"])
        }
        try await withNode(.with { $0.users = [] }) { fixture in
            let providers = try await fixture.call("GET", "/auth/providers")
            #expect(providers.data?["providers"]?.arrayValue?.first?["configured"] == false)
        }
    }
}
