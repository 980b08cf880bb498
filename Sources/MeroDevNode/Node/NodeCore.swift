import Foundation
import MeroKit

/// A node without its HTTP server: takes requests, gives answers.
final class NodeCore: Sendable {
    let options: DevNodeOptions
    let status: NodeStatus
    let auth: AuthService
    let blobs: BlobStore
    let applications: ApplicationStore
    let contexts: ContextRuntime
    let identity: NodeIdentity
    let groups: GroupRegistry
    let events: EventHub
    let sessions: SseSessionTable
    let relay: RelayService
    let link: PeerLink
    let upgrades: UpgradeService
    let admission: GroupAdmission
    let sealed: SealedService
    let router: NodeRouter
    private let gate: NodeGuard
    private let blobService: BlobService

    init(
        options: DevNodeOptions, clock: DevClock, status: NodeStatus, directory: DataDirectory?,
        shelf: ContractShelf, published: [ReleaseCatalog.Release], streams: StreamRegistry,
        webSocketsAreMuted: Locked<Bool>
    ) throws {
        self.options = options
        self.status = status
        identity = try NodeIdentity(directory: directory)
        let nodeKey = try identity.keys.signPublicKeyBytes
        auth = try AuthService(
            settings: options.authSettings(nodeKey: nodeKey), clock: clock, status: status, directory: directory)
        sealed = try SealedService(options: options.sealing, clock: clock)
        link = PeerLink(id: identity.nodeKey, network: options.network)
        blobs = try BlobStore(directory: directory)
        applications = try ApplicationStore(shelf: shelf, blobs: blobs, directory: directory)
        let catalog = ReleaseCatalog(applications: applications, published: published)
        contexts = try ContextRuntime(directory: directory, applications: applications, link: link)
        groups = try GroupRegistry(directory: directory, link: link)
        let authority = EventAuthority(contexts: contexts, groups: groups, identity: identity)
        events = EventHub(authority: authority, clock: clock, link: link)
        sessions = try SseSessionTable(hub: events, clock: clock, directory: directory)
        let sse = SseService(sessions: sessions, clock: clock, registry: streams, options: options)
        let rpc = JsonRpcService(contexts: contexts, authority: authority, bodyLimit: options.bodyLimit)
        let webSocket = WebSocketService(
            hub: events, rpc: rpc, registry: streams, options: options, isMuted: webSocketsAreMuted)
        relay = RelayService(
            contexts: contexts, groups: groups, identity: identity, hub: events, clock: clock,
            ledger: try NonceLedger(directory: directory), presence: PresenceSequences(), log: RelayLog(),
            catalog: catalog, options: options.relay, bodyLimit: options.bodyLimit)
        upgrades = UpgradeService(
            contexts: contexts, groups: groups, hub: events, clock: clock, catalog: catalog, identity: identity)
        admission = GroupAdmission(groups: groups, hub: events, identity: identity, clock: clock, options: options)
        gate = NodeGuard(
            auth: auth,
            proofs: ProofGate(
                clock: clock, nodeKey: nodeKey, identity: identity,
                servesEveryone: options.delegatedAccess))
        let permissions: RoutePermissions = options.delegatedAccess ? .relay : .standard
        let limit = options.bodyLimit
        blobService = BlobService(blobs: blobs, groups: groups, limit: options.blobLimit)
        let reads = GroupReads(contexts: contexts, groups: groups, identity: identity, upgrades: upgrades)
        let admin = GroupAdmin(
            contexts: contexts, groups: groups, identity: identity, hub: events, clock: clock, catalog: catalog,
            admission: admission, upgrades: upgrades, bodyLimit: limit)
        let accounts = AccountAdmin(admin: admin)
        router = NodeRouter(
            Self.adminRoutes(
                status: status, identity: identity, link: link, UsageReport(contexts: contexts, groups: groups))
                + Self.applicationRoutes(
                    ApplicationService(
                        applications: applications, catalog: catalog, contexts: contexts, groups: groups,
                        devInstallRoot: options.devInstallRoot, bodyLimit: limit))
                + Self.blobRoutes(blobService)
                + Self.contextRoutes(
                    ContextService(
                        contexts: contexts, groups: groups, identities: try ContextIdentities(directory: directory),
                        hub: events, status: status, clock: clock, identity: identity, bodyLimit: limit))
                + Self.aliasRoutes(AliasService(aliases: try AliasBook(directory: directory), bodyLimit: limit))
                + Self.teeRoutes(
                    AttestationService(
                        nodeKey: nodeKey, applications: applications, groups: groups,
                        identity: identity, tee: options.tee, status: status, admission: admission, sealed: sealed,
                        bodyLimit: limit))
                + Self.authRoutes(auth, permissions) + Self.rpcRoutes(rpc) + Self.webSocketRoutes(webSocket)
                + Self.relayRoutes(relay, permissions) + Self.readRoutes(reads) + Self.groupRoutes(admin)
                + Self.ownerRoutes(admin) + Self.upgradeRoutes(admin) + Self.accountRoutes(accounts)
                + (options.servesEventStream ? Self.sseRoutes(sse) : []))
        blobs.addFinder { [link] blob, context in link.network?.blob(blob, context: context, for: link.id) }
        // Where the node's account is a member, its device counts.
        if let certificate = identity.certificate { groups.learn(certificate) }
    }

    /// Forgets what lives as long as the process does.
    func endProcess() {
        sealed.table.renewKey()
        sessions.endProcess()
        contexts.forgetPresence()
        events.forgetPresence()
        relay.presence.forget()
    }

    /// Ends what the node does by itself.
    func close() {
        upgrades.close()
        events.close()
    }

    func handle(_ request: DevHttpRequest) async -> DevHttpResponse {
        if let (path, prefix) = sealedPath(of: request) {
            return await sealed.handle(request, path: path, prefix: prefix) { await self.serve($0) }
        }
        if options.sealing.isRequired, !isServedUnsealed(request) {
            return SealedRefusal(403, "sealed_required", "this node takes sealed requests only").response
        }
        return await serve(request)
    }

    private func serve(_ request: DevHttpRequest) async -> DevHttpResponse {
        if request.faultHint == .revokeFamily { revokeCaller(of: request) }
        switch admit(request) {
        case .refused(let response): return response
        case .admitted(let route, let call): return await route.handler(call)
        }
    }

    private enum Admission {
        case refused(DevHttpResponse)
        case admitted(NodeRoute, RouteCall)
    }

    /// Finds the route and lets the guard judge.
    private func admit(_ request: DevHttpRequest) -> Admission {
        guard let path = localPath(request.path) else { return .refused(.refused(404)) }
        switch router.match(method: request.method, path: path) {
        case .none: return .refused(.refused(404))
        case .wrongMethod(let allowed):
            var response = DevHttpResponse.refused(405)
            response.headers.append(("Allow", allowed.joined(separator: ", ")))
            return .refused(response)
        case .route(let route, let parameters):
            switch gate.judge(request, access: route.access, parameters: parameters) {
            case .refused(let response): return .refused(response)
            case .open: return .admitted(route, RouteCall(request: request, parameters: parameters))
            case .caller(let caller):
                if let bound = caller.scopes.contextBinding?.resource, let group = parameters["group"],
                    groups.group(ofContext: bound.lowercased()) != group.lowercased()
                {
                    return .refused(.outOfBinding("group"))
                }
                return .admitted(route, RouteCall(request: request, parameters: parameters, caller: caller))
            }
        }
    }

    // MARK: - Sealed requests

    /// The path of one of the two sealed endpoints and what stands before it. Both are served with the node's prefix and
    /// without.
    private func sealedPath(of request: DevHttpRequest) -> (path: String, prefix: String)? {
        let prefix = options.normalizedPathPrefix
        if sealed.owns(request.path) { return (request.path, "") }
        guard !prefix.isEmpty, request.path.hasPrefix(prefix) else { return nil }
        let path = String(request.path.dropFirst(prefix.count))
        return sealed.owns(path) ? (path, prefix) : nil
    }

    private func isServedUnsealed(_ request: DevHttpRequest) -> Bool {
        ["health", "ready", "tee/attest", "tee/info"].contains { localPath(request.path) == "/admin-api/\($0)" }
    }

    // MARK: - Body limits

    /// A context's parameters come as a list of numbers, up to four bytes for one.
    private static let largestCreation = 6 << 20

    func bodyLimit(_ request: DevHttpRequest) -> UInt64 {
        if sealedPath(of: request) != nil { return UInt64(max(0, options.sealing.envelopeLimit)) }
        let path = localPath(request.path) ?? ""
        if isUpload(request) {
            // What nobody may upload is not worth the disk.
            if case .refused = admit(request) { return 0 }
            return options.blobLimit
        }
        let isAuth = path.hasPrefix("/auth/") || path.hasPrefix("/admin/")
        let limit = isAuth ? options.authBodyLimit : options.bodyLimit
        return UInt64(max(0, path == "/admin-api/contexts" ? max(limit, Self.largestCreation) : limit))
    }

    /// When the body of a request has to be there.
    func bodyDeadline(_ request: DevHttpRequest) -> Date? {
        sealedPath(of: request).flatMap { sealed.deadline(ofBodyAt: $0.path) }
    }

    private func isUpload(_ request: DevHttpRequest) -> Bool {
        request.method == "PUT" && localPath(request.path) == "/admin-api/blobs"
    }

    /// The answer to a body over the limit: what stands before the body in the order of checks comes first here, too.
    func tooLarge(_ request: DevHttpRequest) -> DevHttpResponse {
        if sealedPath(of: request) != nil { return sealed.tooLarge }
        switch admit(request) {
        case .refused(let response): return response
        case .admitted: return isUpload(request) ? blobService.tooLarge : .bodyTooLarge
        }
    }

    // MARK: - Path prefix

    /// The path without `NODE_PATH_PREFIX`. The auth service and `/sse` are served with and without it.
    private func localPath(_ path: String) -> String? {
        let prefix = options.normalizedPathPrefix
        guard !prefix.isEmpty else { return path }
        if path.hasPrefix(prefix + "/") { return String(path.dropFirst(prefix.count)) }
        let isUnprefixed = ["/auth/", "/admin/", "/sse/"].contains { path.hasPrefix($0) } || path == "/sse"
        return isUnprefixed ? path : nil
    }

    // MARK: - Faults

    private func revokeCaller(of request: DevHttpRequest) {
        let queryToken = request.query.first { $0.0 == "token" }?.1
        // The auth service's own calls carry their tokens in the body.
        let body = request.wholeBody.flatMap { try? JsonParser.parse($0) }
        let candidates = [
            request.bearerToken, queryToken, body?["refresh_token"]?.stringValue, body?["access_token"]?.stringValue,
        ]
        _ = candidates.compactMap { $0 }.contains { auth.revokeKey(behind: $0) }
    }
}
