import Foundation

/// New contexts and namespaces, and the ways into them. Spec: 60, section 10.4.
extension DelegatedAdmin {
    /// Makes a context in a group. The account is its member.
    ///
    /// - Parameter request: `initializationParams` are the bytes of the application's own arguments: JSON in UTF-8, none or
    ///   empty for no arguments.
    public func createContext(_ request: CreateContextRequest) async throws -> CreateContextResponseData {
        let bytes = (request.initializationParams ?? []).compactMap { UInt8(exactly: $0) }
        guard bytes.count == request.initializationParams?.count ?? 0,
            let arguments = bytes.isEmpty ? JSONValue.object([:]) : try? JSONValue(jsonBytes: Data(bytes))
        else { throw AccountError.invalidInput("initializationParams must be the bytes of a JSON text") }
        let relay = try await home(of: request.groupId).relay
        let made = try await relay.createContext(
            groupId: request.groupId, applicationId: request.applicationId, initArgs: arguments,
            serviceName: request.serviceName, name: request.name, seed: request.contextSeed)
        account.map.learn(listedContexts: [made.contextId], relay: relay.relayURL)
        return CreateContextResponseData(
            contextId: made.contextId, memberPublicKey: account.accountId, groupId: made.groupId, groupCreated: false)
    }

    /// Makes a context that only these accounts see: in a restricted subgroup of its own.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace that the subgroup is made in, 64 hex characters.
    ///   - applicationId: The application, 64 hex characters.
    ///   - members: Beside the account itself.
    ///   - name: How the context is called.
    ///   - initArgs: Arguments of the application's own initialisation, JSON in UTF-8; empty is none.
    public func createPrivateContext(
        namespaceId: String, applicationId: String, members: [String], name: String? = nil,
        initArgs: JSONValue = [:]
    ) async throws -> CreatedRelayContext {
        let added = try members.map { try GovernanceOps.memberAdded(member: $0, role: "Member") }
        let group = try await createGroup(parent: namespaceId, namespace: namespaceId, request: nil).groupId
        let relay = try relay(namespace: namespaceId)
        for op in added { try await relay.govern(groupId: group, op: op) }
        let made = try await relay.createContext(
            groupId: group, applicationId: applicationId, initArgs: initArgs, name: name)
        account.map.learn(listedContexts: [made.contextId], relay: relay.relayURL)
        return made
    }

    /// What new members may do where nothing else is said.
    public static let foundingCapabilities: UInt32 = 231

    /// Founds a namespace through the session's relay, with the account as its owner.
    ///
    /// The relay attests itself first: a pin is not enough here. What fails after the founding is told in the result.
    ///
    /// - Parameters:
    ///   - application: What runs in the namespace.
    ///   - name: How it is called.
    ///   - executorAccount: The relay's account, as the cloud names it; nil takes the session's.
    ///   - hosted: Whether the cloud is asked to host it, if there is a cloud client.
    public func createNamespace(
        application: FoundingApplication, name: String? = nil, executorAccount: String? = nil, hosted: Bool = true
    ) async throws -> DelegatedFounding {
        let url = try relayURL(namespace: nil)
        guard let executor = executorAccount ?? account.session.executorAccount else {
            throw AccountError.notSignedIn("the relay's executor account is not known: the cloud names it")
        }
        let key = try await RelayNodeKey.attest(
            relayURL: url, verifier: account.verifier, session: account.urlSession, options: account.options)
        try account.pins.pin(key, for: url)
        let relay = try account.client(at: url).relay
        let founded = try await relay.foundNamespace(
            executor: RelayExecutor(executorAccount: executor, executorKey: key),
            defaultCapabilities: Self.foundingCapabilities, application: application)
        account.map.learn(namespace: founded.namespaceId, relay: url)
        account.namespaces.withLock { $0[founded.namespaceId] = founded.namespaceId }
        let nameError = try await Self.attempt(name) {
            try await relay.govern(groupId: founded.namespaceId, op: GovernanceOps.groupMetadataSet(name: $0))
        }
        let hostingError = try await Self.attempt(hosted ? account.cloud : nil) { cloud in
            try await cloud.enableHaAsAccount(
                namespaceId: founded.namespaceId, salt: founded.salt, accountId: account.accountId,
                credential: account.session.credential.credential, signer: account.signer, relayURL: url)
        }
        return DelegatedFounding(namespace: founded, nameError: nameError, hostingError: hostingError)
    }

    /// Why it did not go well; nil when it did, or when there was nothing to do. Throws `CancellationError` only.
    private static func attempt<Value>(_ value: Value?, _ work: (Value) async throws -> some Any) async throws
        -> String?
    {
        guard let value else { return nil }
        do {
            _ = try await work(value)
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            return error.localizedDescription
        }
    }

    /// An invitation that the account's device signs. Nothing is published.
    ///
    /// It names the namespace's relays as those who admit, else its admins. Throws `AccountError.invitationNotClaimable`
    /// when nobody could honour it.
    public func createNamespaceInvitation(
        _ namespaceId: String, role: GroupInvitations.InvitedRole = .member,
        validForSeconds: Int = GroupInvitations.maxValiditySeconds, applicationId: String? = nil
    ) async throws -> SignedGroupOpenInvitation {
        let members = try await Self.members(of: namespaceId, reads(namespace: namespaceId))
        let admitters = GroupInvitations.hostedAdmitters(members)
        var addresses: [String] = []
        if let routing = try await routing(of: namespaceId) {
            if routing.nodes.isEmpty, let url = account.map.relay(ofNamespace: namespaceId) ?? account.session.relayURL
            {
                addresses = [url]
            } else if let reason = GroupInvitations.unclaimable(routing, admitters) {
                throw AccountError.invitationNotClaimable(namespaceId: namespaceId, reason: reason)
            }
        }
        return try await GroupInvitations.sign(
            groupId: namespaceId, inviterAccount: account.accountId, signer: account.signer, admitters: admitters,
            invitedRole: role, validForSeconds: validForSeconds, applicationId: applicationId,
            admitterAddrs: addresses)
    }

    /// Nil without a cloud, and when it does not answer: the invitation may be good all the same.
    private func routing(of namespaceId: String) async throws -> CloudNamespaceRouting? {
        guard let cloud = account.cloud else { return nil }
        do {
            return try await cloud.getNamespaceRouting(namespaceId)
        } catch let error as CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }

    /// Joins a namespace by invitation; works with no relay yet, and then goes by the one that admitted.
    ///
    /// The account is a member once the network has applied it: poll `listNamespaces`.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - request: The invitation, and how the namespace is called.
    ///   - nodeURL: The node to ask; nil asks the cloud, else takes the session's relay.
    public func joinNamespace(
        _ namespaceId: String, request: JoinNamespaceRequest, nodeURL: String? = nil
    ) async throws -> JoinOutcome {
        let outcome = try await join(namespaceId, request.invitation, nodeURL)
        account.map.learn(namespace: namespaceId, relay: outcome.relayUrl)
        account.namespaces.withLock { $0[namespaceId.lowercased()] = namespaceId.lowercased() }
        if account.session.relayURL == nil {
            try account.move(to: outcome.relayUrl)
        }
        return outcome
    }

    private func join(
        _ namespaceId: String, _ invitation: SignedGroupOpenInvitation, _ nodeURL: String?
    ) async throws -> JoinOutcome {
        try invitation.checkNotExpired()
        let choice = AdmitterChoice(namespaceId: namespaceId, invitation: invitation)
        let candidates: [AccountJoin.Candidate]
        if let nodeURL {
            candidates = [try AccountJoin.Candidate(nodeURL: nodeURL, namespaceId)]
        } else if let cloud = account.cloud {
            let routing = try await cloud.getNamespaceRouting(namespaceId)
            candidates = try choice.relays(in: routing).map(AccountJoin.Candidate.init)
        } else if let relayURL = account.session.relayURL {
            candidates = [try AccountJoin.Candidate(nodeURL: relayURL, namespaceId)]
        } else {
            // As if the cloud knew nobody: the invitation may say where to ask.
            let routing = CloudNamespaceRouting(namespaceId: namespaceId, nodes: [], servable: false, writable: false)
            candidates = try choice.relays(in: routing).map(AccountJoin.Candidate.init)
        }
        let nonce = try await NonceDesk.next(account.nonces, "join:\(account.accountId)")
        let credential = account.session.credential
        return try await AccountJoin.bootstrap(
            candidates, namespaceId: namespaceId, invitation: invitation, account: credential.account,
            credential: credential.credential, signer: account.signer, nonce: nonce, session: account.urlSession,
            options: account.options)
    }
}

/// A namespace that an account founded, and what became of the rest.
///
/// Spec: 60, section 10.4.
public struct DelegatedFounding: Sendable, Equatable {
    /// The namespace. Its salt proves the founding later.
    public let namespace: FoundedNamespace
    /// Why the name was not set; nil when it was, or none was asked for.
    public let nameError: String?
    /// Why the cloud does not host it; nil when it does, or was not asked.
    public let hostingError: String?

    /// Makes a value of its parts.
    public init(namespace: FoundedNamespace, nameError: String? = nil, hostingError: String? = nil) {
        self.namespace = namespace
        self.nameError = nameError
        self.hostingError = hostingError
    }
}
