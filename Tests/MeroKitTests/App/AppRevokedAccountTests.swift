import Foundation
import MeroDevNode
import MeroKitTestSupport
import Testing

@testable import MeroKit

/// What an app sees when the account's relay ends its session, or shuts the account out. Spec: 70, section 13.2.
@Suite struct AppRevokedAccountTests {
    private static let callback = CloudCallback.scheme("mero-sample")

    private func withApp(
        _ body: (TestCloud, AppSession, Task<Void, Never>) async throws -> Void
    ) async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            await session.signInWithCloud(callback: Self.callback)
            let events = await session.events(contextId: test.contextId)
            let watching = Task { for await _ in events {} }
            defer { watching.cancel() }
            #expect(await comesTrue { await session.state.isOnline })
            try await body(test, session, watching)
        }
    }

    /// Sessions end, accounts do not: another one is asked for, whoever meets the end first.
    @Test(arguments: [true, false]) func aSessionThatEndedIsReplaced(isMetByACall: Bool) async throws {
        try await withApp { test, session, _ in
            let before = try #require(await session.mero?.currentTokenData())
            test.relay.revokeFamilies()
            if isMetByACall {
                let mero = try #require(await session.mero)
                guard
                    case MeroError.authRevoked(let reason, _)? = await failure(of: {
                        try await mero.admin.listNamespaces()
                    })
                else { return #expect(Bool(false), "the call was not refused") }
                #expect(reason == "token_revoked")
            } else {
                test.relay.streams.cutAll()
            }
            #expect(
                await comesTrue {
                    guard let now = await session.mero?.currentTokenData() else { return false }
                    return now != before
                })
            test.relay.streams.cutAll()
            #expect(await comesTrue { await session.state.isOnline })
            let state = await session.state
            #expect(state.phase == .signedIn && state.cloudNote == nil && state.failure == nil)
            let namespaces = try await session.mero?.admin.listNamespaces().map(\.namespaceId)
            #expect(namespaces == [test.namespaceId])
        }
    }

    /// The relay's owner has deleted the account's key: no device of the account gets a session there any more. The account
    /// stays signed in; its writes, which need no session, go on.
    @Test func anAccountThatIsShutOutStaysSignedInWithoutReads() async throws {
        try await withApp { test, session, _ in
            let owner = Mero(config: MeroConfig(baseURL: test.relay.url))
            try await owner.authenticate(Credentials(username: "dev", password: "dev-password"))
            let keys = try await owner.auth.listRootKeys()
            let key = try #require(keys.first { $0.authMethod == "account_proof" })
            #expect(try await owner.auth.deleteRootKey(key.keyId).success)
            test.relay.streams.cutAll()
            #expect(await comesTrue { await session.state.cloudNote != nil })
            let state = await session.state
            #expect(state.phase == .signedIn && !state.isOnline && state.isAuthenticated && state.failure == nil)
            #expect(state.account == test.cloud.wallet.root.accountId)
            #expect(state.cloudNote?.hasPrefix("Writes work; reads and live events are off") == true)
            #expect(state.cloudNote?.contains("401") == true, "\(state.cloudNote ?? "")")
            #expect(await session.mero == nil)
            let relay = try #require(await session.connection?.relay)
            _ = try await relay.execute(
                contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
            await session.runSampleRpc(contextId: test.contextId, method: "len")
            #expect(await session.state.lastRpcResult == "number(1.0)")
            // Asked again when the app has a reason to, and not on and on.
            let logins = test.relay.requestCount("POST", "/auth/token")
            await session.networkChanged(isAvailable: true)
            // The device's sign-in, the owner's, one for each who noticed, and this one.
            #expect((logins + 1...6).contains(test.relay.requestCount("POST", "/auth/token")))
            #expect(await session.state.phase == .signedIn)
            // The next start of the app finds it signed in, too.
            let again = AppSession(session.setup)
            #expect(await again.restore())
            #expect(await again.state.phase == .signedIn)
            #expect(await again.state.cloudNote?.hasPrefix("Writes work") == true)
            await again.logout()
            #expect(await again.state.phase == .signedOut)
            #expect(await again.setup.cloud.restoreSession() == nil)
        }
    }
}
