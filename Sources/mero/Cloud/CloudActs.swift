import Foundation
import MeroKit

/// What the commands of `mero cloud` do, but for signing in and out.
enum CloudActs {
    // MARK: - What there is

    static func namespaces(_ run: AdminRun) async throws {
        let all = try await CloudDesk(run.invocation).asOwner { cloud, _ in try await cloud.getMyNamespaces() }
        try run.list(
            "namespaces", ["namespace", "hosting", "since", "contexts", "relays"],
            all.map { namespace in
                [
                    namespace.namespaceId, namespace.haStatus, namespace.haEnabledAt ?? "",
                    "\(namespace.contexts.count)", replicas(namespace.fleetReplicas),
                ]
            },
            all.map { namespace in
                [
                    "namespaceId": .string(namespace.namespaceId), "haStatus": .string(namespace.haStatus),
                    "haEnabledAt": .optional(namespace.haEnabledAt), "contexts": .strings(namespace.contexts),
                    "fleetReplicas": namespace.fleetReplicas.map(Report.init) ?? .null,
                ]
            })
    }

    private static func replicas(_ value: JSONValue?) -> String {
        guard let value, let current = value["current"]?.intValue else { return "" }
        return value["limit"]?.intValue.map { "\(current) of \($0)" } ?? "\(current)"
    }

    static func relays(_ run: AdminRun) async throws {
        let desk = try CloudDesk(run.invocation)
        guard run.arguments.operand("namespace") != nil else { return try await relaysOfAccount(desk, run) }
        let namespace = try run.id("namespace")
        // What the owner is told goes further than what everybody may ask.
        if (try? desk.owner()) != nil {
            try await relaysOfOwner(namespace, desk, run)
        } else {
            try await relaysOfNamespace(namespace, desk, run)
        }
    }

    private static func relaysOfAccount(_ desk: CloudDesk, _ run: AdminRun) async throws {
        let device = try desk.device()
        let (rows, session) = try await told {
            let rows = try await device.signIn.cloudClient().getAccountRelays(device.session.account)
            // The one to go by may have changed with them.
            return (rows, try await device.signIn.refreshRelay())
        }
        try await device.checkKept()
        try run.list(
            "relays", ["relay", "alive", "account", "used"],
            rows.map { row in
                [
                    row.relayUrl ?? "no address yet", row.fresh ? "yes" : "no", row.executorAccount ?? "unknown",
                    row.relayUrl != nil && row.relayUrl == session.relayUrl ? "yes" : "",
                ]
            },
            rows.map { row in
                [
                    "peerId": .string(row.peerId), "relayUrl": .optional(row.relayUrl), "fresh": .bool(row.fresh),
                    "executorAccount": .optional(row.executorAccount), "assigned": .bool(row.assigned),
                    "used": .bool(row.relayUrl != nil && row.relayUrl == session.relayUrl),
                ]
            })
        if let note = session.note { try run.console.remark(note) }
    }

    private static func relaysOfOwner(_ namespace: String, _ desk: CloudDesk, _ run: AdminRun) async throws {
        let rows = try await desk.asOwner { cloud, _ in try await cloud.getNamespaceRelays(namespace) }
        try run.list(
            "relays", ["relay", "status", "role", "writes", "account"],
            rows.map { row in
                [
                    row.relayUrl ?? "no address yet", row.status, row.teeRole ?? "", row.canExecute ? "yes" : "no",
                    row.executorAccount ?? "unknown",
                ]
            },
            rows.map { row in
                [
                    "peerId": .string(row.peerId), "relayUrl": .optional(row.relayUrl),
                    "status": .string(row.status), "teeRole": .optional(row.teeRole),
                    "canExecute": .bool(row.canExecute), "authorshipReady": .bool(row.authorshipReady),
                    "executorAccount": .optional(row.executorAccount), "nodeKey": .optional(row.nodeKey),
                    "lastSeenAt": .optional(row.lastSeenAt), "confirmedAt": .optional(row.confirmedAt),
                ]
            })
    }

    private static func relaysOfNamespace(_ namespace: String, _ desk: CloudDesk, _ run: AdminRun) async throws {
        let client: CloudClient
        if let device = try? desk.device() {
            client = try await device.signIn.cloudClient()
        } else {
            client = CloudClient(baseURL: desk.cloud.url, timeout: desk.timeout, options: desk.options)
        }
        let routing = try await told { try await client.getNamespaceRouting(namespace) }
        try run.list(
            "relays", ["relay", "status", "role", "writes", "admits", "alive", "account"],
            routing.nodes.map { row in
                [
                    row.relayUrl ?? "no address yet", row.status, row.teeRole ?? "", row.canExecute ? "yes" : "no",
                    row.canAdmit ? "yes" : "no", row.fresh ? "yes" : "no", row.account ?? "unknown",
                ]
            },
            routing.nodes.map { row in
                [
                    "peerId": .string(row.peerId), "relayUrl": .optional(row.relayUrl),
                    "status": .string(row.status), "teeRole": .optional(row.teeRole),
                    "canExecute": .bool(row.canExecute), "canAdmit": .bool(row.canAdmit),
                    "fresh": .bool(row.fresh), "executorAccount": .optional(row.account),
                ]
            })
    }

    /// Errors in the cloud's words.
    private static func told<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw CloudFailure.describing(error)
        }
    }

    // MARK: - Owning and hosting

    static func claim(_ run: AdminRun) async throws {
        let namespace = try run.id("namespace")
        let desk = try CloudDesk(run.invocation)
        // Both before the node signs anything.
        let user = try desk.owner().user
        let admin = try await run.admin
        guard !user.email.isEmpty else {
            throw Failure(
                code: .notSignedIn, message: "The login does not tell whose it is",
                hint: "Run \"mero cloud login\" again")
        }
        let expiry = (Date().timeIntervalSince1970 * 1000 + 120_000).rounded()
        // Passed on as it came: the cloud checks the bytes.
        let proof: JSONValue = try await admin.issueNamespaceOwnershipProof(
            namespace,
            request: [
                "audience": "mdma:claim-namespace", "subject": .string(user.email),
                "nonce": .string(Hex.encode(randomBytes(16))), "expiresAtMs": .number(expiry),
            ])
        _ = try await desk.asOwner { cloud, _ in
            try await cloud.claimNamespace(namespace, ownershipProof: proof)
        }
        try run.say(
            "Namespace \(namespace) is \(user.email)'s. Next: mero cloud ha enable \(namespace)",
            ["namespaceId": .string(namespace), "owner": .string(user.email)])
    }

    static func enable(_ run: AdminRun) async throws {
        let namespace = try run.id("namespace")
        let desk = try CloudDesk(run.invocation)
        let answer: JSONValue
        if let salt = run.arguments.text(.foundingSalt) {
            let device = try desk.device()
            let relay = run.arguments.text(.foundingRelay) ?? device.session.relayUrl
            answer = try await told {
                try await device.signIn.cloudClient().enableHaAsAccount(
                    namespaceId: namespace, salt: salt, accountId: device.session.account,
                    credential: device.session.credential, keys: device.identity.keys, relayURL: relay)
            }
        } else {
            var addresses: [String]?
            if run.arguments.has(.announceNode) {
                let status = try await run.admin.getNetworkStatus()
                addresses = CloudAccountClient.admitterAddrs(networkStatus: status)
            }
            let told = addresses
            answer = try await desk.asOwner { cloud, _ in
                try await cloud.enableNamespaceHa(namespace, admitterAddrs: told)
            }
        }
        let status = answer["status"]?.stringValue ?? "asked for"
        try run.say(
            "Hosting of \(namespace): \(status). Next: mero cloud relays \(namespace)",
            ["namespaceId": .string(namespace), "status": .string(status)])
    }

    static func disable(_ run: AdminRun) async throws {
        let namespace = try run.id("namespace")
        let desk = try CloudDesk(run.invocation)
        _ = try desk.owner()
        try await run.confirm(
            "The cloud's nodes leave \(namespace) and delete its data and keys. What no other node has is lost. Go on?")
        let answer = try await desk.asOwner { cloud, _ in try await cloud.disableNamespaceHa(namespace) }
        let status = answer["status"]?.stringValue ?? "asked for"
        try run.say(
            "Hosting of \(namespace): \(status).", ["namespaceId": .string(namespace), "status": .string(status)])
    }

    // MARK: - Connecting

    static func connect(_ run: AdminRun) async throws {
        let desk = try CloudDesk(run.invocation)
        if run.arguments.operand("namespace") != nil {
            try await connectOwned(try run.id("namespace"), desk, run)
        } else {
            try await connectDevice(desk, run)
        }
    }

    private static func connectDevice(_ desk: CloudDesk, _ run: AdminRun) async throws {
        let device = try desk.device()
        // A relay that was not there at the sign-in may be by now.
        let session =
            device.session.isRelayless ? try await told { try await device.signIn.refreshRelay() } : device.session
        let connection = await device.signIn.connect(session)
        try await device.checkKept()
        guard let relay = session.relayUrl else {
            throw Failure(
                code: .refused, message: session.note ?? "The account has no relay yet",
                hint: "\"mero invite accept INVITATION --as-account\" gives it one")
        }
        var namespaces: [String] = []
        if let mero = connection.mero {
            namespaces = try await mero.admin.listNamespaces().map(\.namespaceId)
            await mero.close()
        }
        try run.show(
            [
                ("account", session.account), ("relay", relay), ("relay's account", session.executorAccount),
                ("node key", connection.nodeKey), ("reads and events", connection.mero != nil ? "yes" : "no"),
                ("why not", connection.readNote), ("namespaces", namespaces.joined(separator: " ")),
                ("try", desk.callWords("CONTEXT", relay: relay)),
            ],
            [
                "account": .string(session.account), "relayUrl": .string(relay),
                "executorAccount": .optional(session.executorAccount), "nodeKey": .optional(connection.nodeKey),
                "reads": .bool(connection.mero != nil), "readNote": .optional(connection.readNote),
                "namespaces": .strings(namespaces),
            ])
        if let note = session.note { try run.console.remark(note) }
    }

    private static func connectOwned(_ namespace: String, _ desk: CloudDesk, _ run: AdminRun) async throws {
        let identity = try desk.profile.identity()
        guard let credential = identity.credential, let certificate = try identity.certificate() else {
            throw Failure(
                code: .notSignedIn, message: "The keys of profile \"\(desk.profile.name)\" are not certified yet",
                hint: "Run \"mero cloud login\", or certify them with \"mero account device\"")
        }
        // A token that is due is replaced at the first question, which keeps it whatever comes of the rest.
        _ = try await desk.asOwner { cloud, _ in try await cloud.getMyNamespaces() }
        let began = try desk.owner()
        let connection = try await told {
            try await connectCloud(
                ConnectCloudOptions(
                    authorAccount: certificate.account, authorProof: credential, signer: identity.keys,
                    sessionToken: began.sessionToken, namespaceId: namespace,
                    nonces: desk.profile.nonces(of: identity.keys), cloudBaseURL: desk.cloud.url,
                    timeout: desk.timeout, relayOptions: desk.options, cloudOptions: desk.options))
        }
        if let now = await connection.cloud.currentSession {
            try await desk.profile.keep(now, inPlaceOf: began, at: desk.cloud.text)
        }
        defer { connection.client.close() }
        let row = connection.relayRow
        try run.show(
            [
                ("namespace", connection.namespaceId), ("hosting", connection.namespace.haStatus),
                ("relay", row.relayUrl), ("relay's account", row.executorAccount), ("writes as", certificate.account),
                ("try", desk.callWords("CONTEXT", relay: row.relayUrl)),
            ],
            [
                "namespaceId": .string(connection.namespaceId), "haStatus": .string(connection.namespace.haStatus),
                "relayUrl": .optional(row.relayUrl), "executorAccount": .optional(row.executorAccount),
                "account": .string(certificate.account),
            ])
    }
}

extension OptionSpec {
    static let foundingSalt = OptionSpec(
        name: "salt", value: .text("HEX"),
        help: "The account founded the namespace with this salt (\"mero relay found\"): no login is needed.")
    static let foundingRelay = OptionSpec(
        name: "relay", short: "r", value: .node,
        help: "With --salt: the relay that founded the namespace; the account's own when not given.")
    static let announceNode = OptionSpec(
        name: "announce-node", help: "Tell the cloud where the profile's node is reached, for those who join.")
}
