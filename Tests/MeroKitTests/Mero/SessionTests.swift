import Foundation
import Testing

@testable import MeroKit

/// The life of a session: expiry, refresh, races with other processes, terminal answers.
@Suite struct SessionTests {
    /// A node that knows one valid access token and rotates it at `/auth/refresh`.
    private final class TinyNode: Sendable {
        let valid = Locked("t1")
        let refreshes = Locked(0)
        let answerRefresh = Locked<(@Sendable (EngineRequest) async throws -> EngineResponse)?>(nil)

        func engine() -> ScriptedEngine {
            ScriptedEngine { request, _ in
                if request.url.hasSuffix("/auth/refresh") {
                    let number = self.refreshes.withLock { count in
                        count += 1
                        return count
                    }
                    if let answer = self.answerRefresh.withLock({ $0 }) { return try await answer(request) }
                    self.valid.withLock { $0 = "n\(number)" }
                    return .tokens("n\(number)", "r\(number)")
                }
                let valid = self.valid.withLock { $0 }
                return request.header("Authorization") == "Bearer \(valid)"
                    ? .status(200, [:], "1") : .status(401, ["x-auth-error": "token_expired"])
            }
        }
    }

    private func mero(
        _ engine: ScriptedEngine, store: any TokenStore = MemoryTokenStore(), token: String? = "old",
        onAuthRevoked: (@Sendable (String) async -> Void)? = nil
    ) async throws -> Mero {
        let mero = Mero(
            config: MeroConfig(
                baseURL: try #require(URL(string: "http://n.example")), tokenStore: store, onAuthRevoked: onAuthRevoked),
            engine: engine
        ) { engine }
        if let token { await mero.setTokenData(.of(token, "r-\(token)")) }
        return mero
    }

    @Test func manyExpiredCallsCauseOneRefresh() async throws {
        let node = TinyNode()
        let store = MemoryTokenStore()
        let mero = try await mero(node.engine(), store: store)
        let http = await mero.http
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 { group.addTask { try await http.get("/x") } }
            for try await value in group { #expect(value == 1) }
        }
        #expect(node.refreshes.withLock { $0 } == 1)
        #expect(store.getTokens()?.accessToken == "n1" && store.getTokens()?.refreshToken == "r1")
    }

    @Test func aLate401ForTheOldTokenRefreshesNothing() async throws {
        let node = TinyNode()
        let inner = node.engine()
        let released = Locked(false)
        let engine = ScriptedEngine { request, number in
            let answer = try await inner.perform(request)
            if request.url.hasSuffix("/slow"), request.header("Authorization") == "Bearer old" {
                while !released.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
            }
            return answer
        }
        let http = try await mero(engine).http
        async let slow: Int = http.get("/slow")
        while !engine.requests.contains(where: { $0.url.hasSuffix("/slow") }) { await Task.yield() }
        let quick: Int = try await http.get("/x")
        released.withLock { $0 = true }
        #expect(try await slow == 1 && quick == 1)
        #expect(node.refreshes.withLock { $0 } == 1)
    }

    @Test func twiceExpiredIsThrown() async throws {
        let engine = ScriptedEngine { request, _ in
            request.url.hasSuffix("/auth/refresh")
                ? .tokens("n", "r") : .status(401, ["x-auth-error": "token_expired"])
        }
        let http = try await mero(engine).http
        let error = await #expect(throws: MeroError.self) { try await http.sendVoid(HttpRequest(path: "/x")) }
        #expect(error?.httpStatus == 401)
        #expect(engine.requests.count == 3)
    }

    @Test(arguments: [(401, "token_reuse"), (403, "token_revoked"), (401, "token_revoked"), (403, "token_reuse")])
    func aTerminalAnswerEndsTheSession(status: Int, reason: String) async throws {
        let engine = ScriptedEngine { _, _ in .status(status, ["x-auth-error": reason]) }
        let store = MemoryTokenStore()
        let reasons = Locked<[String]>([])
        let mero = try await mero(engine, store: store) { reason in reasons.withLock { $0.append(reason) } }
        let http = await mero.http
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        try await http.sendVoid(HttpRequest(path: "/x"))
                        Issue.record("an answer that ends the session must be thrown")
                    } catch MeroError.authRevoked(let seen, let http) {
                        #expect(seen == reason && http.status == status)
                    } catch { Issue.record("\(error)") }
                }
            }
        }
        #expect(await !mero.isAuthenticated)
        #expect(store.getTokens() == nil)
        #expect(engine.requests.count == 20)
        #expect(reasons.withLock { $0 } == [reason])
    }

    @Test func aTerminalAnswerForAnOldTokenSparesTheNewSession() async throws {
        let mero = Locked<Mero?>(nil)
        let engine = ScriptedEngine { _, _ in
            await mero.withLock { $0 }?.setTokenData(.of("newer", "r-newer"))
            return .status(403, ["x-auth-error": "token_revoked"])
        }
        let store = MemoryTokenStore()
        let client = try await self.mero(engine, store: store)
        mero.withLock { $0 = client }
        let http = await client.http
        let error = await #expect(throws: MeroError.self) { try await http.sendVoid(HttpRequest(path: "/x")) }
        guard case .authRevoked = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(store.getTokens()?.accessToken == "newer")
        #expect(await client.currentTokenData()?.accessToken == "newer")
    }

    @Test func aRefreshAnsweredTokenReuseEndsTheSession() async throws {
        let node = TinyNode()
        node.answerRefresh.withLock { $0 = { _ in .status(401, ["x-auth-error": "token_reuse"]) } }
        let reasons = Locked<[String]>([])
        let store = MemoryTokenStore()
        let mero = try await mero(node.engine(), store: store) { reason in reasons.withLock { $0.append(reason) } }
        let http = await mero.http
        let error = await #expect(throws: MeroError.self) { try await http.sendVoid(HttpRequest(path: "/x")) }
        guard case .authRevoked("token_reuse", _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(store.getTokens() == nil && node.refreshes.withLock { $0 } == 1)
        #expect(reasons.withLock { $0 } == ["token_reuse"])
    }

    @Test func aRefreshLostToAnotherProcessAdoptsItsBundle() async throws {
        let node = TinyNode()
        let store = MemoryTokenStore()
        node.answerRefresh.withLock {
            $0 = { _ in
                store.setTokens(.of("winner", "r-winner"))
                node.valid.withLock { $0 = "winner" }
                return .status(401, ["x-auth-error": "token_reuse"])
            }
        }
        let mero = try await mero(node.engine(), store: store)
        let value: Int = try await mero.http.get("/x")
        #expect(value == 1)
        #expect(store.getTokens()?.accessToken == "winner")
        #expect(await mero.currentTokenData()?.refreshToken == "r-winner")
    }

    @Test func aStoreRotatedElsewhereNeedsNoRefresh() async throws {
        let node = TinyNode()
        let store = MemoryTokenStore()
        let mero = try await mero(node.engine(), store: store)
        store.setTokens(.of("t1", "r-t1"))
        let value: Int = try await mero.http.get("/x")
        #expect(value == 1 && node.refreshes.withLock { $0 } == 0)
    }

    @Test func anEmptyStoreDoesNotEndTheSession() async throws {
        let node = TinyNode()
        let store = MemoryTokenStore()
        let mero = try await mero(node.engine(), store: store)
        store.clear()
        let value: Int = try await mero.http.get("/x")
        #expect(value == 1 && store.getTokens()?.accessToken == "n1")
    }

    @Test func aFailedRefreshKeepsTheBundle() async throws {
        for answer: @Sendable (EngineRequest) async throws -> EngineResponse in [
            { _ in .status(500) },
            { _ in throw EngineError(kind: .timedOut, mayHaveReachedNode: true, message: "too slow") },
        ] {
            let node = TinyNode()
            node.answerRefresh.withLock { $0 = answer }
            let store = MemoryTokenStore()
            let http = try await mero(node.engine(), store: store).http
            let error = await #expect(throws: MeroError.self) { try await http.sendVoid(HttpRequest(path: "/x")) }
            guard case .authenticationFailed(let text) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(text.hasPrefix("Token refresh failed: "))
            #expect(node.refreshes.withLock { $0 } == 1 && store.getTokens()?.accessToken == "old")
        }
    }

    @Test func withoutARefreshTokenThereIsNoRefresh() async throws {
        let node = TinyNode()
        let mero = try await mero(node.engine(), token: nil)
        await mero.setTokenData(.of("old", ""))
        let http = await mero.http
        let error = await #expect(throws: MeroError.self) { try await http.sendVoid(HttpRequest(path: "/x")) }
        guard case .noRefreshToken = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(node.refreshes.withLock { $0 } == 0)
    }

    @Test func a401WithoutAReasonChangesNothing() async throws {
        let engine = ScriptedEngine { _, _ in .status(401) }
        let mero = try await mero(engine)
        let http = await mero.http
        let error = await #expect(throws: MeroError.self) { try await http.sendVoid(HttpRequest(path: "/x")) }
        #expect(error?.httpStatus == 401 && engine.requests.count == 1)
        #expect(await mero.isAuthenticated)
    }

    @Test func aSessionDroppedDuringARefreshStaysDropped() async throws {
        let node = TinyNode()
        let mero = Locked<Mero?>(nil)
        let store = MemoryTokenStore()
        node.answerRefresh.withLock {
            $0 = { _ in
                await mero.withLock { $0 }?.clearToken()
                return .tokens("late", "r-late")
            }
        }
        let client = try await self.mero(node.engine(), store: store)
        mero.withLock { $0 = client }
        let http = await client.http
        let error = await #expect(throws: MeroError.self) { try await http.sendVoid(HttpRequest(path: "/x")) }
        #expect(error?.httpStatus == 401)
        #expect(store.getTokens() == nil)
        #expect(await !client.isAuthenticated)
    }

    @Test func aLoginDuringARefreshWins() async throws {
        let node = TinyNode()
        let mero = Locked<Mero?>(nil)
        let store = MemoryTokenStore()
        node.answerRefresh.withLock {
            $0 = { _ in
                node.valid.withLock { $0 = "fresh" }
                await mero.withLock { $0 }?.setTokenData(.of("fresh", "r-fresh"))
                return .tokens("late", "r-late")
            }
        }
        let client = try await self.mero(node.engine(), store: store)
        mero.withLock { $0 = client }
        let value: Int = try await client.http.get("/x")
        #expect(value == 1 && store.getTokens()?.accessToken == "fresh")
    }

    @Test func cancellingOneWaiterSparesTheOthers() async throws {
        let node = TinyNode()
        let released = Locked(false)
        node.answerRefresh.withLock {
            $0 = { _ in
                while !released.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
                node.valid.withLock { $0 = "n" }
                return .tokens("n", "r")
            }
        }
        let http = try await mero(node.engine()).http
        let calls = (0..<8).map { _ in Task { try await http.sendVoid(HttpRequest(path: "/x")) } }
        while node.refreshes.withLock({ $0 }) == 0 { await Task.yield() }
        calls[0].cancel()
        calls[5].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        await #expect(throws: CancellationError.self) { try await calls[5].value }
        released.withLock { $0 = true }
        for index in [1, 2, 3, 4, 6, 7] { try await calls[index].value }
        #expect(node.refreshes.withLock { $0 } == 1)
    }

    @Test func validatingAForeignTokenLeavesTheSessionAlone() async throws {
        for headers in [["x-auth-error": "token_expired"], ["x-auth-error": "token_revoked"]] {
            let engine = ScriptedEngine { _, _ in
                .status(headers["x-auth-error"] == "token_expired" ? 401 : 403, headers)
            }
            let mero = try await mero(engine)
            let validation = await mero.auth.validateToken("foreign")
            #expect(!validation.valid && validation.status == 401 && validation.headers.isEmpty)
            #expect(await mero.isAuthenticated)
            #expect(engine.requests.count == 1 && engine.requests[0].header("Authorization") == "Bearer foreign")
        }
    }

    @Test func aForeignHostCannotEndTheSession() async throws {
        let engine = ScriptedEngine { _, _ in .status(403, ["x-auth-error": "token_revoked"]) }
        let mero = try await mero(engine)
        let http = await mero.http
        await #expect(throws: MeroError.self) { try await http.sendVoid(HttpRequest(path: "http://evil.example/x")) }
        #expect(await mero.isAuthenticated)
        #expect(engine.requests[0].header("Authorization") == nil)
    }

    @Test func logoutAlwaysEndsTheSession() async throws {
        for status in [200, 401, 404, 500, 0] {
            let engine = ScriptedEngine { request, _ in
                if status == 0 { throw EngineError(kind: .unreachable, mayHaveReachedNode: false, message: "gone") }
                return .status(status, [:], #"{"data":{"success":true},"error":null}"#)
            }
            let store = MemoryTokenStore()
            let mero = try await mero(engine, store: store)
            await mero.logout()
            #expect(await !mero.isAuthenticated)
            #expect(store.getTokens() == nil)
            #expect(engine.requests.count == 1 && engine.requests[0].sendAtMostOnce)
            guard case .bytes(let body) = engine.requests[0].body else { return #expect(Bool(false)) }
            #expect(String(decoding: body, as: UTF8.self) == #"{"refresh_token":"r-old"}"#)
        }
    }

    @Test func authenticateSendsExactlyTheLogin() async throws {
        let engine = ScriptedEngine { _, _ in .tokens("a", "r") }
        let mero = try await mero(engine, token: nil)
        try await mero.authenticate(Credentials(username: "alice", password: "s3cr3t"))
        guard case .bytes(let body) = engine.requests[0].body else { return #expect(Bool(false)) }
        let sent = try MeroJSON.decode([String: JSONValue].self, from: body)
        #expect(
            Set(sent.keys) == ["auth_method", "public_key", "client_name", "permissions", "timestamp", "provider_data"])
        #expect(sent["auth_method"] == "user_password" && sent["public_key"] == "alice")
        #expect(sent["client_name"] == "mero-swift-sdk" && sent["permissions"] == ["admin"])
        #expect(sent["provider_data"] == ["username": "alice", "password": "s3cr3t"])
        #expect(abs((sent["timestamp"]?.doubleValue ?? 0) - Date().timeIntervalSince1970) < 60)
        #expect(await mero.currentTokenData()?.refreshToken == "r")
        try await mero.authenticate(Credentials(username: "ü", password: "p"))
        guard case .bytes(let second) = engine.requests[1].body else { return #expect(Bool(false)) }
        #expect(try MeroJSON.decode(JSONValue.self, from: second)["public_key"] == "user")
    }

    @Test func aFailedLoginLeavesTheSessionAlone() async throws {
        let engine = ScriptedEngine { _, _ in .status(401) }
        let mero = try await mero(engine)
        let error = await #expect(throws: MeroError.self) {
            try await mero.authenticate(Credentials(username: "a", password: "b"))
        }
        #expect(error?.localizedDescription == "Authentication failed: HTTP 401 Unauthorized")
        #expect(await mero.currentTokenData()?.accessToken == "old")
        let none = await #expect(throws: MeroError.self) { try await mero.authenticate() }
        guard case .noCredentials = none else { return #expect(Bool(false), "\(String(describing: none))") }
    }

    @Test func aThrottledLoginIsNotRepeated() async throws {
        let engine = ScriptedEngine { _, _ in .status(429, ["retry-after": "1"]) }
        let mero = try await mero(engine, token: nil)
        await #expect(throws: MeroError.self) { try await mero.authenticate(Credentials(username: "a", password: "b")) }
        #expect(engine.requests.count == 1)
    }

    @Test func anotherLoginAfterARefreshRefreshesAgain() async throws {
        let node = TinyNode()
        let mero = try await mero(node.engine())
        let _: Int = try await mero.http.get("/x")
        await mero.setTokenData(.of("second", "r-second"))
        let value: Int = try await mero.http.get("/x")
        #expect(value == 1 && node.refreshes.withLock { $0 } == 2)
    }

    @Test func takesTheExpiryFromTheToken() async throws {
        let token = "h." + Base64URL.encode(Array(#"{"exp":1800000000}"#.utf8)) + ".s"
        let mero = try await mero(ScriptedEngine { _, _ in .status(200) }, token: nil)
        await mero.setTokenData(
            TokenData(accessToken: token, refreshToken: "r", expiresAt: Date(timeIntervalSince1970: 0)))
        #expect(await mero.currentTokenData()?.expiresAt == Date(timeIntervalSince1970: 1_800_000_000))
        let result = try #require(Mero.parseAuthCallback("x://cb#access_token=\(token)&refresh_token=r2"))
        await mero.setTokenData(from: result)
        #expect(await mero.currentTokenData()?.expiresAt == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(await mero.currentTokenData()?.refreshToken == "r2")
    }
}

extension EngineResponse {
    fileprivate static func tokens(_ access: String, _ refresh: String) -> EngineResponse {
        .status(
            200, [:],
            #"{"data":{"access_token":"\#(access)","refresh_token":"\#(refresh)","error":null},"error":null}"#)
    }
}

extension TokenData {
    fileprivate static func of(_ access: String, _ refresh: String) -> TokenData {
        TokenData(accessToken: access, refreshToken: refresh, expiresAt: Date(timeIntervalSinceNow: 3600))
    }
}
