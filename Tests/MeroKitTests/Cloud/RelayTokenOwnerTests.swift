import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Whose the tokens in a store are stands beside them. Spec: 70, section 8.
@Suite("Owners of relay tokens") struct RelayTokenOwnerTests {
    private static func logouts(_ node: DevNode) -> [String] {
        node.requests.filter { $0.path == "/auth/logout" }
            .compactMap { try? JSONValue(jsonBytes: $0.body)["refresh_token"]?.stringValue }
    }

    private static func connected(
        _ rig: SignInRig, _ node: DevNode
    ) async throws -> (signIn: CloudSignIn, session: CloudSession, tokens: TokenData) {
        rig.serve(node)
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        #expect(await signIn.connect(session).readNote == nil)
        return (signIn, session, try #require(rig.tokens.getTokens()))
    }

    /// The session as another process stores it that has gone on to another relay, and ended before it could drop the tokens.
    private static func move(_ session: CloudSession, to url: String, in rig: SignInRig) -> CloudSession {
        var moved = session
        moved.relayUrl = url
        rig.sessions.save(moved)
        return moved
    }

    @Test func theFileTellsTheRelayAndTheAccount() async throws {
        let node = try await SignInRig.relay()
        let rig = try SignInRig()
        rig.serve(node)
        let folder = try TemporaryFolder()
        let config = CloudConfig(cloudBaseURL: try rig.cloud.url, audience: .cli)
        let signIn = CloudSignIn.files(directory: folder.url, config: config)
        let session = try await rig.enrol(signIn)
        let mero = try #require(await signIn.connect(session).mero)
        func held() throws -> JSONValue {
            try JSONValue(jsonBytes: Data(contentsOf: folder.file("cloud-relay-tokens.json")))
        }
        let first = try held()
        #expect(first["owner"]?["relay_url"]?.stringValue == node.url.absoluteString)
        #expect(first["owner"]?["account"]?.stringValue == rig.account)
        #expect(first["owner"]?["device"]?.stringValue == session.device)
        // It stays beside the tokens when they are rotated, and the next process goes by them.
        node.expireAccessTokens()
        _ = try await mero.admin.listNamespaces()
        let second = try held()
        #expect(second["access_token"] != first["access_token"] && second["owner"] == first["owner"])
        node.clearRequests()
        let next = CloudSignIn.files(directory: folder.url, config: config)
        #expect(await next.connect(session).readNote == nil)
        #expect(node.requestCount("HEAD", "/auth/validate") == 1 && node.requestCount("POST", "/auth/token") == 0)
        await node.stop()
    }

    @Test func signingOutEndsThemWhereTheyCameFrom() async throws {
        let (first, second) = (try await SignInRig.relay(), try await SignInRig.relay())
        let rig = try SignInRig()
        let (_, session, tokens) = try await Self.connected(rig, first)
        _ = Self.move(session, to: second.url.absoluteString, in: rig)
        try await rig.signIn().signOut()
        #expect(Self.logouts(first) == [tokens.refreshToken] && second.requests.isEmpty)
        #expect(rig.tokens.getTokens() == nil && rig.sessions.load() == nil)
        await first.stop()
        await second.stop()
    }

    @Test func whatTheSameDeviceLeftElsewhereIsEndedThere() async throws {
        let (first, second) = (try await SignInRig.relay(), try await SignInRig.relay())
        let rig = try SignInRig()
        let (_, session, tokens) = try await Self.connected(rig, first)
        let moved = Self.move(session, to: second.url.absoluteString, in: rig)
        first.clearRequests()
        let signIn = try rig.signIn()
        let connection = await signIn.connect(moved)
        #expect(connection.readNote == nil && connection.nodeKey == second.nodeKey)
        #expect(Self.logouts(first) == [tokens.refreshToken])
        #expect(second.requestCount("HEAD", "/auth/validate") == 0 && second.handlerRuns("POST", "/auth/token") == 1)
        let stored = try #require(rig.tokens.getTokens())
        #expect(stored.refreshToken != tokens.refreshToken)
        #expect(stored.owner?.relayUrl == second.url.absoluteString)
        for request in second.requests {
            #expect(request.headers["authorization"]?.contains(tokens.accessToken) != true)
            #expect(!String(decoding: request.body, as: UTF8.self).contains(tokens.refreshToken))
        }
        await first.stop()
        await second.stop()
    }

    /// The relay that the account has now cannot be reached, which is no reason to keep the session at the one before.
    @Test func whatWasLeftIsEndedThoughTheNewRelayIsAway() async throws {
        let first = try await SignInRig.relay()
        let rig = try SignInRig()
        let (_, session, tokens) = try await Self.connected(rig, first)
        let away = try LoopbackSocket.bound()
        defer { close(away) }
        let moved = Self.move(session, to: "http://127.0.0.1:\(try LoopbackSocket.port(of: away))", in: rig)
        first.inject(.delay(0.3), on: "POST /auth/logout")
        let connection = await (try rig.signIn()).connect(moved)
        #expect(connection.mero == nil && connection.readNote != nil)
        #expect(Self.logouts(first) == [tokens.refreshToken] && first.handlerRuns("POST", "/auth/logout") == 1)
        #expect(rig.tokens.getTokens() == nil)
        await first.stop()
    }

    /// Two sign-ins share a store of tokens, and not the one of sessions.
    @Test func thoseOfAnotherAccountAreNeitherUsedNorOverwritten() async throws {
        let (first, second) = (try await SignInRig.relay(), try await SignInRig.relay())
        let theirs = try SignInRig()
        let (_, _, tokens) = try await Self.connected(theirs, first)
        let mine = try SignInRig()
        let marked = try #require(theirs.tokens.getTokens())
        mine.serve(second)
        let signIn = try mine.signIn()
        let session = try await mine.enrol(signIn)
        mine.tokens.setTokens(marked)
        let mero = try #require(await signIn.connect(session).mero)
        #expect(try await mero.admin.listNamespaces().isEmpty)
        #expect(mine.tokens.getTokens()?.owner == marked.owner && mine.tokens.getTokens() == marked)
        #expect(second.requestCount("HEAD", "/auth/validate") == 0)
        // Rotated and asked for again, they live in memory; the store is the others'.
        second.expireAccessTokens()
        _ = try await mero.admin.listNamespaces()
        #expect(await signIn.connect(session).mero === mero)
        #expect(second.handlerRuns("POST", "/auth/token") == 1 && second.requestCount("POST", "/auth/refresh") == 1)
        #expect(mine.tokens.getTokens() == marked)
        for request in second.requests {
            #expect(request.headers["authorization"]?.contains(tokens.accessToken) != true)
        }
        // Signing out on this device leaves no session anywhere: each ends at its own relay.
        let own = try #require(await mero.currentTokenData())
        await signIn.signOut()
        #expect(Self.logouts(first) == [tokens.refreshToken] && Self.logouts(second) == [own.refreshToken])
        #expect(mine.tokens.getTokens() == nil)
        await first.stop()
        await second.stop()
    }

    /// Tokens of a store that keeps no marks, or from before there were any.
    @Test func unmarkedTokensAreTheStoredSessions() async throws {
        let node = try await SignInRig.relay()
        let rig = try SignInRig()
        let (_, session, tokens) = try await Self.connected(rig, node)
        rig.tokens.setTokens(
            TokenData(
                accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, expiresAt: tokens.expiresAt))
        node.clearRequests()
        let next = try rig.signIn()
        #expect(await next.connect(session).readNote == nil)
        #expect(node.requestCount("POST", "/auth/token") == 0)
        await next.signOut()
        #expect(Self.logouts(node) == [tokens.refreshToken])
        await node.stop()
    }

    /// After the relay has ended every session, the next connection logs in. Spec: 10, section 9.
    @Test func aRevokedSessionIsReplacedByTheNextConnection() async throws {
        let node = try await SignInRig.relay()
        let rig = try SignInRig()
        let (signIn, session, tokens) = try await Self.connected(rig, node)
        let mero = try #require(await signIn.connect(session).mero)
        node.revokeFamilies()
        guard case MeroError.authRevoked? = await failure(of: { try await mero.admin.listNamespaces() }) else {
            return #expect(Bool(false), "the session goes on")
        }
        #expect(rig.tokens.getTokens() == nil)
        for next in [signIn, try rig.signIn()] {
            let connection = await next.connect(session)
            #expect(connection.readNote == nil)
            _ = try await connection.mero?.admin.listNamespaces()
            #expect(rig.tokens.getTokens() != nil && rig.tokens.getTokens() != tokens)
        }
        // Also where nobody called in between, and the stored tokens look as good as ever.
        node.revokeFamilies()
        let again = await (try rig.signIn()).connect(session)
        #expect(again.readNote == nil)
        _ = try await again.mero?.admin.listNamespaces()
        await node.stop()
    }
}
