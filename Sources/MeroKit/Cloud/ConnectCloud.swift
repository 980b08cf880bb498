import Foundation

/// A connection to a namespace of the cloud's user, by way of the relay that the cloud gave to it.
///
/// Writes go straight to the relay: the cloud sees neither methods nor arguments. Spec: 70, section 9.1.
public struct CloudWriteConnection: Sendable {
    /// The cloud, with the login's session.
    public let cloud: CloudAccountClient
    /// The relay.
    public let relay: RelayClient
    /// The namespace, 64 hex characters.
    public let namespaceId: String
    /// What the cloud says about it.
    public let namespace: CloudNamespace
    /// What the cloud says about the relay.
    public let relayRow: CloudNamespaceRelay
    /// The relay as a transport. It brings events only where the relay's node key is known.
    public let client: MeroTransportClient

    /// Runs a method in a context, as one write. See `RelayClient.execute`.
    public func execute(
        contextId: String, method: String, argsJson: JSONValue = [:]
    ) async throws -> IntentResult {
        try await relay.execute(contextId: contextId, method: method, argsJson: argsJson)
    }
}

/// Signs in to the cloud, and connects to a namespace of the user's.
///
/// ```swift
/// let connection = try await connectCloud(
///     ConnectCloudOptions(
///         authorAccount: account, authorProof: credential, deviceSecret: keys.deviceSecret, sessionToken: stored))
/// let result = try await connection.execute(contextId: id, method: "set", argsJson: ["key": "k", "value": "v"])
/// ```
///
/// Throws `AccountError.invalidInput` for options that cannot be used, before anything is sent; `AccountError.notSignedIn`,
/// with what to do about it, when the cloud knows no such namespace or no relay that writes; `MeroError`;
/// `CancellationError`. Spec: 70, section 9.1.
public func connectCloud(_ options: ConnectCloudOptions) async throws -> CloudWriteConnection {
    let token = options.sessionToken.flatMap { $0.isBlank ? nil : $0 }
    let google = options.googleIdToken.flatMap { $0.isBlank ? nil : $0 }
    guard token != nil || google != nil else {
        throw AccountError.invalidInput("connectCloud needs either a sessionToken or a googleIdToken")
    }
    let device = try options.device
    try options.checkAuthor()
    let cloud = CloudAccountClient(
        baseURL: options.cloudBaseURL, sessionToken: token, onSession: options.onSession, session: options.urlSession,
        timeout: options.timeout, options: options.cloudOptions)
    if token == nil, let google { try await cloud.signInWithGoogle(idToken: google) }
    return try await NamespaceChoice(options: options, cloud: cloud, device: device).connect()
}

/// The same with an account that is linked to a cloud user: its root signs in.
///
/// The tokens of the options play no part, and an empty `authorAccount` is the root's. Spec: 70, section 9.1.
public func connectCloudWithAccount(
    _ options: ConnectCloudOptions, root: AccountRoot
) async throws -> CloudWriteConnection {
    var options = options
    if options.authorAccount.isBlank { options.authorAccount = root.accountId }
    let device = try options.device
    try options.checkAuthor()
    let cloud = CloudAccountClient(
        baseURL: options.cloudBaseURL, onSession: options.onSession, session: options.urlSession,
        timeout: options.timeout, options: options.cloudOptions)
    try await cloud.signInWithAccount(root: root)
    return try await NamespaceChoice(options: options, cloud: cloud, device: device).connect()
}

/// Which namespace and which relay. Nothing is guessed: what is not clear is told.
private struct NamespaceChoice {
    let options: ConnectCloudOptions
    let cloud: CloudAccountClient
    let device: any DeviceSigner

    func connect() async throws -> CloudWriteConnection {
        let namespace = try pick(from: try await cloud.getMyNamespaces())
        let rows = try await cloud.getNamespaceRelays(namespace.namespaceId)
        guard let row = rows.firstExecuting, let url = row.relayUrl else {
            throw AccountError.notSignedIn(RelayDiagnosis(namespace: namespace, rows: rows).text)
        }
        let relay = RelayClient(
            relayURL: url, authorAccount: options.authorAccount, authorProof: options.authorProof, signer: device,
            nonces: options.nonces ?? UserDefaultsWarrantNonceStore(), executorAccount: row.executorAccount,
            ttlSeconds: options.ttlSeconds, session: options.urlSession, options: options.relayOptions)
        // A key of the cloud's that is none must not stand in the way of writing.
        let nodeKey = options.relayNodeKey ?? row.nodeKey.flatMap { Hex.is32($0) ? $0 : nil }
        let client = try MeroTransportClient(
            .relay(
                RelayTransportConfig(
                    relay: relay, observe: RelayObserveConfig(nodeKey: nodeKey, audience: options.observeAudience))))
        return CloudWriteConnection(
            cloud: cloud, relay: relay, namespaceId: namespace.namespaceId, namespace: namespace, relayRow: row,
            client: client)
    }

    private func pick(from owned: [CloudNamespace]) throws -> CloudNamespace {
        let ids = owned.map(\.namespaceId).joined(separator: ", ")
        if let wanted = options.namespaceId {
            let id = wanted.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
            if let namespace = owned.first(where: { $0.namespaceId.lowercased() == id }) { return namespace }
            throw AccountError.notSignedIn(
                "this account owns no namespace \(wanted); it owns: \(owned.isEmpty ? "(none)" : ids)")
        }
        guard let first = owned.first else {
            throw AccountError.notSignedIn(
                "this account owns no namespaces in the cloud: claim one first, then enable HA on it so a relay is assigned"
            )
        }
        guard owned.count == 1 else {
            throw AccountError.notSignedIn(
                "this account owns \(owned.count) namespaces — pass namespaceId to say which: \(ids)")
        }
        return first
    }
}

/// Why none of a namespace's relays writes.
struct RelayDiagnosis {
    let namespace: CloudNamespace
    let rows: [CloudNamespaceRelay]

    private static let readOnly = "ReadOnlyTee"

    var text: String {
        let id = namespace.namespaceId
        if rows.isEmpty {
            return namespace.haStatus == "enabled"
                ? "namespace \(id) has HA enabled but no relay has been assigned to it yet — retry shortly"
                : "namespace \(id) has no relays: enable HA on it in the cloud to have an attested node assigned"
        }
        let writers = rows.filter { $0.teeRole != Self.readOnly }
        if writers.isEmpty {
            return "every relay of namespace \(id) was admitted as \(Self.readOnly), which replicates and never writes "
                + "for others: set the namespace's TEE admission policy to mode: 'relay' and have a relay admitted anew"
        }
        if writers.allSatisfy({ $0.teeRole == nil && !$0.authorshipReady }) {
            let names = writers.map { $0.executorAccount ?? $0.peerId }.joined(separator: ", ")
            return "no relay of namespace \(id) holds CAN_AUTHOR_ON_BEHALF: \(names). Grant it with grantAuthorship(), "
                + "or let the group take delegated writes with openToDelegatedExecution()"
        }
        return "namespace \(id) has \(rows.count) relay(s), but none reported both a URL and an executor account yet — "
            + "retry shortly"
    }
}
