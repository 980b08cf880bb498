import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct AccountLoginTests {
    private static let prefix = "Authentication failed: Authentication failed: "
    private static let own: Set<String> = [
        "context:intent", "context:list-own", "context:query", "context:subscribe", "namespace:list-own",
    ]

    @Test func anAccountGetsItsOwnScope() async throws {
        try await withRelay { relay async throws in
            let answer = try await relay.login()
            #expect(answer.status == 200, "\(answer.text)")
            let token = claims(answer.pair.accessToken)
            #expect(token["sub"] == .string(relay.ada.accountId))
            #expect(token["device"] == .string(relay.ada.deviceId))
            #expect(Set(token["permissions"]?.strings ?? []) == Self.own)
            #expect(token["node_url"] == "http://127.0.0.1")
            let validated = try await relay.fixture.call("HEAD", "/auth/validate", token: answer.pair.accessToken)
            #expect(validated.headers["x-auth-account"] == relay.ada.accountId)
            #expect(validated.headers["x-auth-device"] == relay.ada.deviceId)
            #expect(validated.headers["x-auth-user"] == relay.ada.accountId)
            let providers = try await relay.fixture.call("GET", "/auth/providers").data?["providers"]?.arrayValue
            #expect(providers?.last?["name"] == "account_proof")
        }
    }

    @Test func theSessionIsNoOwners() async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let token = try await relay.session()
            let execute = try await relay.fixture.execute(relay.context, "get", ["key": "k"], token: token)
            #expect(execute.status == 403 && execute.authError == "permission_denied")
            for (method, path) in [
                ("GET", "/admin-api/identity"), ("GET", "/admin-api/peers"), ("GET", "/admin-api/usage"),
            ] {
                #expect(try await relay.fixture.call(method, path, token: token).status == 403, "\(path)")
            }
            #expect(try await relay.fixture.call("GET", "/admin/keys", token: token).status == 403)
            #expect(try await relay.fixture.call("GET", "/sse", token: "x").status == 401)
        }
    }

    @Test func aSessionIsRefreshedAndEnds() async throws {
        try await withRelay { relay async throws in
            let pair = try await relay.login().pair
            relay.node.clock.advance(by: 3_700)
            let next = try await relay.fixture.refresh(pair)
            #expect(next.status == 200, "\(next.text)")
            #expect(claims(next.pair.accessToken)["sub"] == .string(relay.ada.accountId))
            #expect(Set(claims(next.pair.accessToken)["permissions"]?.strings ?? []) == Self.own)
            let out = try await relay.fixture.post(
                "/auth/logout", ["refresh_token": .string(next.pair.refreshToken)])
            #expect(out.status == 200)
            relay.node.clock.advance(by: 3_700)
            #expect(try await relay.fixture.refresh(next.pair).status == 401)
        }
    }

    /// What is signed otherwise, and the node's word for it.
    @Test(arguments: [
        ("challenge", "login statement does not cover the challenge it was sent with"),
        ("node", "login statement is addressed to another node"),
        ("sessionKey", "login statement authorizes a different session key than the one requested"),
        ("expired", "login statement has expired"), ("now", "login statement has expired"),
    ])
    func theStatementHasToFit(field: String, text: String) async throws {
        try await withRelay { relay async throws in
            let answer = try await relay.login { login in
                switch field {
                case "challenge": login.challenge = String(repeating: "1", count: 64)
                case "node": login.node = relay.node.accountId
                case "sessionKey": login.sessionKey = relay.ada.keys.signPublicKey
                case "expired": login.expiresAt = relay.now - 1
                default: login.expiresAt = relay.now
                }
            }
            #expect(answer.status == 401)
            #expect(answer.error == Self.prefix + text)
        }
    }

    @Test func theDeviceHasToBeTheOneThatSigned() async throws {
        try await withRelay { relay async throws in
            let second = try DevAccount(root: relay.ada.root)
            let answer = try await relay.login(proof: second.credential)
            #expect(answer.status == 401)
            #expect(
                answer.error == Self.prefix
                    + "the account proof certifies a different device than the one that signed")
            for alter in ["login_statement", "account_proof", "challenge"] {
                let bad = try await relay.login(alter: { body in
                    let data = body["provider_data"] ?? .null
                    return body.replacing("provider_data", data.replacing(alter, "xy"))
                })
                #expect(bad.status == 401)
                #expect(bad.error?.contains("is not valid hex") == true, "\(bad.text)")
            }
            let key = try await relay.login(alter: { $0.replacing("public_key", "dev") })
            #expect(key.error == Self.prefix + "session key is not a valid public key: dev")
        }
    }

    @Test func onlyASuccessSpendsAChallenge() async throws {
        try await withRelay { relay async throws in
            let challenge = try await relay.challenge()
            func attempt(_ node: String) async throws -> Answer {
                try await relay.login(
                    { login in
                        login.challenge = challenge
                        login.node = node
                    },
                    alter: { body in
                        let data = body["provider_data"] ?? .null
                        return body.replacing("provider_data", data.replacing("challenge", .string(challenge)))
                    })
            }
            #expect(try await attempt(relay.node.accountId).status == 401)
            #expect(try await attempt(relay.node.nodeKey).status == 200)
            #expect(try await attempt(relay.node.nodeKey).error == Self.prefix + "challenge has already been used")
        }
    }

    @Test func everyByteOfWhatIsShownCounts() async throws {
        try await withRelay(.relay { $0.challengeLifetime = 3_600 }) { relay async throws in
            for (name, count) in [("login_statement", 32 + 1 + 32 + 32 + 32 + 8 + 8 + 64), ("account_proof", 237)] {
                for index in 0..<count {
                    // The time of signing is signed, but nothing else asks for it.
                    let answer = try await relay.login(alter: { body in
                        let data = body["provider_data"] ?? .null
                        let text = data[name]?.stringValue ?? ""
                        #expect(text.count == 2 * count)
                        return body.replacing(
                            "provider_data", data.replacing(name, .string(flipped(text, at: index))))
                    })
                    #expect(answer.status == 401, "\(name) \(index)")
                }
            }
            #expect(try await relay.login().status == 200)
        }
    }

    @Test func audiencesMayBeLimited() async throws {
        try await withRelay(.relay { $0.relay.allowedAudiences = ["codesign:app.example", "https://app.example"] }) {
            relay async throws in
            let cli = try await relay.login()
            #expect(cli.error == Self.prefix + "audience cli is not accepted by this node")
            for audience in [LoginAudience.codeSigningId("app.example"), .webOrigin("https://app.example")] {
                #expect(try await relay.login { $0.audience = audience }.status == 200)
            }
            let other = try await relay.login { $0.audience = .webOrigin("https://app.example/") }
            #expect(other.status == 401)
        }
    }

    @Test func aRevokedAccountStaysOut() async throws {
        try await withRelay { relay async throws in
            let token = try await relay.session()
            let owner = try await relay.fixture.login().pair.accessToken
            let keys = try await relay.fixture.call("GET", "/admin/keys", token: owner).data?.arrayValue ?? []
            let own = try #require(keys.first { $0["auth_method"] != "user_password" }?["key_id"]?.stringValue)
            #expect(try await relay.fixture.call("DELETE", "/admin/keys/\(own)", token: owner).status == 200)
            let answer = try await relay.query(token: token)
            #expect(answer.status == 403 && answer.authError == "token_revoked")
            #expect(try await relay.login().error == Self.prefix + "this account's key has been revoked on this node")
            // Another account is another key.
            #expect(try await relay.login(as: DevAccount()).status == 200)
        }
    }

    @Test func theLastOwnerKeyIsNoAccounts() async throws {
        try await withRelay { relay async throws in
            _ = try await relay.session()
            let owner = try await relay.fixture.login().pair.accessToken
            let keys = try await relay.fixture.call("GET", "/admin/keys", token: owner).data?.arrayValue ?? []
            let own = keys.first { $0["auth_method"] == "user_password" }?["key_id"]?.stringValue ?? ""
            let answer = try await relay.fixture.call("DELETE", "/admin/keys/\(own)", token: owner)
            #expect(answer.data?["status"] == false)
        }
    }
}
