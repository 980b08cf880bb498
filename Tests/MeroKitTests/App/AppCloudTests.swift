import Foundation
import MeroDevNode
import MeroKitTestSupport
import Testing

@testable import MeroKit

/// An app's sign-in as an account: wallet, cloud and relay, over real HTTP.
@Suite struct AppCloudTests {
    private static let callback = CloudCallback.scheme("mero-sample")

    @Test func callbacksAsURLs() {
        #expect(CloudCallback.scheme("s").url == "s://enrol")
        #expect(CloudCallback.scheme("s", path: "back").url == "s://back")
        #expect(CloudCallback.https(host: "app.example", path: "enrol").url == "https://app.example/enrol")
        #expect(CloudCallback.https(host: "app.example", path: "/enrol").url == "https://app.example/enrol")
        #expect(WebAuthenticationCancelled().errorDescription == "Sign-in was cancelled.")
    }

    @Test func signsInFindsTheRelayAndCalls() async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            await session.signInWithCloud(callback: Self.callback)
            let state = await session.state
            let account = test.cloud.wallet.root.accountId
            #expect(state.phase == .signedIn && state.account == account && state.failure == nil)
            #expect(state.username == "\(account.prefix(6))…\(account.suffix(4))")
            #expect(state.relayURL == test.relay.url.absoluteString && state.nodeURL == state.relayURL)
            #expect(state.cloudNote == nil)
            let connection = try #require(await session.connection)
            let relay = try #require(connection.relay)
            _ = try await relay.execute(
                contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
            await session.runSampleRpc(contextId: test.contextId, method: "len")
            #expect(await session.state.lastRpcResult == "number(1.0)")
            // An account is itself wherever it is, and cannot do what takes a node.
            #expect(try await session.identity(inContext: test.contextId) == account)
            try await session.sync(contextId: test.contextId)
            for operation in AppNodeOperation.allCases {
                await #expect(throws: AppFailure.notOverRelay(operation.rawValue)) {
                    _ = try await session.admin(for: operation)
                }
            }
            await session.logout()
            let after = await session.state
            #expect(after.phase == .signedOut && after.account == nil && after.relayURL == nil)
            #expect(test.relay.requestCount("POST", "/auth/logout") == 1)
            #expect(await session.setup.cloud.restoreSession() == nil)
        }
    }

    @Test func aDismissedPageChangesNothing() async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            await session.login(nodeURL: "nonsense", username: "u", password: "p")
            #expect(await session.state.failure == .invalidNodeURL)
            test.person.closeNext()
            await session.signInWithCloud(callback: Self.callback)
            let state = await session.state
            #expect(state.phase == .signedOut && state.failure == nil && !state.isBusy)
            #expect(test.cloud.requests.isEmpty)
        }
    }

    @Test func theWalletsNoAndForgeriesAreToldAndNothingIsSaved() async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            let cases: [(DevWalletAnswer, AppFailure)] = [
                (.deny, .enrolmentDeclined), (.refuse(code: "x"), .enrolmentDeclined),
                (.forge(.state), .stateMismatch), (.forge(.missingState), .stateMismatch),
                (.forge(.signature), .credentialRejected), (.forge(.account), .credentialRejected),
                (.forge(.signingKey), .credentialRejected),
            ]
            for (answer, failure) in cases {
                test.person.wallet.next(answer)
                await session.signInWithCloud(callback: Self.callback)
                #expect(await session.state.failure == failure, "\(answer)")
                #expect(await session.state.phase == .signedOut)
                #expect(await session.setup.cloud.restoreSession() == nil)
            }
            #expect(test.cloud.requests.isEmpty, "nothing is asked about what does not hold")
            await session.signInWithCloud(callback: Self.callback)
            let state = await session.state
            #expect(state.phase == .signedIn && state.failure == nil)
        }
    }

    @Test func aCallbackThatOpensTheAppSignsIn() async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            let other = try #require(URL(string: "mero-sample://enrol"))
            #expect(await !session.handleEnrolmentCallback(other))
            let unasked = try #require(URL(string: "mero-sample://enrol#error=denied"))
            #expect(await session.handleEnrolmentCallback(unasked))
            #expect(await session.state.failure == .enrolmentDeclined)
            let page = try await session.setup.cloud.beginEnrolment(callbackURL: Self.callback.url)
            #expect(await session.handleEnrolmentCallback(try test.person.wallet.visit(page)))
            #expect(await session.state.phase == .signedIn)
        }
    }

    /// Opened by the wallet's URL, the app restores at the same time.
    @Test func restoringWaitsForTheSignInThatOpenedTheApp() async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            let page = try await session.setup.cloud.beginEnrolment(callbackURL: Self.callback.url)
            let returned = try test.person.wallet.visit(page)
            test.cloud.inject(.delay(0.2), on: "GET /api/cloud/accounts/*", times: nil)
            let opening = Task { await session.handleEnrolmentCallback(returned) }
            #expect(await comesTrue { await session.state.isBusy })
            #expect(await session.restore())
            #expect(await opening.value)
            #expect(await session.state.phase == .signedIn)
        }
    }

    /// Any app can open this one by a URL.
    @Test func aForeignURLEndsNothing() async throws {
        try await withTestCloud { test in
            let node = try await DevNode.start()
            let session = AppSession(test.setup())
            node.inject(.delay(0.3), on: "POST /auth/token")
            let login = Task {
                await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
            }
            #expect(await comesTrue { node.requestCount("POST", "/auth/token") == 1 })
            for text in ["error=anything", "credential=02&account=a&device=d&state=s"] {
                let foreign = try #require(URL(string: "mero-sample://enrol#\(text)"))
                #expect(await !session.handleEnrolmentCallback(foreign))
            }
            await login.value
            #expect(await session.state.phase == .signedIn)
            await node.stop()
        }
    }

    @Test func aSignInGivenUpWhileItConnectsIsUndone() async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            await session.signInWithCloud(callback: Self.callback)
            let cloud = session.setup.cloud
            let before = try #require(await cloud.restoreSession())
            let asked = test.relay.requestCount("POST", "/admin-api/tee/attest")
            let fault = test.relay.inject(.stall, on: "POST /admin-api/tee/attest", times: nil)
            let second = Task { await session.signInWithCloud(callback: Self.callback) }
            #expect(await comesTrue { test.relay.requestCount("POST", "/admin-api/tee/attest") > asked })
            #expect(await cloud.restoreSession() != before)
            await session.cancel()
            await second.value
            fault.remove()
            #expect(await cloud.restoreSession() == before)
            let state = await session.state
            #expect(state.phase == .signedIn && state.account == before.account && !state.isBusy)
        }
    }

    @Test func aStoredAccountIsRestoredWithoutTheCloud() async throws {
        try await withTestCloud { test in
            let setup = test.setup()
            await AppSession(setup).signInWithCloud(callback: Self.callback)
            test.cloud.clearRequests()
            let logins = test.relay.requestCount("POST", "/auth/token")
            let again = AppSession(setup)
            #expect(await again.restore())
            #expect(await again.state.phase == .signedIn)
            #expect(await again.connection?.mero != nil)
            #expect(test.cloud.requests.isEmpty)
            #expect(test.relay.requestCount("POST", "/auth/token") == logins, "the stored tokens still hold")
        }
    }

    @Test func aRelayOutOfReachIsRestoredAllTheSame() async throws {
        try await withTestCloud { test in
            let setup = test.setup()
            await AppSession(setup).signInWithCloud(callback: Self.callback)
            let faults = test.relay.inject(.status(503), on: "POST /admin-api/tee/attest", times: nil)
            let again = AppSession(setup)
            #expect(await again.restore())
            let state = await again.state
            #expect(state.phase == .signedIn)
            #expect(state.cloudNote?.hasPrefix("Writes work; reads and live events") == true)
            #expect(await again.connection?.relay != nil)
            #expect(await again.mero == nil)
            faults.remove()
            await again.networkChanged(isAvailable: true)
            #expect(await again.mero != nil)
            #expect(await again.state.cloudNote == nil)
        }
    }

    @Test func aCloudOutOfReachSignsInWithANote() async throws {
        try await withTestCloud { test in
            test.cloud.inject(.status(500), on: "GET /api/cloud/accounts/*", times: nil)
            let session = AppSession(test.setup())
            await session.signInWithCloud(callback: Self.callback)
            let state = await session.state
            #expect(state.phase == .signedInWithoutRelay && state.nodeURL.isEmpty && state.relayURL == nil)
            #expect(
                state.cloudNote?.hasPrefix("Signed in, but the Cloud manager could not be asked for a relay: ") == true)
            test.cloud.removeFaults()
            await session.refreshRelay()
            #expect(await session.state.phase == .signedIn)
        }
    }

    // MARK: - Invitations

    @Test func anInvitationWaitsForTheSignInAndGivesARelay() async throws {
        try await withTestCloud(isMember: false) { test in
            var setup = test.setup()
            setup.packageId = "com.example.notes"
            let session = AppSession(setup)
            let json = try test.relay.createInvitation(namespace: test.namespaceId)
            let token = try #require(InviteCodec.encode(json: json))
            let foreign = InviteLink.invitation(token: token, slug: "com.example.other")
            #expect(await !session.openInvitation(foreign))
            #expect(await !session.openInvitation("no invitation"))
            #expect(await session.openInvitation(InviteLink.invitation(token: token, slug: "com.example.notes")))
            let pending = try #require(await session.state.pendingInvitation)
            #expect(pending.namespaceId == test.namespaceId && pending.inviter == test.relay.accountId)
            #expect(pending.expiresAt != nil)
            // Nobody is signed in: it waits.
            await session.acceptInvitation()
            #expect(await session.state.pendingInvitation == pending)
            await session.signInWithCloud(callback: Self.callback)
            #expect(await session.state.phase == .signedInWithoutRelay)
            await session.runSampleRpc(contextId: test.contextId, method: "len")
            #expect(await session.state.failure == .noRelay)
            await session.acceptInvitation()
            let state = await session.state
            #expect(state.phase == .signedIn && state.pendingInvitation == nil && state.failure == nil)
            #expect(state.relayURL == test.relay.url.absoluteString)
            #expect(test.relay.members(group: test.namespaceId)?[test.cloud.wallet.root.accountId] == .member)
            await session.runSampleRpc(contextId: test.contextId, method: "len")
            #expect(await session.state.lastRpcResult == "number(0.0)")
        }
    }

    /// Another process of the app has kept another invitation meanwhile.
    @Test func onlyWhatWasShownIsJoined() async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            await session.signInWithCloud(callback: Self.callback)
            let shown = try test.relay.createInvitation(namespace: test.namespaceId)
            #expect(await session.openInvitation(shown))
            let namespace = try test.relay.createNamespace(memberCapabilities: 231)
            let other = try InvitationPayload(json: test.relay.createInvitation(namespace: namespace))
            try session.setup.invitations.keep(other)
            await session.acceptInvitation()
            let state = await session.state
            #expect(state.errorMessage?.contains("no longer waits") == true)
            #expect(state.pendingInvitation?.namespaceId == test.namespaceId)
            #expect(session.setup.invitations.current()?.namespaceId == namespace)
            #expect(test.relay.members(group: namespace)?[test.cloud.wallet.root.accountId] == nil)
        }
    }

    @Test func aDeclinedInvitationIsForgotten() async throws {
        try await withTestCloud { test in
            let session = AppSession(test.setup())
            let json = try test.relay.createInvitation(namespace: test.namespaceId)
            #expect(await session.openInvitation(json))
            await session.declineInvitation()
            #expect(await session.state.pendingInvitation == nil)
            #expect(session.setup.invitations.current() == nil)
        }
    }

    // MARK: - Between nodes and accounts

    @Test func anAccountReplacesANodesUserAndTheOtherWayRound() async throws {
        try await withTestCloud { test in
            let node = try await DevNode.start()
            let session = AppSession(test.setup())
            await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
            await session.signInWithCloud(callback: Self.callback)
            #expect(await session.state.account != nil)
            #expect(node.requestCount("POST", "/auth/logout") == 1)
            await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
            let state = await session.state
            #expect(state.account == nil && state.username == "dev" && state.phase == .signedIn)
            #expect(await session.setup.cloud.restoreSession() == nil)
            #expect(test.relay.requestCount("POST", "/auth/logout") == 1)
            await node.stop()
        }
    }
}
