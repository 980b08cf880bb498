import Testing

@testable import MeroDevNode

@Suite struct MockTokenTests {
    @Test func disabledItIs404() async throws {
        try await withNode { fixture in
            let answer = try await fixture.post("/auth/mock-token", ["client_name": "x"])
            #expect(answer.status == 404)
            #expect(answer.json == ["data": .null, "error": "Endpoint not found"])
        }
    }

    @Test func enabledItGivesAPair() async throws {
        try await withNode(.with { $0.mockTokens = .enabled() }) { fixture in
            let answer = try await fixture.post("/auth/mock-token", ["client_name": "x"])
            #expect(answer.status == 200)
            #expect(answer.data?.names == ["access_token", "refresh_token", "error"])
            #expect(answer.headers["x-mock-token"] == "true")
            #expect(answer.headers["x-key-id"] == claims(answer.pair.accessToken)["key_id"]?.stringValue)
            #expect(answer.headers["x-warning"]?.isEmpty == false)
            #expect(claims(answer.pair.accessToken)["permissions"] == ["admin"])
            #expect(try await fixture.call("GET", "/admin/keys", token: answer.pair.accessToken).status == 200)

            let full: JsonTree = [
                "client_name": "x", "permissions": ["blob"], "node_url": "http://127.0.0.1:1",
                "access_token_expiry": 10, "refresh_token_expiry": 20,
            ]
            let pair = try await fixture.post("/auth/mock-token", full).pair
            let access = claims(pair.accessToken)
            let issued = try #require(access["iat"]?.integer(Int64.self))
            #expect(access["permissions"] == ["blob"])
            #expect(access["node_url"] == "http://127.0.0.1:1")
            #expect(access["exp"] == JsonTree(issued + 10))
            #expect(claims(pair.refreshToken)["exp"] == JsonTree(issued + 20))
            #expect(try await fixture.post("/auth/mock-token", [:]).status == 400)
            #expect(try await fixture.post("/auth/mock-token", ["client_name": ""]).status == 422)
            #expect(try await fixture.post("/auth/mock-token", ["client_name": "x", "ttl": 1]).status == 400)
        }
    }

    @Test func itMayAskForAnAuthorizationValue() async throws {
        try await withNode(.with { $0.mockTokens = .enabled(requiredAuthorization: "Mock secret") }) { fixture in
            #expect(try await fixture.post("/auth/mock-token", ["client_name": "x"]).status == 401)
            for (value, status) in [("Mock wrong", 401), ("Mock secret", 200)] {
                let answer = try await fixture.call(
                    "POST", "/auth/mock-token", json: #"{"client_name":"x"}"#, headers: [("Authorization", value)])
                #expect(answer.status == status)
            }
        }
    }
}
