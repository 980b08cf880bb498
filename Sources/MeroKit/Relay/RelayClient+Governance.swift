import Foundation

extension RelayClient {
    /// Has a context made in a group.
    ///
    /// The group must target the application, the relay must be allowed to make contexts for others, and the account to
    /// have them made; both is asked first, and refused here (`intentRefused`, status 403) without spending a number. Never
    /// repeated by itself. Spec: 60, section 5.4.
    ///
    /// - Parameters:
    ///   - groupId: The group, 64 hex characters.
    ///   - applicationId: The application, 64 hex characters.
    ///   - initArgs: Arguments of the application's own initialisation.
    ///   - serviceName: Which of the application's services runs in the context.
    ///   - name: How the context is called.
    ///   - seed: 32 bytes in hex, from which the node derives the context's id; nil is a new one.
    public func createContext(
        groupId: String, applicationId: String, initArgs: JSONValue = [:], serviceName: String? = nil,
        name: String? = nil, seed: String? = nil
    ) async throws -> CreatedRelayContext {
        try checkAuthor()
        let arguments = try Self.arguments(initArgs)
        let relay = try await describeCreation(groupId: groupId, author: authorAccount)
        guard relay.canCreateOnBehalf else {
            throw Self.noStanding(
                "the relay (account \(relay.executorAccount)) may not create contexts for members of group \(groupId): "
                    + "an admin must grant it CAN_AUTHOR_ON_BEHALF")
        }
        guard relay.authorMayCreate != false else {
            throw Self.noStanding(
                "account \(authorAccount) may not create contexts in group \(groupId): "
                    + "it is no admin and has not CAN_CREATE_CONTEXT")
        }
        let executor = try checkedExecutor(account: relay.executorAccount, key: relay.executorKey)
        var input = Warrants.CreationInput(
            group: groupId, seed: seed ?? Hex.encode(randomBytes(32)), authorAccount: authorAccount,
            executor: executor.executorAccount, executorKey: executor.executorKey, applicationId: applicationId,
            serviceName: serviceName, name: name, nonce: 0, notAfter: 0)
        input.canonicalArguments = arguments
        _ = try Warrants.creationPreimage(input, devicePublicKey: signer.signPublicKeyBytes)
        input.nonce = try await NonceDesk.next(nonces, relayURL)
        input.notAfter = expiry
        let warrant = try await Warrants.signCreationWarrant(input, signer: signer)
        let body = IntentBody.creation(arguments: arguments, warrant: warrant, authorProof: authorProof)
        let request = try AdminEndpoints.createContextIntent.request([groupId], body: .json(body))
        let made: CreatedRelayContext = try RelayAnswer.decode(from: try await post(request, notAfter: input.notAfter))
        try Self.checkId(made.contextId, "context")
        try Self.checkId(made.memberPublicKey, "member key")
        guard try Hex.id(groupId, "groupId") == Data(Hex.decode(made.groupId) ?? []) else {
            throw AccountError.protocolViolation("the relay answered for another group than the one it was asked about")
        }
        return made
    }

    /// Has a group changed.
    ///
    /// Never repeated by itself, not even when the number was spent (`has already been spent`).
    ///
    /// - Parameters:
    ///   - groupId: The group itself for an op of kind `group`, the namespace for one of kind `root`.
    ///   - op: Made by `GovernanceOps`.
    /// - Returns: The group that was acted on: for a new subgroup, its id.
    @discardableResult
    public func govern(groupId: String, op: Warrants.GovernanceOp) async throws -> String {
        guard let acted = try await change(groupId, op).groupId else { return groupId }
        try Self.checkId(acted, "group")
        return acted
    }

    /// Founds a namespace, and gives it an application and the capabilities of its members.
    ///
    /// The relay cannot be asked about a namespace that does not exist: the executor's account comes from the cloud, its key
    /// from an attestation of this moment. A namespace that exists already is `MeroError.http` with 409. What fails after
    /// the founding is told in the result. Spec: 60, section 5.6.
    ///
    /// - Parameters:
    ///   - executor: The relay that is to act, by account and key.
    ///   - salt: 32 bytes in hex; nil is a new one.
    ///   - defaultCapabilities: See `Capabilities`; never with `CAN_AUTHOR_ON_BEHALF`.
    ///   - application: What runs in the namespace.
    public func foundNamespace(
        executor: RelayExecutor, salt: String? = nil, defaultCapabilities: UInt32? = nil,
        application: FoundingApplication? = nil
    ) async throws -> FoundedNamespace {
        try checkAuthor()
        _ = try Hex.id(executor.executorAccount, "executorAccount")
        _ = try Hex.id(executor.executorKey, "executorKey")
        let executor = try checkedExecutor(account: executor.executorAccount, key: executor.executorKey)
        let salt = Hex.encode(try salt.map { try Hex.id($0, "salt") } ?? randomBytes(32))
        let namespaceId = try GovernanceOps.foundedNamespaceId(founder: authorAccount, salt: salt)
        let founding = try GovernanceOps.namespaceCreated(founder: authorAccount, credential: authorProof, salt: salt)
        let applicationOp = try application.map {
            try GovernanceOps.targetApplicationSet(
                applicationId: $0.applicationId, package: $0.package, version: $0.version)
        }
        let capabilitiesOp = try defaultCapabilities.map {
            try GovernanceOps.defaultCapabilitiesSet(capabilities: $0)
        }
        let answer = try await send(founding, scope: namespaceId, executor: executor)
        let chosen = try await follow(applicationOp, namespaceId)
        let set = try await follow(capabilitiesOp, namespaceId)
        return FoundedNamespace(
            namespaceId: namespaceId, salt: salt, teeEnabled: answer.teeEnabled ?? false,
            teeError: answer.teeError.flatMap { $0.isEmpty ? nil : $0 }, applicationSet: chosen.isDone,
            applicationError: chosen.error, defaultCapabilitiesSet: set.isDone, defaultCapabilitiesError: set.error)
    }

    /// Sends a signed presence statement. `RelayPresenceClient` makes and repeats them.
    ///
    /// A 429 is thrown at once: the next statement replaces this one. Spec: 60, sections 1.7 and 11.
    public func presenceIntent(contextId: String, request: PresenceIntentRequest) async throws {
        let call = try AdminEndpoints.presenceIntent.request([contextId], body: .encoding(request))
        do {
            _ = try await http.exchange(call, waits: false).result.get()
        } catch {
            guard case AccountError.intentRefused(let reason, _, let status) = RelayRefusal.of(error) else {
                throw error
            }
            // No nonce is involved, whatever the relay's words.
            throw AccountError.intentRefused(reason: reason, retryable: false, status: status)
        }
    }

    // MARK: Parts

    /// What a caller goes on to build paths and signatures from.
    private static func checkId(_ text: String, _ what: String) throws {
        guard Hex.is32(text) else {
            throw AccountError.protocolViolation("the relay named no \(what) of 64 hex characters")
        }
    }

    /// Nothing was signed, so no number was spent.
    private static func noStanding(_ reason: String) -> AccountError {
        .intentRefused(reason: reason + "; no nonce was spent", retryable: false, status: 403)
    }

    private struct GovernanceAnswer: Decodable {
        let groupId: String?
        let teeEnabled: Bool?
        let teeError: String?
    }

    private func change(_ groupId: String, _ op: Warrants.GovernanceOp) async throws -> GovernanceAnswer {
        try checkAuthor()
        let relay = try await describeGovernance(groupId: groupId)
        guard relay.canActOnBehalf else {
            throw Self.noStanding(
                "the relay (account \(relay.executorAccount)) may not act for members of group \(groupId): "
                    + "an admin must grant it CAN_AUTHOR_ON_BEHALF")
        }
        let executor = try checkedExecutor(account: relay.executorAccount, key: relay.executorKey)
        return try await send(op, scope: groupId, executor: executor)
    }

    private func send(
        _ op: Warrants.GovernanceOp, scope: String, executor: RelayExecutor
    ) async throws -> GovernanceAnswer {
        var input = Warrants.GovernanceInput(
            scope: scope, op: op, authorAccount: authorAccount, executor: executor.executorAccount,
            executorKey: executor.executorKey, nonce: 0, notAfter: 0)
        _ = try Warrants.governancePreimage(input, devicePublicKey: signer.signPublicKeyBytes)
        // Never below the clock: a store that was cleared goes on above everything that was spent before.
        input.nonce = try await NonceDesk.next(
            nonces, WarrantNonceSequence.governanceKey(relayURL: relayURL, groupId: scope),
            floor: http.clock.milliseconds)
        input.notAfter = expiry
        let warrant = try await Warrants.signGovernanceWarrant(input, signer: signer)
        let body = GovernanceIntentRequest(warrant: warrant, authorProof: authorProof, op: Hex.encode(op.bytes))
        let request = try AdminEndpoints.governanceIntent.request([scope], body: .encoding(body))
        return try RelayAnswer.decode(from: try await post(request, notAfter: input.notAfter))
    }

    private func post(_ request: HttpRequest, notAfter: UInt64) async throws -> Data {
        do {
            return try await http.exchange(request, notAfter: notAfter).result.get()
        } catch {
            throw RelayRefusal.of(error)
        }
    }

    /// What comes after a founding. Only cancellation is thrown: the namespace is there.
    private func follow(_ op: Warrants.GovernanceOp?, _ namespaceId: String) async throws -> (
        isDone: Bool?, error: String?
    ) {
        guard let op else { return (nil, nil) }
        do {
            _ = try await change(namespaceId, op)
            return (true, nil)
        } catch let error as CancellationError {
            throw error
        } catch {
            return (false, error.localizedDescription)
        }
    }
}
