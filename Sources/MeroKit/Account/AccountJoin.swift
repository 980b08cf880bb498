import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Joins a namespace as an account that has no node.
///
/// ```swift
/// let outcome = try await AccountJoin.bootstrapFromInvitation(
///     namespaceId: ns, invitation: invitation, account: account, credential: credential, keys: keys,
///     nonce: nonces.next(relay: "join:\(account)"), cloud: cloud)
/// ```
///
/// Spec: 60, section 6, and 70, section 11.
public enum AccountJoin {
    /// Seconds: the admitter waits for the network before it answers.
    static let timeout: TimeInterval = 20
    /// So many nodes are asked for one join at most.
    static let mostCandidates = 8
    /// Seconds after which no further node is asked.
    static let longestSearch: TimeInterval = 60

    /// Finds the relay that can admit the invitation's bearer.
    ///
    /// Throws `AccountError.notSignedIn` when nobody can, what the cloud throws when it cannot be asked, and
    /// `CancellationError`. Only nodes that the invitation names come into question.
    public static func resolveRelay(
        namespaceId: String, invitation: SignedGroupOpenInvitation, cloud: CloudClient
    ) async throws -> InvitationRelay {
        let routing = try await cloud.getNamespaceRouting(namespaceId)
        return try AdmitterChoice(namespaceId: namespaceId, invitation: invitation).relay(in: routing)
    }

    /// Hands the join to a node. True when the op reached the network, which is not membership yet.
    ///
    /// Throws `AccountError.intentRefused` (never retryable) when the node refuses, with its status; `.invalidInput` for an
    /// invitation that has expired, is to another namespace or cannot be read; `MeroError.network`; `CancellationError`; sealed,
    /// also `SealedTransportError`, `AttestationError` and `MeroError.http` for what came in the clear.
    ///
    /// - Parameters:
    ///   - admitURL: Where the join is posted.
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - invitation: What the member handed out.
    ///   - account: The account that joins, 64 hex characters.
    ///   - credential: The certificate of its device, in hex.
    ///   - keys: The device's keys.
    ///   - nonce: From the sequence `join:<account>` of the device's store.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - options: How the node is spoken to: limits, trust, and `Sealing.signedRelays()` to seal the join.
    public static func joinWithNode(
        admitURL: URL, namespaceId: String, invitation: SignedGroupOpenInvitation, account: String, credential: String,
        keys: DeviceKeys, nonce: UInt64, session: URLSession? = nil, options: HttpOptions = HttpOptions()
    ) async throws -> Bool {
        try await joinWithNode(
            admitURL: admitURL, namespaceId: namespaceId, invitation: invitation, account: account,
            credential: credential, signer: keys, nonce: nonce, session: session, options: options)
    }

    /// The same with a signer.
    public static func joinWithNode(
        admitURL: URL, namespaceId: String, invitation: SignedGroupOpenInvitation, account: String, credential: String,
        signer: any DeviceSigner, nonce: UInt64, session: URLSession? = nil, options: HttpOptions = HttpOptions()
    ) async throws -> Bool {
        let join = try await join(namespaceId, invitation, account, credential, signer, nonce)
        return try await post(join, to: admitURL, session: session, options: options)
    }

    /// Finds the relay, unless one is given, and hands the join to it. It is the account's relay from then on.
    ///
    /// A node that cannot admit (409), says that it is not named (403), or does not answer is followed by the next one that
    /// the invitation names, each of them asked once: eight at most, and none after a minute. Throws what `resolveRelay` and
    /// `joinWithNode` throw.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - invitation: What the member handed out.
    ///   - account: The account that joins, 64 hex characters.
    ///   - credential: The certificate of its device, in hex.
    ///   - keys: The device's keys.
    ///   - nonce: From the sequence `join:<account>` of the device's store.
    ///   - nodeURL: The origin of the node to ask; nil asks the cloud.
    ///   - cloud: Who is asked when `nodeURL` is nil; nil takes a client with the default address.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - options: How nodes are spoken to, see `joinWithNode`. The cloud is not sealed to.
    public static func bootstrapFromInvitation(
        namespaceId: String, invitation: SignedGroupOpenInvitation, account: String, credential: String,
        keys: DeviceKeys, nonce: UInt64, nodeURL: String? = nil, cloud: CloudClient, session: URLSession? = nil,
        options: HttpOptions = HttpOptions()
    ) async throws -> JoinOutcome {
        try await bootstrapFromInvitation(
            namespaceId: namespaceId, invitation: invitation, account: account, credential: credential, signer: keys,
            nonce: nonce, nodeURL: nodeURL, cloud: cloud, session: session, options: options)
    }

    /// The same with a signer.
    public static func bootstrapFromInvitation(
        namespaceId: String, invitation: SignedGroupOpenInvitation, account: String, credential: String,
        signer: any DeviceSigner, nonce: UInt64, nodeURL: String? = nil, cloud: CloudClient,
        session: URLSession? = nil, options: HttpOptions = HttpOptions()
    ) async throws -> JoinOutcome {
        // Before anybody is asked where to go with it.
        try invitation.checkNotExpired()
        let candidates: [Candidate]
        if let nodeURL {
            candidates = [try Candidate(nodeURL: nodeURL, namespaceId)]
        } else {
            let routing = try await cloud.getNamespaceRouting(namespaceId)
            candidates = try AdmitterChoice(namespaceId: namespaceId, invitation: invitation).relays(in: routing)
                .map(Candidate.init)
        }
        return try await bootstrap(
            candidates, namespaceId: namespaceId, invitation: invitation, account: account, credential: credential,
            signer: signer, nonce: nonce, session: session, options: options)
    }

    /// A node that may admit, and how it was found; nil when it was given.
    struct Candidate: Sendable {
        let relayUrl: String
        let admitUrl: String
        let relay: InvitationRelay?

        init(_ relay: InvitationRelay) {
            (relayUrl, admitUrl) = (relay.relayUrl, relay.admitUrl)
            self.relay = relay
        }

        init(nodeURL: String, _ namespaceId: String) throws {
            relayUrl = RelayOrigin.trimmed(nodeURL)
            admitUrl = try AdmitterChoice.admitURL(at: relayUrl, namespaceId)
            relay = nil
        }
    }

    /// Hands one join to the candidates, in turn, until one takes it. A join that arrives twice is one join.
    static func bootstrap(
        _ candidates: [Candidate], namespaceId: String, invitation: SignedGroupOpenInvitation, account: String,
        credential: String, signer: any DeviceSigner, nonce: UInt64, session: URLSession?, options: HttpOptions
    ) async throws -> JoinOutcome {
        let join = try await join(namespaceId, invitation, account, credential, signer, nonce)
        var refusal: (any Error)?
        var absence: any Error = AccountError.notSignedIn("nobody is named who could admit")
        let start = ProcessInfo.processInfo.systemUptime
        for candidate in candidates.prefix(mostCandidates) {
            guard ProcessInfo.processInfo.systemUptime - start < longestSearch else { break }
            do {
                let published = try await post(
                    join, to: RelayOrigin.checked(candidate.admitUrl), session: session, options: options)
                return JoinOutcome(published: published, relayUrl: candidate.relayUrl, relay: candidate.relay)
            } catch AccountError.intentRefused(let reason, let retryable, let status) {
                let error = AccountError.intentRefused(reason: reason, retryable: retryable, status: status)
                // Another one may be able to, or be named.
                guard status == 409 || status == 403 else { throw error }
                refusal = error
            } catch let error as AccountError {
                // An address that is none.
                absence = error
            } catch MeroError.network(let text) {
                // What the cloud knows of a node that is away can be old.
                absence = MeroError.network(text)
            } catch let error where saysNothingOfTheNode(error) {
                absence = error
            }
        }
        // What a node said outranks that another one said nothing.
        throw refusal ?? absence
    }

    /// Whether a sealed join came to nothing on its way. Another node may be reached, or attest itself.
    private static func saysNothingOfTheNode(_ error: any Error) -> Bool {
        switch error {
        case is SealedTransportError, is AttestationError: return true
        case MeroError.http(let answer): return answer.cameInTheClear
        default: return false
        }
    }

    private static func join(
        _ namespaceId: String, _ invitation: SignedGroupOpenInvitation, _ account: String, _ credential: String,
        _ signer: any DeviceSigner, _ nonce: UInt64
    ) async throws -> Join {
        try invitation.checkNotExpired()
        let signedOp = try await NamespaceOps.signMemberJoinOp(
            namespaceId: namespaceId, invitation: invitation, account: account, credential: credential,
            signer: signer, nonce: nonce, joinedAt: UInt64(max(0, Date().timeIntervalSince1970)))
        return Join(invitation: invitation, signedOp: signedOp)
    }

    private struct Join: Encodable {
        let invitation: SignedGroupOpenInvitation
        let signedOp: String
    }

    private static func post(
        _ join: Join, to admitURL: URL, session: URLSession?, options: HttpOptions
    ) async throws -> Bool {
        let text = admitURL.absoluteString
        _ = try RelayOrigin.checked(text)
        let http = URLSessionHttpClient(
            baseURL: try AdmitterChoice.base(of: text), timeout: timeout, session: session, options: options)
        // The whole URL, which is taken as it is.
        var request = HttpRequest(
            path: text, method: .post, body: try .encoding(join), headers: ["Accept": "application/json"])
        request.sendOnce = true
        // A node takes the same join once: a sealed session that it has lost does not end it.
        let wasResent = Locked(false)
        request.onResend = { wasResent.withLock { $0 = true } }
        request.isBrief = true
        let body: Data
        do {
            body = try await http.sendRaw(request).0
        } catch MeroError.http(let answer) where !answer.cameInTheClear {
            throw refusal(answer, wasResent: wasResent.withLock { $0 })
        } catch MeroError.authRevoked(_, let answer) {
            throw refusal(answer, wasResent: wasResent.withLock { $0 })
        }
        let answer = try? JSONValue(jsonBytes: body)
        return (answer?["data"]?["published"] ?? answer?["published"]) == .bool(true)
    }

    private static func refusal(_ answer: HTTPError, wasResent: Bool) -> AccountError {
        let explanation: String
        switch answer.status {
        case _ where wasResent: explanation = "this was a second copy: the first one may have been taken"
        case 400: explanation = "the invitation is malformed, was altered, or is to another namespace"
        case 403: explanation = "the node is not among those that the invitation names, or the invitation has expired"
        case 409: explanation = "the node has no device of its own and cannot admit anybody: another one may"
        case 503, 504: explanation = "nobody could complete the join in time: try again with the same invitation"
        default: explanation = "the join was not published"
        }
        return .intentRefused(
            reason: "\(RelayRefusal.reason(in: answer.bodyText)) (usually: \(explanation))", retryable: false,
            status: answer.status)
    }
}

/// Which node is asked to admit an invitation's bearer.
///
/// Spec: 70, section 11.2.
struct AdmitterChoice {
    let namespaceId: String
    let invitation: SignedGroupOpenInvitation

    static func admitURL(at relayUrl: String, _ namespaceId: String) throws -> String {
        relayUrl + (try PathTemplate.fill("/admin-api/namespaces/{namespaceId}/admit", [namespaceId]))
    }

    /// What the node that admits there is sealed to by: the URL up to the admin API, or its origin.
    ///
    /// Throws `AccountError.invalidInput`.
    static func base(of admitUrl: String) throws -> URL {
        guard let target = RequestTarget(admitUrl) else { throw RelayOrigin.unusable }
        let prefix = target.path.range(of: "/admin-api/", options: .backwards).map { target.path[..<$0.lowerBound] }
        return try RelayOrigin.base(String(target.url.dropLast(target.tail.count)) + (prefix ?? ""))
    }

    /// The first of `relays`.
    func relay(in routing: CloudNamespaceRouting) throws -> InvitationRelay {
        let relays = try relays(in: routing)
        guard let first = relays.first else { throw Self.nobody }
        return first
    }

    private static let nobody = AccountError.notSignedIn(
        "The cloud lists no node serving the namespace, and the invitation names none.")

    /// Whom to ask, best first; never empty. Throws `AccountError.notSignedIn` when there is nobody.
    func relays(in routing: CloudNamespaceRouting) throws -> [InvitationRelay] {
        let invited = Set(invitation.invitation.admitters.compactMap(Self.normalised))
        if routing.nodes.isEmpty { return try relaysInHints(invited) }
        let named =
            invited.isEmpty
            ? routing.nodes
            : routing.nodes.filter { $0.account.flatMap(Self.normalised).map(invited.contains) ?? false }
        guard !named.isEmpty else {
            throw AccountError.notSignedIn(
                "\(routing.nodes.count) node(s) serve this namespace, but your invitation names none of them. "
                    + "Ask for a fresh invitation.")
        }
        // Advice only: without one that says it can admit, the named nodes are tried all the same.
        let admitting = named.filter(\.canAdmit)
        let ordered = Self.ranked(admitting) + Self.ranked(named.filter { !$0.canAdmit })
        // Of those that say that they can admit, at least one must have an address.
        guard !Self.ranked(admitting.isEmpty ? named : admitting).isEmpty else {
            throw AccountError.notSignedIn(
                "A node that your invitation names serves this namespace, but the cloud knows no address for it yet. "
                    + "Try again shortly.")
        }
        return try ordered.map { node, relayUrl in
            let url = RelayOrigin.trimmed(relayUrl)
            return InvitationRelay(
                relayUrl: url, admitUrl: try node.admitUrl ?? Self.admitURL(at: url, namespaceId),
                admitterAccount: node.account.flatMap(Self.normalised), writable: routing.writable,
                stale: !node.fresh || admitting.isEmpty || !routing.servable)
        }
    }

    /// Those with an address: first one that runs writes, then one that was heard of, then the others.
    private static func ranked(_ nodes: [CloudNamespaceNode]) -> [(CloudNamespaceNode, String)] {
        let reachable = nodes.compactMap { node in node.relayUrl.map { (node, $0) } }
        func rank(_ node: CloudNamespaceNode) -> Int { node.canExecute ? 0 : node.fresh ? 1 : 2 }
        return (0...2).flatMap { wanted in reachable.filter { rank($0.0) == wanted } }
    }

    /// Where the cloud knows nobody, the invitation itself may say where to ask.
    private func relaysInHints(_ invited: Set<String>) throws -> [InvitationRelay] {
        // The first one only: whoever wrote the invitation must not send this device from address to address.
        let hint = invitation.admitterAddrs.first { address in
            let lowered = address.lowercased()
            return lowered.hasPrefix("http://") || lowered.hasPrefix("https://")
        }
        // Nor to a query or fragment, which would make the join's path a part of something else.
        guard let url = hint.map(RelayOrigin.trimmed), (try? RelayOrigin.base(url)) != nil else { throw Self.nobody }
        return [
            InvitationRelay(
                relayUrl: url, admitUrl: try Self.admitURL(at: url, namespaceId),
                admitterAccount: invited.count == 1 ? invited.first : nil, writable: true, stale: false)
        ]
    }

    /// Nil for an empty one.
    private static func normalised(_ account: String) -> String? {
        var account = account.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        if account.hasPrefix("0x") { account.removeFirst(2) }
        return account.isEmpty ? nil : account
    }
}
