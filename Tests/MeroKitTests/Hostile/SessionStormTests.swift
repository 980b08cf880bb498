import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Calls, expiries, logins and logouts all at once.
@Suite("Session storms") struct SessionStormTests {
    /// Whatever the order, memory and store agree in the end, nobody hangs, and the session still works.
    @Test(.timeLimit(.minutes(2)), arguments: [false, true])
    func memoryAndStoreAgree(isShared: Bool) async throws {
        let node = try await DevNode.start()
        let context = try node.createContext(ProbeContract())
        let folder = try TemporaryFolder()
        let memory = MemoryTokenStore()
        let file = FileTokenStore(url: folder.file("tokens.json"))
        let store: any TokenStore = isShared ? file : memory
        @Sendable func tokens() -> TokenData {
            let pair = node.mintTokens()
            return TokenData(
                accessToken: pair.accessToken, refreshToken: pair.refreshToken,
                expiresAt: Date(timeIntervalSinceNow: 3600))
        }
        let mero = Mero(config: MeroConfig(baseURL: node.url, tokenStore: store))
        await mero.setTokenData(tokens())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    switch number % 20 {
                    case 0: node.expireAccessTokens()
                    case 1: await mero.logout()
                    case 2: await mero.clearToken()
                    case 3, 4: await mero.setTokenData(tokens())
                    case 5:
                        _ = try? await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
                    case 6, 7:
                        let call = Task { let _: Int = try await mero.rpc.execute(contextId: context, method: "count") }
                        try? await Task.sleep(nanoseconds: UInt64.random(in: 0...3_000_000))
                        call.cancel()
                        _ = try? await call.value
                    default:
                        do {
                            let _: Int = try await mero.rpc.execute(contextId: context, method: "count")
                        } catch is MeroError {
                        } catch {
                            Issue.record("\(error)")
                        }
                    }
                }
            }
        }
        let current = await mero.currentTokenData()
        #expect(current?.accessToken == store.getTokens()?.accessToken)
        #expect(current?.refreshToken == store.getTokens()?.refreshToken)
        await mero.setTokenData(tokens())
        node.expireAccessTokens()
        let _: Int = try await mero.rpc.execute(contextId: context, method: "count")
        #expect(await mero.currentTokenData()?.accessToken == store.getTokens()?.accessToken)
        await mero.logout()
        #expect(store.getTokens() == nil)
        await node.stop()
    }
}
