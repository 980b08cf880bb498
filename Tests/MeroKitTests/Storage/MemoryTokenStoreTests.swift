import Foundation
import Testing

@testable import MeroKit

@Suite("MemoryTokenStore")
struct MemoryTokenStoreTests {
    @Test("Starts empty, keeps the last session, forgets it")
    func life() {
        let store = MemoryTokenStore()
        #expect(store.getTokens() == nil)
        let tokens = TokenData(accessToken: "a", refreshToken: "r", expiresAt: Date())
        store.setTokens(tokens)
        #expect(store.getTokens() == tokens)
        #expect(MemoryTokenStore().getTokens() == nil)
        store.clear()
        #expect(store.getTokens() == nil)
    }

    @Test("Takes calls from many threads at once")
    func concurrency() async {
        let store = MemoryTokenStore()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    store.setTokens(TokenData(accessToken: "\(index)", refreshToken: "\(index)", expiresAt: Date()))
                    let read = store.getTokens()
                    #expect(read.map { $0.accessToken == $0.refreshToken } == true)
                }
            }
        }
    }
}
