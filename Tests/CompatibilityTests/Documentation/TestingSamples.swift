import Foundation
import MeroDevNode
import MeroKit
import MeroKitTestSupport
import Testing

// The tests of the documentation's page about testing, word for word.

@Test func aLostAnswerIsNotWrittenTwice() async throws {
    let test = try await SignedInNode.start()
    let careful = Mero(config: MeroConfig(baseURL: test.node.url, retryPolicy: .onlyIfUnsent))
    try await careful.authenticate(Credentials(username: "dev", password: "dev-password"))
    test.node.inject(.cutAfterHandler, on: "POST /jsonrpc")
    await #expect(throws: MeroError.self) {
        let _: Empty = try await careful.rpc.execute(
            contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
    }
    #expect(test.node.handlerRuns("POST", "/jsonrpc") == 1)
    await test.stop()
}

@Test func aSessionOutlivesItsAccessToken() async throws {
    let test = try await SignedInNode.start()
    test.node.clock.advance(by: DevNodeOptions().accessTokenLifetime + 120)
    let count: Int = try await test.mero.rpc.execute(contextId: test.contextId, method: "len")
    #expect(count == 0)
    #expect(test.node.requestCount("POST", "/auth/refresh") == 1)
    await test.stop()
}

@Test func theOtherNodeSeesIt() async throws {
    var options = DevNodeOptions()
    options.network = DevNetwork()
    let ana = try await SignedInNode.start(options: options)
    let ben = try await SignedInNode.start(options: options)
    let namespaceId = try ana.node.createNamespace(contract: KeyValueContract())
    let contextId = try ana.node.createContext(KeyValueContract(), inGroup: namespaceId)
    let invitation = try SignedGroupOpenInvitation(pasted: ana.node.createInvitation(namespace: namespaceId))
    _ = try await ben.mero.admin.joinNamespace(namespaceId, request: JoinNamespaceRequest(invitation: invitation))
    _ = try await ben.mero.admin.joinContext(contextId)
    let _: Empty = try await ana.mero.rpc.execute(
        contextId: contextId, method: "set", argsJson: ["key": "k", "value": "v"])
    let value: String? = try await ben.mero.rpc.execute(contextId: contextId, method: "get", argsJson: ["key": "k"])
    #expect(value == "v")
    await ben.stop()
    await ana.stop()
}
