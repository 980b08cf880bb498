import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// The whole way, from `Mero` to a node and back, over every engine.
@Suite struct NodePathTests {
    @Test(arguments: EngineUnderTest.allCases)
    func signsInWritesAndReads(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine, signedIn: false)
        try await fixture.mero.authenticate()
        let rpc = await fixture.mero.rpc
        let context = fixture.keyValue
        let _: Empty = try await rpc.execute(
            contextId: context, method: "set", argsJson: ["key": "a", "value": "blue"])
        let value: String? = try await rpc.execute(contextId: context, method: "get", argsJson: ["key": "a"])
        let none: String? = try await rpc.execute(contextId: context, method: "get", argsJson: ["key": "b"])
        let entries: [String: String] = try await rpc.execute(contextId: context, method: "entries")
        let count: Int = try await rpc.execute(contextId: context, method: "len")
        #expect(value == "blue" && none == nil && entries == ["a": "blue"] && count == 1)
        let missing = await meroError {
            let _: String = try await rpc.execute(contextId: context, method: "get_result", argsJson: ["key": "b"])
        }
        #expect(missing?.errorType == "FunctionCallError")
        let panic = await meroError {
            let _: String = try await rpc.execute(contextId: context, method: "get_unchecked", argsJson: ["key": "b"])
        }
        guard case .rpc(let error) = panic else { return #expect(Bool(false), "\(String(describing: panic))") }
        #expect(error.data?.stringValue?.hasPrefix("panicked") == true && error.code == -1)
        let request = try #require(fixture.node.requests.last)
        #expect(
            request.headers["accept"] == "application/json" && request.headers["content-type"] == "application/json")
        #expect(request.query.isEmpty && request.headers["authorization"]?.hasPrefix("Bearer ey") == true)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func sixtyFourBitsSurviveBothWays(engine: EngineUnderTest) async throws {
        struct Amounts: Codable, Equatable, Sendable {
            var most = UInt64.max
            var least = Int64.min
            var nested = [[9_007_199_254_740_993]]
        }
        let fixture = try await NodeFixture.start(engine)
        let rpc = await fixture.mero.rpc
        let echoed: Amounts = try await rpc.execute(contextId: fixture.probe, method: "echo", argsJson: Amounts())
        #expect(echoed == Amounts())
        let text = #"{"huge":123456789012345678901234567890,"u":18446744073709551615,"f":1.10}"#
        let raw: RawJSON = try await rpc.execute(contextId: fixture.probe, method: "echo", argsJson: RawJSON(text))
        #expect(raw.text == text)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func namesWhatTheNodeNames(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let rpc = await fixture.mero.rpc
        let cases: [(DevContextCondition, String)] = [
            (.unauthorized, "Unauthorized"), (.uninitialized, "Uninitialized"),
            (.applicationNotInstalled, "ApplicationNotInstalled"), (.internalError(kind: "runtime"), "InternalError"),
            (.internalErrorBare, "InternalError"), (.groupKeyPending, "GroupKeyPending"),
            (.xcallNotPermitted, "XCallNotPermitted"), (.serdeError("bad"), "SerdeError"),
            (.notMember, "FunctionCallError"), (.custom(type: "BrandNew", data: nil), "BrandNew"),
        ]
        for (condition, type) in cases {
            fixture.node.setCondition(condition, context: fixture.probe)
            let error = await meroError {
                let _: JSONValue = try await rpc.execute(contextId: fixture.probe, method: "count")
            }
            guard case .rpc(let rpcError) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(rpcError.type == type && rpcError.code == -1 && !rpcError.message.isEmpty)
        }
        fixture.node.setCondition(nil, context: fixture.probe)
        fixture.node.setRole(.readOnly, context: fixture.probe)
        let refused = await meroError {
            let _: JSONValue = try await rpc.execute(contextId: fixture.probe, method: "increment")
        }
        guard case .rpc(let error) = refused else { return #expect(Bool(false), "\(String(describing: refused))") }
        #expect(error.isReadOnlyWriteRefused && error.refusedContextId == fixture.probe)
        let unknown = await meroError {
            let _: JSONValue = try await rpc.execute(contextId: String(repeating: "0", count: 64), method: "m")
        }
        #expect(unknown?.errorType == "ContextNotFound")
        let named = await meroError {
            let _: JSONValue = try await rpc.execute(
                contextId: fixture.probe, method: "count", argsJson: [:], executorPublicKey: "k")
        }
        guard case .rpc(let parse) = named else { return #expect(Bool(false), "\(String(describing: named))") }
        #expect(parse.type == "ParseError" && parse.message.contains("executorPublicKey"))
        // One request each: an error inside the answer is never retried and refreshes nothing.
        #expect(fixture.node.requestCount("POST", "/jsonrpc") == cases.count + 3)
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 0)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aThousandCallsOnAnExpiredTokenRefreshOnce(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let before = fixture.store.getTokens()
        fixture.node.expireAccessTokens()
        let rpc = await fixture.mero.rpc
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    let _: UInt64 = try await rpc.execute(contextId: fixture.probe, method: "increment")
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 1)
        let count: Int = try await rpc.execute(contextId: fixture.probe, method: "count")
        #expect(count == 1_000)
        #expect(fixture.store.getTokens()?.refreshToken != before?.refreshToken)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aRevokedFamilyEndsTheSession(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        fixture.node.revokeFamilies()
        let rpc = await fixture.mero.rpc
        let error = await meroError { let _: Int = try await rpc.execute(contextId: fixture.probe, method: "count") }
        guard case .authRevoked("token_revoked", let http) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(http.status == 403 && http.bodyText == nil)
        #expect(await !fixture.mero.isAuthenticated)
        #expect(fixture.store.getTokens() == nil)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aReplayedRefreshTokenEndsTheSession(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let old = try #require(fixture.store.getTokens())
        fixture.node.expireAccessTokens()
        let rpc = await fixture.mero.rpc
        let _: Int = try await rpc.execute(contextId: fixture.probe, method: "count")
        await fixture.mero.setTokenData(old)
        let error = await meroError { let _: Int = try await rpc.execute(contextId: fixture.probe, method: "count") }
        guard case .authRevoked("token_reuse", _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(await !fixture.mero.isAuthenticated)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aLostRefreshIsSentOnceAndKeepsTheBundle(engine: EngineUnderTest) async throws {
        for fault in [DevFault.status(500), .cutAfterHandler] {
            let fixture = try await NodeFixture.start(engine, timeout: 30)
            fixture.node.inject(fault, on: "POST /auth/refresh", times: nil)
            fixture.node.expireAccessTokens()
            let rpc = await fixture.mero.rpc
            let error = await meroError {
                let _: Int = try await rpc.execute(contextId: fixture.probe, method: "count")
            }
            guard case .authenticationFailed(let text) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(text.hasPrefix("Token refresh failed: "))
            #expect(fixture.node.requestCount("POST", "/auth/refresh") == 1)
            #expect(await fixture.mero.isAuthenticated)
            await fixture.stop()
        }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func sharedStoresFollowEachOther(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let calls = try engine.make()
        let second = Mero(config: MeroConfig(baseURL: fixture.node.url, tokenStore: fixture.store), engine: calls) {
            calls
        }
        #expect(await second.isAuthenticated)
        fixture.node.expireAccessTokens()
        let _: Int = try await fixture.mero.rpc.execute(contextId: fixture.probe, method: "count")
        let _: Int = try await second.rpc.execute(contextId: fixture.probe, method: "count")
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 1)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func logoutRetiresTheRefreshToken(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let old = try #require(fixture.store.getTokens())
        await fixture.mero.logout()
        #expect(await !fixture.mero.isAuthenticated)
        #expect(fixture.node.requests.map(\.path) == ["/auth/logout"])
        fixture.node.expireAccessTokens()
        let error = await meroError {
            _ = try await fixture.mero.auth.refreshToken(
                RefreshTokenRequest(accessToken: old.accessToken, refreshToken: old.refreshToken))
        }
        #expect(error?.httpStatus == 401)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func logoutOfANodeThatIsGoneStillForgets(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine, timeout: 5)
        try await fixture.node.refuseConnections(true)
        await fixture.mero.logout()
        #expect(fixture.store.getTokens() == nil)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aRejectedPasswordSaysSo(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine, signedIn: false)
        let error = await meroError {
            try await fixture.mero.authenticate(Credentials(username: "dev", password: "wrong"))
        }
        #expect(error?.localizedDescription == "Authentication failed: HTTP 401 Unauthorized")
        #expect(fixture.node.requestCount("POST", "/auth/token") == 1)
        for name in ["ünïcode", "dev\u{1F600}"] {
            fixture.node.addUser(username: name, password: "long-enough")
            try await fixture.mero.authenticate(Credentials(username: name, password: "long-enough"))
        }
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aNodeBelowAPrefix(engine: EngineUnderTest) async throws {
        var options = DevNodeOptions()
        options.pathPrefix = "/node1"
        let node = try await DevNode.start(options)
        let context = try node.createContext(ProbeContract())
        for suffix in ["/node1", "/node1/"] {
            let url = try #require(URL(string: node.url.absoluteString + suffix))
            let calls = try engine.make()
            let mero = Mero(config: MeroConfig(baseURL: url), engine: calls) { calls }
            try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
            let count: Int = try await mero.rpc.execute(contextId: context, method: "count")
            #expect(count == 0)
            #expect(await NodeDiscovery.probeHealth(url))
        }
        await node.stop()
    }
}
