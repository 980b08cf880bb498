import Foundation
import MeroDevNode
import MeroKitTestSupport
import Testing

@testable import MeroKit

/// The whole app layer, actor, clients and stores, in random sequences against a real node.
@Suite struct AppSessionLifeTests {
    private enum Step: CaseIterable {
        case login, wrongLogin, cancel, logout, expire, suspend, resume, loseNetwork, cut, call, restart
    }

    /// A refresh outside the single flight would show a refresh token twice, which the node answers with 401 and the end of
    /// the family. So would a logout that another path undoes leave tokens behind.
    @Test func randomLivesNeverShowARefreshTokenTwice() async throws {
        let given = ProcessInfo.processInfo.environment["MEROKIT_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("app session: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let node = try await DevNode.start()
        let context = try node.createContext(KeyValueContract())
        for sequence in 0..<15 {
            let tokens = MemoryTokenStore()
            let memory = AnyValueStore<AppMemory>.memory()
            let setup = AppSession.Setup(tokenStore: { tokens }, memory: memory, suspensionDelay: 0)
            var session = AppSession(setup)
            let watchers = Locked<[Task<Void, Never>]>([])
            func watch(_ session: AppSession) async {
                let events = await session.events(contextId: context)
                let task = Task { for await _ in events {} }
                watchers.withLock { $0.append(task) }
            }
            await watch(session)
            let asked = Locked<[Task<Void, Never>]>([])
            var steps: [Step] = []
            await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
            #expect(await session.state.phase == .signedIn, "seed \(seed), sequence \(sequence)")
            for _ in 0..<Int.random(in: 6...14, using: &random) {
                let step = Step.allCases.randomElement(using: &random) ?? .login
                steps.append(step)
                let app = session
                let url = node.url.absoluteString
                // Half of what a person asks for is not waited for, and meets what comes next.
                let isWaitedFor = Bool.random(using: &random)
                func ask(_ body: @escaping @Sendable () async -> Void) async {
                    let task = Task { await body() }
                    asked.withLock { $0.append(task) }
                    if isWaitedFor { await task.value }
                }
                switch step {
                case .login: await ask { await app.login(nodeURL: url, username: "dev", password: "dev-password") }
                // Not with a wrong password: the node would let nobody in for a while.
                case .wrongLogin:
                    await ask { await app.login(nodeURL: "http://127.0.0.1:1", username: "dev", password: "x") }
                case .cancel: await app.cancel()
                case .logout: await ask { await app.logout() }
                case .expire:
                    node.expireAccessTokens()
                    for _ in 0..<3 {
                        await ask { _ = try? await app.mero?.admin.getContexts() }
                    }
                case .suspend: await app.suspend()
                case .resume: await app.resume()
                case .loseNetwork:
                    await app.networkChanged(isAvailable: false)
                    await ask { await app.networkChanged(isAvailable: true) }
                case .cut: node.streams.cutAll()
                case .call:
                    for _ in 0..<4 {
                        await ask { _ = try? await app.mero?.admin.getContexts() }
                    }
                case .restart:
                    // The app ends and starts again over the same stores, and the first requests meet the restore.
                    // What the old process had sent is answered before: a killed one would have lost the answer for good.
                    await app.suspend()
                    for task in asked.withLock({ $0 }) { await task.value }
                    _ = try? await app.mero?.admin.getContexts()
                    session = AppSession(setup)
                    await watch(session)
                    let next = session
                    await ask { await next.restore() }
                }
            }
            let last = session
            await last.logout()
            // What was asked for without waiting may have begun after that logout, and then counts.
            for task in asked.withLock({ $0 }) { await task.value }
            let about = "seed \(seed), sequence \(sequence): \(steps)"
            let before = await last.state
            #expect(!before.isBusy, "\(about)")
            #expect(before.phase == .signedIn || tokens.getTokens() == nil, "\(about)")
            await last.logout()
            let state = await last.state
            #expect(state.phase == .signedOut && !state.isBusy, "\(about)")
            #expect(tokens.getTokens() == nil && memory.load() == nil, "\(about)")
            for watcher in watchers.withLock({ $0 }) { watcher.cancel() }
        }
        let answers = node.requests.filter { $0.path == "/auth/refresh" }
        let shown = answers.compactMap { record in
            (try? MeroJSON.decode(JSONValue.self, from: record.body))?["refresh_token"]?.stringValue
        }
        #expect(shown.count == answers.count && Set(shown).count == shown.count, "seed \(seed)")
        #expect(!answers.isEmpty, "seed \(seed)")
        print(
            "app session: 15 lives, \(answers.count) refreshes, \(node.requestCount("POST", "/auth/logout")) logouts")
        await node.stop()
    }
}
