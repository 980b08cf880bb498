import Foundation

/// The admin API as an account without a node: what it reads comes from its relays, what it changes goes out as warrants.
///
/// Methods are called, and answer, as those of `AdminApi`. What has no account form throws
/// `MeroTransportError.relayHasNo`, which names it, and sends nothing: upgrades, installing applications, aliases, deleting
/// namespaces, contexts and blobs, leaving contexts, invitations to subgroups, the policies of attested machines, and the
/// account's own devices. Errors are those of `RelayClient` and `AdminApi`; without a relay everything but
/// the listings, `getNodeIdentity` and `joinNamespace` throws `AccountError.notSignedIn`. Spec: 60, section 10.4.
public struct DelegatedAdmin: Sendable {
    let account: DelegatedAccount

    // MARK: - Reading

    /// The relay's own admin API, as the account, for every other read: of the relay that serves the namespace, else of the
    /// session's.
    public func reads(namespace: String? = nil) async throws -> AdminApi {
        try await account.client(at: try relayURL(namespace: namespace)).admin
    }

    /// The account's namespaces at all of its relays, each once. Relays that do not answer are left out; none is no error.
    public func listNamespaces() async throws -> ListNamespacesResponseData {
        var seen: Set<String> = []
        return try await everywhere { admin, relayURL in
            let namespaces = try await Self.pages { try await admin.listNamespaces(offset: $0, limit: $1) }
            account.map.learn(listedNamespaces: namespaces.map(\.namespaceId), relay: relayURL)
            return namespaces
        }.filter { seen.insert($0.namespaceId).inserted }
    }

    /// Those that run an application. Narrowed here, since a relay's own listing by application is not an account's to read.
    public func listNamespacesForApplication(_ applicationId: String) async throws -> ListNamespacesResponseData {
        try await listNamespaces().filter { $0.targetApplicationId.lowercased() == applicationId.lowercased() }
    }

    /// The account's contexts at all of its relays, each once.
    public func getContexts() async throws -> GetContextsResponseData {
        var seen: Set<String> = []
        let contexts = try await everywhere { admin, relayURL in
            let contexts = try await Self.pages { try await admin.getContexts(offset: $0, limit: $1).contexts }
            account.map.learn(listedContexts: contexts.map(\.id), relay: relayURL)
            return contexts
        }
        return GetContextsResponseData(contexts: contexts.filter { seen.insert($0.id).inserted })
    }

    /// Those that run an application, narrowed here for the same reason as `listNamespacesForApplication`.
    public func getContextsForApplication(_ applicationId: String) async throws -> GetContextsResponseData {
        GetContextsResponseData(
            contexts: try await getContexts().contexts.filter {
                $0.applicationId.lowercased() == applicationId.lowercased()
            })
    }

    /// Who acts: the account, through a certified device. Nothing is sent.
    public func getNodeIdentity() async throws -> NodeIdentity {
        let credential = account.session.credential
        let root = (try? DeviceCertificates.parse(credential.credential).rootPublicKey) ?? ""
        return NodeIdentity(
            accountId: account.accountId, publicKey: credential.deviceKey.lowercased(), accountRootPublicKey: root,
            deviceCertified: true)
    }

    /// The account, where it is a member of the context's group.
    public func getContextIdentitiesOwned(_ contextId: String) async throws -> GetContextIdentitiesResponseData {
        let admin = try await reads(context: contextId)
        do {
            guard let group = try await admin.getContextGroup(contextId) else { return .init(identities: []) }
            let members = try await Self.members(of: group, admin)
            let isMember = members.contains { $0.identity.lowercased() == account.accountId }
            return .init(identities: isMember ? [account.accountId] : [])
        } catch MeroError.http(let answer) where answer.status == 403 && !answer.cameInTheClear {
            return .init(identities: [])
        }
    }

    /// Nothing: a relay syncs by itself.
    public func syncGroup(_ groupId: String) async throws {}

    /// Nothing: a relay syncs by itself.
    public func syncContext(_ contextId: String) async throws {}

    // MARK: - Relays

    static let needsRelay = AccountError.notSignedIn("this needs a relay, and the account has none yet")

    func relayURL(namespace: String?) throws -> String {
        guard let url = namespace.flatMap(account.map.relay(ofNamespace:)) ?? account.session.relayURL else {
            throw Self.needsRelay
        }
        return url
    }

    func relay(namespace: String?) throws -> RelayClient {
        try account.client(at: try relayURL(namespace: namespace)).relay
    }

    func reads(context: String) async throws -> AdminApi {
        guard let url = account.map.relay(ofContext: context) ?? account.session.relayURL else { throw Self.needsRelay }
        return try await account.client(at: url).admin
    }

    /// The namespace that a group is in, and its relay. Asked for once, then remembered.
    func home(of groupId: String) async throws -> (namespace: String, relay: RelayClient) {
        let group = groupId.lowercased()
        if let known = account.namespaces.withLock({ $0[group] }) { return (known, try relay(namespace: known)) }
        if account.map.relay(ofNamespace: group) != nil { return (group, try relay(namespace: group)) }
        let info = try await reads().getGroupInfo(groupId)
        let namespace = (info.namespaceId ?? groupId).lowercased()
        account.namespaces.withLock { $0[group] = namespace }
        return (namespace, try relay(namespace: namespace))
    }

    static func members(of groupId: String, _ admin: AdminApi) async throws -> [GroupMember] {
        try await pages { try await admin.listGroupMembers(groupId, offset: $0, limit: $1).members }
    }

    /// All rows of a listing: a node cuts it off after the first hundred without a word.
    private static func pages<Row>(
        _ page: (_ offset: Int, _ limit: Int) async throws -> [Row]
    ) async throws -> [Row] {
        let limit = 100
        var rows: [Row] = []
        while true {
            let next = try await page(rows.count, limit)
            rows += next
            if next.count < limit { return rows }
        }
    }

    /// Asks every relay whose key is to be had, one after the other.
    private func everywhere<Row>(_ ask: (AdminApi, String) async throws -> [Row]) async throws -> [Row] {
        var rows: [Row] = []
        for url in account.map.relays(besides: account.session.relayURL) {
            do {
                if !RelayOrigin.isLoopback(url) { try await account.learnKey(of: url) }
                rows += try await ask(try await account.client(at: url).admin, url)
            } catch let error as CancellationError {
                throw error
            } catch {
                // One relay that is away must not hide what the others know.
                try Task.checkCancellation()
            }
        }
        return rows
    }
}
