import Foundation
import MeroKit
import MeroKitTestSupport
import MeroKitUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Published names of the app layer and of the test doubles, used as programs use them.
@Suite(.serialized) struct AppTests {
    /// An authenticator of an app's own.
    struct Person: WebAuthenticating {
        func authenticate(url: URL, callback: CloudCallback) async throws -> URL {
            guard let back = URL(string: callback.url) else { throw WebAuthenticationCancelled() }
            return back
        }
    }

    @Test func authenticatorsAndCallbacks() async throws {
        let person: any WebAuthenticating = Person()
        let page = try #require(URL(string: "https://wallet.example/account-enroll"))
        let back = try await person.authenticate(url: page, callback: .scheme("mero-sample"))
        #expect(back.absoluteString == "mero-sample://enrol")
        #expect(CloudCallback.https(host: "app.example", path: "enrol").url == "https://app.example/enrol")
        #expect(WebAuthenticationCancelled().localizedDescription == "Sign-in was cancelled.")
    }

    @Test func counters() {
        let counter = Counter()
        #expect(counter.increment() == 1 && counter.count == 1)
    }

    /// Compiled, and not run: the handler belongs to the whole process, and the suite of the doubles, which runs these calls one
    /// after the other, may be at work in it.
    func doubles() async throws {
        let node = FakeNode()
        node.install()
        node.rpcOutputs["get"] = 7
        let session: URLSession = MockURLProtocol.makeSession()
        let url = try #require(URL(string: "http://node.example"))
        let mero = Mero(
            config: MeroConfig(baseURL: url, credentials: Credentials(username: "u", password: "p")), session: session)
        try await mero.authenticate()
        node.expireAccessToken()
        let value: Int = try await mero.rpc.execute(contextId: "c", method: "get")
        #expect(value == 7 && node.accessToken == "access-2" && node.refreshToken == "refresh-2")
        #expect(node.tokenCalls == 1 && node.refreshCalls == 1 && node.rpcCalls == 2 && node.protectedCalls == 2)
        node.revokeFamily()
        MockURLProtocol.setHandler { request in
            MockURLProtocol.Stub(status: 200, headers: [:], body: FakeNode.body(request))
        }
        MockURLProtocol.reset()
    }

    #if canImport(SwiftUI) && canImport(Combine)
        @MainActor func views() async {
            let client = MeroClient(
                session: nil, tokenStore: { MemoryTokenStore() }, cloud: nil, webAuthenticator: Person())
            _ = (client.isAuthenticated, client.isLoading, client.nodeURL, client.username, client.errorMessage)
            _ = (client.lastRpcResult, client.account, client.relayURL, client.isSignedInWithoutRelay, client.cloudNote)
            _ = (client.connection, client.cloudSignIn)
            await client.signInWithCloud(callbackScheme: "mero-sample")
            await client.signInWithCloud(callback: .https(host: "app.example", path: "/enrol"))
            await client.restoreCloudSession()
            await client.login(nodeURL: "http://localhost:4001", username: "u", password: "p")
            await client.login(nodeURL: "http://localhost:4001", username: "u", password: "p", bootstrapSecret: nil)
            await client.runSampleRpc(contextId: "c", method: "get")
            await client.logout()
            _ = (MeroRootView(), MeroRootView(callbackScheme: "s"), MeroRootView(callback: .scheme("s")))
            _ = (LoginView(), LoginView(defaultNodeURL: "http://x"), LoginView(callbackScheme: "s"))
            _ = (LoginView(callback: .scheme("s")), HomeView(), HomeView(demoContextId: "c", demoMethod: "get"))
        }
    #endif
}
