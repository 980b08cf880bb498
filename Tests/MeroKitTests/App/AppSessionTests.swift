import Foundation
import MeroDevNode
import MeroKitTestSupport
import Testing

@testable import MeroKit

/// An app's sign-in to a node, over real HTTP.
@Suite struct AppSessionTests {
    /// An app whose stores the test can look into.
    struct App {
        let session: AppSession
        let tokens: MemoryTokenStore
        let memory: AnyValueStore<AppMemory>

        init(
            tokens: MemoryTokenStore = MemoryTokenStore(), memory: AnyValueStore<AppMemory> = .memory(),
            allowed: [String] = []
        ) {
            self.tokens = tokens
            self.memory = memory
            session = AppSession(
                AppSession.Setup(
                    tokenStore: { tokens }, memory: memory, allowedNodeURLs: allowed, suspensionDelay: 0))
        }

        func login(_ node: DevNode, password: String = "dev-password") async {
            await session.login(nodeURL: node.url.absoluteString, username: "dev", password: password)
        }
    }

    private func withNode(
        _ options: DevNodeOptions = DevNodeOptions(), _ body: (DevNode) async throws -> Void
    ) async throws {
        let node = try await DevNode.start(options)
        do {
            try await body(node)
            await node.stop()
        } catch {
            await node.stop()
            throw error
        }
    }

    @Test func signsInAndOut() async throws {
        try await withNode { node in
            let app = App()
            #expect(await app.session.state.phase == .restoring)
            await app.login(node)
            let state = await app.session.state
            #expect(state.phase == .signedIn && state.username == "dev" && state.errorMessage == nil)
            #expect(state.nodeURL == node.url.absoluteString && !state.isBusy)
            #expect(app.tokens.getTokens() != nil)
            await app.session.logout()
            let after = await app.session.state
            #expect(after.phase == .signedOut && after.username.isEmpty && after.nodeURL.isEmpty)
            #expect(app.tokens.getTokens() == nil && app.memory.load() == nil)
            #expect(await app.session.mero == nil)
            #expect(node.requestCount("POST", "/auth/logout") == 1)
        }
    }

    @Test func badInputIsToldAndNothingIsSent() async throws {
        try await withNode { node in
            let app = App()
            for url in ["", "nonsense", "ftp://127.0.0.1", "http://"] {
                await app.session.login(nodeURL: url, username: "dev", password: "dev-password")
                #expect(await app.session.state.failure == .invalidNodeURL)
            }
            await app.session.login(nodeURL: node.url.absoluteString, username: "", password: "x")
            let state = await app.session.state
            #expect(state.errorMessage == "Username and password are required." && state.phase == .signedOut)
            #expect(node.requests.isEmpty)
        }
    }

    @Test func aRefusedLoginChangesNothing() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node, password: "wrong-password")
            #expect(await app.session.state.phase == .signedOut)
            #expect(await app.session.state.failure == .authenticationFailed)
            await app.login(node)
            let tokens = app.tokens.getTokens()
            await app.login(node, password: "wrong-password")
            #expect(await app.session.state.phase == .signedIn && app.tokens.getTokens() == tokens)
        }
    }

    @Test func observersSeeTheStateAndItsChanges() async throws {
        try await withNode { node in
            let app = App()
            let states = await app.session.states()
            let login = Task { await app.login(node) }
            var seen: [AppState] = []
            for await state in states {
                seen.append(state)
                if state.phase == .signedIn { break }
            }
            await login.value
            #expect(seen.map(\.phase) == [.restoring, .restoring, .signedIn])
            #expect(seen.map(\.isBusy) == [false, true, false])
        }
    }

    @Test func anotherLoginEndsTheSessionBefore() async throws {
        try await withNode { node in
            node.addUser(username: "eve", password: "eve-password")
            let app = App()
            await app.login(node)
            let first = app.tokens.getTokens()
            await app.session.login(nodeURL: node.url.absoluteString, username: "eve", password: "eve-password")
            #expect(await app.session.state.username == "eve")
            #expect(app.tokens.getTokens() != nil && app.tokens.getTokens() != first)
            #expect(node.requestCount("POST", "/auth/logout") == 1)
            let mero = try #require(await app.session.mero)
            #expect(try await mero.admin.getContexts().contexts.isEmpty)
        }
    }

    // MARK: - Restoring

    @Test func aStoredSessionIsShownBeforeAnythingIsSent() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node)
            await app.session.select(AppSelection(contextId: "c", contextIdentity: "i", applicationId: "a"))
            node.clearRequests()
            let again = App(tokens: app.tokens, memory: app.memory)
            #expect(await again.session.state.selection.contextId == "c")
            let states = await again.session.states()
            let restoring = Task { await again.session.restore() }
            var phases: [AppState.Phase] = []
            for await state in states {
                if phases.last != state.phase { phases.append(state.phase) }
                if state.phase == .signedIn { break }
            }
            #expect(phases == [.restoring, .signedIn], "the sign-in never shows")
            #expect(await restoring.value)
            #expect(await again.session.state.username == "dev")
            #expect(node.requestCount("GET", "/auth/validate") == 1 && node.requestCount("GET", "/admin-api/*") == 0)
        }
    }

    @Test func nothingStoredIsSignedOut() async {
        let app = App()
        #expect(await !app.session.restore())
        #expect(await app.session.state.phase == .signedOut)
    }

    @Test func anExpiredTokenIsRefreshedOnceWhenTheAppStarts() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node)
            node.expireAccessTokens()
            let context = try node.createContext(ProbeContract())
            let again = App(tokens: app.tokens, memory: app.memory)
            // The restore's look and the first requests meet the expired token at the same time.
            async let restored = again.session.restore()
            _ = await comesTrue { await again.session.mero != nil }
            let mero = try #require(await again.session.mero)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try? await mero.admin.getContext(context) } }
            }
            #expect(await restored)
            #expect(await again.session.state.phase == .signedIn)
            #expect(node.requestCount("POST", "/auth/refresh") == 1)
        }
    }

    @Test func aDeadFamilyIsASessionLost() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node)
            node.revokeFamilies()
            let again = App(tokens: app.tokens, memory: app.memory)
            #expect(await !again.session.restore())
            let state = await again.session.state
            #expect(state.phase == .sessionLost && state.failure == .sessionRevoked && !state.isAuthenticated)
            #expect(app.tokens.getTokens() == nil)
            await again.login(node)
            #expect(await again.session.state.phase == .signedIn)
        }
    }

    @Test func aNodeOutOfReachKeepsTheSession() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node)
            node.expireAccessTokens()
            try await node.refuseConnections(true)
            let again = App(tokens: app.tokens, memory: app.memory)
            #expect(await again.session.restore())
            #expect(app.tokens.getTokens() != nil)
            try await node.refuseConnections(false)
            let mero = try #require(await again.session.mero)
            #expect(try await mero.admin.getContexts().contexts.isEmpty, "refreshed at the next use")
        }
    }

    @Test func aRevocationDuringACallIsASessionLost() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node)
            node.revokeFamilies()
            let mero = try #require(await app.session.mero)
            await #expect(throws: MeroError.self) { _ = try await mero.admin.getContexts() }
            #expect(await comesTrue { await app.session.state.phase == .sessionLost })
            #expect(app.tokens.getTokens() == nil)
        }
    }

    // MARK: - Logging out

    @Test func aLogoutDuringALoginWins() async throws {
        try await withNode { node in
            let app = App()
            node.inject(.delay(0.2), on: "POST /auth/token")
            let login = Task { await app.login(node) }
            #expect(await comesTrue { node.requestCount("POST", "/auth/token") == 1 })
            await app.session.logout()
            #expect(await app.session.state.phase == .signedOut)
            await login.value
            #expect(await app.session.state.phase == .signedOut && app.tokens.getTokens() == nil)
        }
    }

    @Test func aLogoutIsToldToTheNodeAlsoFromACancelledTask() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await app.session.logout()
            }
            await task.value
            #expect(await app.session.state.phase == .signedOut && app.tokens.getTokens() == nil)
            #expect(node.handlerRuns("POST", "/auth/logout") == 1)
        }
    }

    @Test func aLogoutClearsStoresThatNobodyRestored() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node)
            let again = App(tokens: app.tokens, memory: app.memory)
            await again.session.logout()
            #expect(app.tokens.getTokens() == nil && app.memory.load() == nil)
        }
    }

    @Test func aLogoutOutOfReachIsALogout() async throws {
        try await withNode { node in
            let app = App()
            await app.login(node)
            try await node.refuseConnections(true)
            await app.session.logout()
            #expect(await app.session.state.phase == .signedOut && app.tokens.getTokens() == nil)
        }
    }

    @Test func aCancelledLoginLeavesTheAppAsItWas() async throws {
        try await withNode { node in
            let app = App()
            node.inject(.stall, on: "POST /auth/token")
            let login = Task { await app.login(node) }
            #expect(await comesTrue { node.requestCount("POST", "/auth/token") == 1 })
            await app.session.cancel()
            await login.value
            let state = await app.session.state
            #expect(state.phase == .signedOut && !state.isBusy && state.failure == nil)
        }
    }

    // MARK: - The hosted login

    private func callback(_ tokens: DevTokens, node: String, context: String = "") -> String {
        let node = FormEncoding.encode(node)
        return "http://localhost:5173/cb#access_token=\(tokens.accessToken)&refresh_token=\(tokens.refreshToken)"
            + "&node_url=\(node)&context_id=\(context)"
    }

    @Test func aHostedLoginIsTakenFromTheNodeThatWasAsked() async throws {
        try await withNode { node in
            let app = App()
            let url = await app.session.beginHostedLogin(
                nodeURL: node.url.absoluteString + "/",
                options: AuthLoginOptions(callbackUrl: "http://localhost:5173/cb", mode: "login"))
            #expect(url.hasPrefix("\(node.url.absoluteString)/auth/login?callback-url="))
            let back = callback(node.mintTokens(), node: node.url.absoluteString, context: "c-1")
            // The app was ended while the page was open.
            let again = App(tokens: app.tokens, memory: app.memory)
            #expect(await again.session.handleHostedLogin(back))
            let state = await again.session.state
            #expect(state.phase == .signedIn && state.selection.contextId == "c-1")
            let mero = try #require(await again.session.mero)
            #expect(try await mero.admin.getContexts().contexts.isEmpty)
            // The same page once more carries tokens that may have been rotated since.
            let tokens = app.tokens.getTokens()
            #expect(await again.session.handleHostedLogin(back))
            #expect(await again.session.state.failure == .stateMismatch && app.tokens.getTokens() == tokens)
        }
    }

    @Test func aHostedLoginFromElsewhereIsRefusedUnlessAllowed() async throws {
        try await withNode { node in
            for allowed in [[], [node.url.absoluteString + "/"]] {
                let app = App(allowed: allowed)
                _ = await app.session.beginHostedLogin(
                    nodeURL: "https://asked.example",
                    options: AuthLoginOptions(callbackUrl: "http://localhost:5173/cb", mode: "login"))
                let back = callback(node.mintTokens(), node: node.url.absoluteString)
                #expect(await app.session.handleHostedLogin(back))
                let state = await app.session.state
                #expect(state.phase == (allowed.isEmpty ? .signedOut : .signedIn))
                #expect(state.failure == (allowed.isEmpty ? .untrustedNode(node.url.absoluteString) : nil))
                #expect((app.tokens.getTokens() == nil) == allowed.isEmpty)
            }
            #expect(await !App().session.handleHostedLogin("http://localhost:5173/cb"))
            let unasked = App()
            #expect(await unasked.session.handleHostedLogin(callback(node.mintTokens(), node: "")))
            #expect(await unasked.session.state.failure == .stateMismatch)
        }
    }

    @Test func aLogoutEndsALoginThatWasBegun() async throws {
        try await withNode { node in
            let app = App()
            _ = await app.session.beginHostedLogin(
                nodeURL: node.url.absoluteString,
                options: AuthLoginOptions(callbackUrl: "http://localhost:5173/cb", mode: "login"))
            await app.session.logout()
            #expect(await app.session.handleHostedLogin(callback(node.mintTokens(), node: node.url.absoluteString)))
            let state = await app.session.state
            #expect(state.phase == .signedOut && state.failure == .stateMismatch && app.tokens.getTokens() == nil)
        }
    }

    // MARK: - Calls

    @Test func theSampleCallShowsWhatCameBack() async throws {
        try await withNode { node in
            let app = App()
            await app.session.runSampleRpc(contextId: "c", method: "get")
            #expect(await app.session.state.lastRpcResult == nil && node.requests.isEmpty)
            await app.login(node)
            node.inject(
                .answer(Data(#"{"jsonrpc":"2.0","id":1,"result":{"output":42}}"#.utf8)), on: "POST /jsonrpc")
            await app.session.runSampleRpc(contextId: "c", method: "get")
            #expect(await app.session.state.lastRpcResult == "number(42.0)")
            await app.session.runSampleRpc(contextId: String(repeating: "0", count: 64), method: "get")
            #expect(await app.session.state.failure != nil)
            _ = try await app.session.admin(for: .aliases)
        }
    }
}
