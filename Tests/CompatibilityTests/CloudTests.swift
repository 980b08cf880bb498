import Foundation
import MeroKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The published calls of the cloud, of invitations and of the registry, as they stand. This file imports nothing
// `@testable`: what compiles here compiles in an app.

@Suite struct CloudTests {
    private let id = String(repeating: "1a", count: 32)

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    // MARK: Section 7

    private func everyCloudCall(_ keys: DeviceKeys) async throws {
        let credential = RoutingCredential(credential: "02", deviceSecret: keys.signSecret)
        let cloud = CloudClient(
            baseURL: CloudClient.defaultBaseURL, routingCredential: credential, session: .shared, timeout: 10)
        let parts: (URL, RoutingCredential?) = (cloud.baseURL, cloud.routingCredential)
        let challenge: RoutingChallenge = try await cloud.getAccountRelaysChallenge(id)
        let signature: String = try CloudClient.signRoutingChallenge(
            nonce: challenge.nonce, deviceSecret: credential.deviceSecret)
        let headers: [String: String] = try CloudClient.routingProofHeaders(
            challenge: challenge, credential: credential)
        let relays: [CloudAccountRelay] = try await cloud.getAccountRelays(id)
        let choice: RelayChoice = CloudClient.chooseRelay(relays)
        let other: RoutingChallenge = try await cloud.getRoutingChallenge(id)
        let routing: CloudNamespaceRouting = try await cloud.getNamespaceRouting(id)
        let admitter: CloudNamespaceNode? = try await cloud.findAdmitter(id)
        let named: CloudNamespaceNode? = try await cloud.findAdmitter(id, admitters: [id])
        try await cloud.enableHaAsAccount(
            namespaceId: id, salt: id, accountId: id, credential: "02", keys: keys)
        let hosted: JSONValue = try await cloud.enableHaAsAccount(
            namespaceId: id, salt: id, accountId: id, credential: "02", keys: keys, relayURL: nil,
            ttlMs: AccountHaClaim.defaultTTLMs)
        _ = (parts, signature, headers, choice.relayUrl, choice.executorAccount, choice.note, admitter, named, hosted)
        _ = (challenge.boundTo, challenge.expiresAtMs as Int64, other, routing.namespaceId, routing.servable)
        for node in routing.nodes {
            _ = (node.peerId, node.account, node.relayUrl, node.admitUrl, node.status, node.fresh, node.canAdmit)
            _ = (node.authorshipReady, node.teeRole, node.canExecute, routing.writable)
        }
    }

    /// Limits, trust and time-outs, which came later.
    private func everySetting(_ invitation: SignedGroupOpenInvitation, _ keys: DeviceKeys) async throws {
        let options = HttpOptions(certificateAuthorityFile: URL(fileURLWithPath: "/authority.pem"))
        let config = CloudConfig(relayOptions: options, cloudOptions: options, timeout: 5)
        let timeout: TimeInterval? = config.timeout
        let cloud = CloudClient(session: nil, timeout: 5, options: options)
        let login = CloudAccountClient(sessionToken: "s", timeout: 5, options: options)
        let key: String = try await RelayNodeKey.attest(relayURL: "https://r.example", timeout: 5, options: options)
        let attempt: RelayKeyAttempt = try await RelayNodeKey.attempt(
            relayURL: "https://r.example", options: options)
        let release: NodeRelease = try await fetchNodeRelease("2.3.87", timeout: 5, options: options)
        let bundles = try await ApplicationRegistry.bundles(package: "p", options: options)
        let manifest: JSONValue? = try await ApplicationRegistry.manifest(
            package: "p", version: "1.0.0", options: options)
        let isPublished: Bool = try await AccountJoin.joinWithNode(
            admitURL: url("https://r.example"), namespaceId: id, invitation: invitation, account: id, credential: "02",
            keys: keys, nonce: 1, options: options)
        let connect = ConnectCloudOptions(
            authorAccount: id, authorProof: "02", relayOptions: options, cloudOptions: options)
        _ = (timeout, cloud, login, key, attempt, release, bundles, manifest, isPublished, connect)
    }

    private func everySignInCall(_ signIn: CloudSignIn, _ invitation: SignedGroupOpenInvitation) async throws {
        let config: CloudConfig = signIn.config
        let keys: DeviceKeys = await signIn.deviceKeys()
        let restored: CloudSession? = await signIn.restoreSession()
        let page: URL = try await signIn.beginEnrolment(callbackURL: "https://app.example/enrol")
        try await signIn.completeEnrolment(callbackURL: page)
        let session: CloudSession = try await signIn.completeEnrolment(
            EnrolmentCallback(credential: "02", account: id, device: id, state: nil))
        try await signIn.refreshRelay()
        let connection: CloudConnection = await signIn.connect(session)
        try await signIn.join(namespaceId: id, invitation: invitation)
        let joined: (session: CloudSession, outcome: JoinOutcome) = try await signIn.join(
            namespaceId: id, invitation: invitation, nodeURL: "https://node.example")
        let cloud: CloudClient = try await signIn.cloudClient()
        await signIn.signOut()
        await signIn.signOut(forgetDevice: true)
        let parts: (CloudSession, RelayClient?, Mero?, String?, String?) = (
            connection.session, connection.relay, connection.mero, connection.nodeKey, connection.readNote
        )
        _ = (config, keys, restored, joined, cloud, parts)
    }

    @Test func theDeviceHalf() async throws {
        let keys = DeviceKeys.generate()
        let row = CloudAccountRelay(peerId: "p", relayUrl: nil, fresh: true, executorAccount: nil, assigned: false)
        let again = try JSONDecoder().decode(CloudAccountRelay.self, from: JSONEncoder().encode(row))
        #expect(again == row)
        #expect(CloudClient.haRefusalMessages["unknown_relay"] != nil)
        let proof: AccountOwnershipProof = try AccountHaClaim.sign(
            namespaceId: id, accountId: id, salt: id, credential: "02", keys: keys, relayURL: nil,
            ttlMs: AccountHaClaim.maxTTLMs, nowMs: nil, nonce: nil)
        _ = (proof.kind, proof.credential, proof.signedPayload, proof.signature, AccountHaClaim.audience)
        var config = CloudConfig(
            walletURL: DeviceEnrolment.defaultWalletURL, cloudBaseURL: CloudClient.defaultBaseURL, audience: .current,
            clientName: nil, relayKeyVerifier: TLSRelayKeyVerifier(), warrantTTLSeconds: 300)
        config.clientName = "app"
        var session = CloudSession(account: id, device: id, credential: "02")
        #expect(session.isRelayless)
        session.relayUrl = "https://relay.example"
        let full = CloudSession(
            account: id, device: id, credential: "02", relayUrl: session.relayUrl, executorAccount: nil, note: nil)
        #expect(full == session && !full.isRelayless)
        let stored = try JSONDecoder().decode(CloudSession.self, from: JSONEncoder().encode(full))
        #expect(stored == full)
        let signIn = CloudSignIn(keyStore: .memory(keys), sessionStore: .memory(full))
        #expect(await signIn.deviceKeys() == keys)
        let all = CloudSignIn(
            config: config, keyStore: .memory(keys), sessionStore: .memory(), tokenStore: MemoryTokenStore(),
            nonces: MemoryWarrantNonceStore(), urlSession: .shared)
        #expect(await all.restoreSession() == nil)
        #if canImport(Security)
            let keychain: CloudSignIn = .keychain(
                config: config, service: "network.calimero.merokit", accessGroup: nil, urlSession: .shared)
            _ = keychain
        #endif
        let state: String = DeviceEnrolment.makeState()
        let page: URL = try DeviceEnrolment.url(
            walletURL: DeviceEnrolment.defaultWalletURL, devicePublicKey: keys.signPublicKey,
            kemPublicKey: keys.kemPublicKey, callbackURL: "mero://enrol", state: state)
        #expect(try DeviceEnrolment.readCallback(page) == nil)
        _ = (everyCloudCall, everySignInCall)
    }

    // MARK: Section 9

    private func everyLoginCall(_ cloud: CloudAccountClient, _ root: AccountRoot) async throws {
        let session: CloudLoginSession = try await cloud.signInWithGoogle(idToken: "t")
        let challenge: CloudChallenge = try await cloud.getAccountLoginChallenge()
        let proof = AccountRootProof(rootPublicKey: id, nonce: challenge.nonce, signature: "s")
        let one: CloudLoginSession = try await cloud.submitAccountLogin(proof)
        let two: CloudLoginSession = try await cloud.signInWithAccount(root: root)
        let three: CloudLoginSession = try await cloud.refreshSession()
        let current: CloudLoginSession? = await cloud.currentSession
        let isSignedIn: Bool = await cloud.isSignedIn
        let namespaces: [CloudNamespace] = try await cloud.getMyNamespaces()
        let relays: [CloudNamespaceRelay] = try await cloud.getNamespaceRelays(id)
        let relay: CloudNamespaceRelay? = try await cloud.findExecutingRelay(id)
        let machines: [CloudMachine] = try await cloud.getMyMachines()
        let accounts: (accounts: [CloudLinkedAccount], limit: Int?) = try await cloud.getMyAccounts()
        let linkChallenge: CloudChallenge = try await cloud.getAccountLinkChallenge()
        let link: CloudAccountLink = try await cloud.submitAccountLink(accountId: id, proof: proof)
        let linked: CloudAccountLink = try await cloud.linkAccount(root: root)
        let granted: CloudAccountLink = try await cloud.linkAccountWithGrant("g", root: root)
        let claimed: JSONValue = try await cloud.claimNamespace(id, ownershipProof: [:])
        let hosted: JSONValue = try await cloud.enableNamespaceHa(id)
        let hostedAt: JSONValue = try await cloud.enableNamespaceHa(id, admitterAddrs: [])
        let ownership = try AccountHaClaim.sign(
            namespaceId: id, accountId: id, salt: id, credential: "02", keys: .generate(), subject: "e")
        let founded: JSONValue = try await cloud.enableFoundedNamespaceHa(id, ownershipProof: ownership)
        let ended: JSONValue = try await cloud.disableNamespaceHa(id)
        try await cloud.signOut()
        _ = (session.sessionToken, session.expiresAt as Int64, session.user.email, session.user.name, one, two, three)
        _ = (current, isSignedIn, namespaces.first?.fleetReplicas, relays, relay?.nodeKey, machines.first?.namespaces)
        _ = (accounts, linkChallenge.expiresAtMs, link.alreadyLinked, linked, granted, claimed, hosted, hostedAt)
        _ = (founded, ended, session.user.picture)
    }

    private func everyConnection(_ root: AccountRoot, _ signer: any DeviceSigner) async throws {
        var options = ConnectCloudOptions(authorAccount: id, authorProof: "02")
        options.deviceSecret = nil
        let whole = ConnectCloudOptions(
            authorAccount: id, authorProof: "02", deviceSecret: nil, signer: signer, sessionToken: nil,
            googleIdToken: nil, namespaceId: nil, relayNodeKey: nil, observeAudience: nil, nonces: nil,
            ttlSeconds: 300, onSession: nil, cloudBaseURL: CloudClient.defaultBaseURL, timeout: 10)
        let connection: CloudWriteConnection = try await connectCloud(whole)
        let other: CloudWriteConnection = try await connectCloudWithAccount(options, root: root)
        let result: IntentResult = try await connection.execute(contextId: id, method: "m")
        let more: IntentResult = try await connection.execute(contextId: id, method: "m", argsJson: [:])
        let parts: (CloudAccountClient, RelayClient, String, CloudNamespace, CloudNamespaceRelay, MeroTransportClient) =
            (
                other.cloud, other.relay, other.namespaceId, other.namespace, other.relayRow, other.client
            )
        _ = (result, more, parts)
    }

    @Test func theLoginHalf() async throws {
        let cloud = CloudAccountClient(
            baseURL: CloudClient.defaultBaseURL, sessionToken: "s", onSession: { _ in }, session: .shared, timeout: 10)
        #expect(await cloud.currentSession?.user.email == "")
        #expect(await cloud.isSignedIn)
        #expect(await CloudAccountClient().currentSession == nil)
        let none = CloudLoginSession(sessionToken: "s", expiresAt: 0, user: CloudUser(email: ""))
        #expect(await cloud.currentSession == none)
        _ = (everyLoginCall, everyConnection)
    }

    // MARK: Sections 10 and 11

    private func everyJoin(
        _ invitation: SignedGroupOpenInvitation, _ keys: DeviceKeys, _ cloud: CloudClient
    ) async throws {
        let relay: InvitationRelay = try await AccountJoin.resolveRelay(
            namespaceId: id, invitation: invitation, cloud: cloud)
        let published: Bool = try await AccountJoin.joinWithNode(
            admitURL: url(relay.admitUrl), namespaceId: id, invitation: invitation, account: id, credential: "02",
            keys: keys, nonce: 1, session: .shared)
        let outcome: JoinOutcome = try await AccountJoin.bootstrapFromInvitation(
            namespaceId: id, invitation: invitation, account: id, credential: "02", keys: keys, nonce: 1,
            nodeURL: nil, cloud: cloud, session: .shared)
        _ = (relay.relayUrl, relay.admitterAccount, relay.writable, relay.stale, published)
        _ = (outcome.published, outcome.relayUrl, outcome.relay)
    }

    @Test func invitations() throws {
        let keys = DeviceKeys.generate()
        let maximum: Int = GroupInvitations.maxValiditySeconds
        let admitters: [String] = GroupInvitations.defaultAdmitters([GroupMember(identity: id, role: "Admin")])
        let invitation: SignedGroupOpenInvitation = try GroupInvitations.sign(
            groupId: id, inviterAccount: id, keys: keys, admitters: admitters, members: nil, invitedRole: .member,
            validForSeconds: maximum, now: nil, nonce: nil, applicationId: nil, appKey: nil, admitterAddrs: [])
        let hash: Data = try GroupInvitations.hash(invitation.invitation)
        #expect(hash.count == 32 && admitters == [id])
        let roles: [GroupInvitations.InvitedRole] = [.admin, .member, .readOnly]
        #expect(roles.map(\.rawValue) == [0, 1, 2])
        let text: String = InviteCodec.base58Encode(Data([0, 0, 1]))
        let bytes: Data? = InviteCodec.base58Decode(text)
        #expect(text == "112" && bytes == Data([0, 0, 1]))
        let token: String? = InviteCodec.encode(json: #"{"a":1}"#)
        let json: String? = InviteCodec.decode(token: token ?? "")
        #expect(json == #"{"a":1}"#)
        let typed: String = try InviteCodec.encode(invitation)
        let received: SignedGroupOpenInvitation = try InviteCodec.decode(
            SignedGroupOpenInvitation.self, from: typed)
        #expect(received.inviterSignature == invitation.inviterSignature)
        let link: String = InviteLink.create(
            slug: "com.example.notes", action: InviteLink.joinAction, params: [InviteLink.invitationParam: typed],
            host: InviteLink.defaultHost)
        #expect(link == InviteLink.invitation(token: typed, slug: "com.example.notes", host: InviteLink.defaultHost))
        #expect(InviteLink.create(slug: "s") == "https://links.calimero.network/s/join")
        let pasted: String? = InviteLink.token(fromPasted: link)
        #expect(pasted == typed && InviteLink.token(fromPasted: link, expectedSlug: "other") == nil)
        _ = everyJoin
    }

    // MARK: Section 12

    private func everyRegistryCall() async throws {
        let bundles: [ApplicationRegistry.Bundle] = try await ApplicationRegistry.bundles(package: "p")
        let resolved: ResolvedApplication = try await ApplicationRegistry.resolve(
            registryURL: ApplicationRegistry.defaultURL, package: "p", session: .shared)
        _ = (bundles, resolved.applicationId, resolved.signerId, resolved.version)
    }

    @Test func theRegistry() {
        #expect(ApplicationRegistry.defaultURL == "https://apps.calimero.network")
        let bundle = ApplicationRegistry.Bundle(package: nil, signerId: nil, appVersion: "1", yanked: false)
        let latest: ApplicationRegistry.Bundle? = ApplicationRegistry.selectLatest([bundle, .init()])
        #expect(latest == bundle)
        #expect(ApplicationRegistry.applicationIdForBundle(package: "p", signerId: "s").count == 64)
        _ = everyRegistryCall
    }
}
