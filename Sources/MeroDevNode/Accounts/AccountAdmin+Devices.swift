import Foundation
import MeroKit

/// Where a device counts, what it is called, and its end.
///
/// Spec: 30, section 11.4.
extension AccountAdmin {
    private static let longestLabel = 64
    private static let largestScope = 256
    /// Seconds between two names of one device.
    private static let labelInterval: Int64 = 10

    /// The device that a path names, of the node's own account. Throws `NodeRefusal`.
    private func device(_ call: RouteCall, _ state: GroupState) throws -> (id: String, record: DeviceRecord) {
        let id = try GroupAdmin.id(call.parameters["device"] ?? "", "device id")
        guard let record = state.devices[id], record.account == identity.accountId else { throw Self.unknownDevice }
        return (id, record)
    }

    private func isReachable(_ record: DeviceRecord) -> Bool {
        groups.link.network?.peers(of: groups.link.id).contains { $0.identity.nodeKey == record.signingKey } ?? false
    }

    private func applications(_ named: [String], _ field: String) throws -> [String] {
        var check = BodyCheck()
        let ids = named.map { check.id($0, field) }
        try check.finish()
        return ids
    }

    // MARK: - Scope

    func relink(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try admin.fields(call, ["applications"])
            let added = try applications(
                try AdminBody.shaped { try fields.optionalStrings("applications") ?? [] }, "applications[]")
            guard identity.holdsRoot else { throw Self.notTheHolder }
            let (members, touched) = try groups.change { state -> ([JsonMember], [String]) in
                var (id, record) = try device(call, state)
                if !added.isEmpty, !record.applications.isEmpty, !record.isRevoked {
                    let wider = record.applications + added.filter { !record.applications.contains($0) }
                    if wider != record.applications { try rise(&record) }
                    record.applications = wider
                    state.devices[id] = record
                }
                return try answer(id, record, nil, &state)
            }
            for namespace in touched { admin.hub.announce([], namespace: namespace) }
            return GroupAdmin.data(.object(members))
        }
    }

    func rescope(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try admin.fields(call, ["scope"])
            let only = try applications(try AdminBody.shaped { try Self.scope(fields) } ?? [], "scope.only[]")
            let isAll = fields.optional("scope")?.stringValue == "all"
            guard isAll || !only.isEmpty else { throw NodeRefusal(400, "the scope replacement is empty") }
            guard only.count <= Self.largestScope else {
                throw NodeRefusal(400, "the scope replacement has more than \(Self.largestScope) applications")
            }
            guard identity.holdsRoot else { throw Self.notTheHolder }
            let (members, touched) = try groups.change { state -> ([JsonMember], [String]) in
                var (id, record) = try device(call, state)
                guard id != identity.deviceId else {
                    throw NodeRefusal(403, "the device that holds the root speaks for every application")
                }
                let known = Set(state.namespaces(of: record.account).compactMap { state[$0]?.target?.applicationId })
                for application in only where !known.contains(application) {
                    guard !admin.catalog.releases(of: application).isEmpty else {
                        throw NodeRefusal(400, "the scope replacement names the unknown application \(application)")
                    }
                }
                try rise(&record)
                // From now on it counts where it was put.
                let before = state.namespaces(of: record.account).filter { state.isBound(device: id, in: $0) }
                record.isManaged = true
                record.applications = only
                state.devices[id] = record
                for namespace in before { state.groups[namespace]?.boundDevices.insert(id) }
                let descoped = before.filter { !record.covers(state[$0]?.target?.applicationId) }
                for namespace in descoped { state.groups[namespace]?.boundDevices.remove(id) }
                return try answer(id, record, descoped, &state)
            }
            for namespace in touched { admin.hub.announce([], namespace: namespace) }
            return GroupAdmin.data(.object(members))
        }
    }

    /// Nil for `"all"`.
    private static func scope(_ fields: JsonFields) throws -> [String]? {
        let value = try fields.value("scope")
        if let word = value.stringValue {
            guard word == "all" else {
                throw JsonShapeProblem(description: "unknown variant `\(word)`, expected `all` or `only`")
            }
            return nil
        }
        return try JsonFields(value, allowed: ["only"], what: "a scope").strings("only")
    }

    private func rise(_ record: inout DeviceRecord) throws {
        guard record.scopeEpoch < UInt32.max else { throw NodeRefusal(409, "the device's scope epoch is exhausted") }
        record.scopeEpoch += 1
    }

    /// Links the device wherever it may count, and tells what became of every namespace. The namespaces that changed.
    ///
    /// - Parameter narrowed: where it counts no more; nil where the answer has no such list.
    private func answer(
        _ id: String, _ record: DeviceRecord, _ narrowed: [String]?, _ state: inout GroupState
    ) throws -> ([JsonMember], [String]) {
        let descoped = narrowed ?? []
        let namespaces = state.namespaces(of: record.account)
        var linked: [String] = []
        var skipped: [(String, String)] = []
        for namespace in namespaces where !descoped.contains(namespace) {
            if id == identity.deviceId {
                skipped.append((namespace, "ownDevice"))
            } else if record.isRevoked || state.isRevoked(device: id, in: namespace) {
                skipped.append((namespace, "revoked"))
            } else if !record.covers(state[namespace]?.target?.applicationId) {
                skipped.append((namespace, "outOfScope"))
            } else if state.isBound(device: id, in: namespace) {
                skipped.append((namespace, "alreadyBound"))
            } else {
                linked.append(namespace)
            }
        }
        for namespace in linked { state.groups[namespace]?.boundDevices.insert(id) }
        let isReachable = isReachable(record)
        var members = [
            JsonMember(name: "accountId", value: .string(record.account)),
            JsonMember(name: "deviceId", value: .string(id)),
            JsonMember(name: "applications", value: JsonTree(record.applications)),
        ]
        func add(_ name: String, _ rows: [JsonTree]) { members.append(JsonMember(name: name, value: .array(rows))) }
        let now = state
        if let narrowed { add("descoped", narrowed.map { rotation($0, now) }) }
        add("linkedIn", linked.map { ["namespaceId": .string($0), "keyDelivered": .bool(isReachable)] })
        add("skipped", skipped.map { ["namespaceId": .string($0.0), "reason": .string($0.1)] })
        return (members, linked + descoped)
    }

    /// Only an administrator changes the namespace's key.
    private func rotation(_ namespace: String, _ state: GroupState) -> JsonTree {
        [
            "namespaceId": .string(namespace),
            "keyRotated": .bool(state.isAdmin(identity.accountId, in: namespace)),
        ]
    }

    // MARK: - Name

    func label(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try admin.fields(call, ["label"])
            let raw = try AdminBody.shaped { try fields.string("label") }
            let text = raw.trimmingCharacters(in: .whitespacesAndNewlines)
            var check = BodyCheck()
            check.text("label", text, max: Self.longestLabel)
            if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                check.fail("label", "control characters are not allowed")
            }
            try check.finish()
            let now = clock.seconds
            return try groups.change { state in
                var (id, record) = try device(call, state)
                guard identity.holdsRoot || id == identity.deviceId else {
                    throw NodeRefusal(403, "a paired device may label only itself")
                }
                guard record.labelEpoch == 0 || now - record.labelledAt >= Self.labelInterval else {
                    throw NodeRefusal(429, "the device was renamed too recently")
                }
                let others = state.devices.entries.filter { $0.key != id && $0.value.account == record.account }
                guard !others.contains(where: { $0.value.label == text }), record.labelEpoch < UInt32.max else {
                    throw NodeRefusal(409, "the label is not available")
                }
                record.label = text
                record.labelEpoch += 1
                record.labelledAt = now
                state.devices[id] = record
                return GroupAdmin.data([
                    "accountId": .string(record.account), "deviceId": .string(id), "label": .string(text),
                    "labelEpoch": JsonTree(record.labelEpoch),
                ])
            }
        }
    }

    // MARK: - End

    func revoke(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try admin.fields(call, ["deviceId", "proof"])
            let (text, proofText) = try AdminBody.shaped {
                (try fields.string("deviceId"), try fields.optionalString("proof"))
            }
            var check = BodyCheck()
            let id = check.id(text, "deviceId")
            if proofText == "" { check.fail(hex: "proof", "empty; omit the field entirely if you have no proof") }
            if let proofText, !proofText.isEmpty, Hex.decode(proofText) == nil { check.fail(hex: "proof") }
            try check.finish()
            let namespace = try GroupAdmin.groupId(call)
            let actor = try admin.actor(call)
            guard id != identity.deviceId else { throw NodeRefusal(403, "a device does not revoke itself") }
            let revokedIn = try groups.change { state -> [String] in
                try GroupAdmin.requireRoot(actor, namespace, state)
                guard var record = state.devices[id] else { throw Self.unknownDevice }
                try authorize(proofText, id, record)
                let bound = state.namespaces(of: record.account).filter { state.isBound(device: id, in: $0) }
                record.isRevoked = true
                state.devices[id] = record
                for namespace in bound {
                    state.groups[namespace]?.revokedDevices.insert(id)
                    state.groups[namespace]?.boundDevices.remove(id)
                }
                return bound
            }
            for namespace in revokedIn { admin.hub.announce([], namespace: namespace) }
            return GroupAdmin.data(
                groups.read { state in
                    [
                        "accountId": .string(state.devices[id]?.account ?? ""), "deviceId": .string(id),
                        "keyRotated": .bool(state.isAdmin(actor, in: namespace)),
                        "revokedIn": .array(revokedIn.map { rotation($0, state) }),
                    ]
                })
        }
    }

    /// The account's root has to say so, here or in a proof. Throws `NodeRefusal`.
    private func authorize(_ proof: String?, _ id: String, _ record: DeviceRecord) throws {
        guard let proof else {
            guard record.account == identity.accountId, identity.holdsRoot else { throw Self.notTheHolder }
            return
        }
        let revocation: AccountProof<DeviceRevocation>
        do {
            revocation = try AccountProof(Data(Hex.decode(proof) ?? []))
            try revocation.verify()
        } catch {
            throw NodeRefusal(400, "the revocation proof is invalid: \(error)")
        }
        guard Hex.encode(revocation.statement.device) == id, Hex.encode(revocation.statement.account) == record.account
        else { throw NodeRefusal(400, "the revocation proof is for another device") }
    }

    // MARK: - Others' devices

    func link(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try admin.fields(call, ["credential", "scope"])
            let (credentialText, scopeText) = try AdminBody.shaped {
                (try fields.string("credential"), try fields.string("scope"))
            }
            let credential: AccountProof<DeviceCertificate> = try Self.proof(
                credentialText, "credential", "a device credential")
            let scope: AccountProof<DeviceScopeStatement> = try Self.proof(scopeText, "scope", "a device scope")
            let certificate = credential.statement
            guard (try? credential.verify()) != nil, (try? scope.verify()) != nil else {
                throw NodeRefusal(400, "invalid device link: the account's root did not sign it")
            }
            guard scope.statement.account == certificate.account, scope.statement.device == certificate.device else {
                throw NodeRefusal(400, "invalid device link: scope and credential are for different devices")
            }
            let namespace = try GroupAdmin.groupId(call)
            let actor = try admin.actor(call)
            let (account, id) = (Hex.encode(certificate.account), Hex.encode(certificate.device))
            let isBound = try groups.change { state -> Bool in
                try GroupAdmin.requireRoot(actor, namespace, state)
                guard state.membership(of: account, in: namespace) != nil else {
                    throw NodeRefusal(403, "device link refused: the account is not a member of the namespace")
                }
                let known = state.devices[id]
                guard known?.isRevoked != true, !state.isRevoked(device: id, in: namespace) else {
                    throw NodeRefusal(403, "device link refused: the device has been revoked")
                }
                var record = known ?? DeviceRecord(certificate)
                record.applications = scope.statement.applications.map { Hex.encode($0) }
                guard record.covers(state[namespace]?.target?.applicationId) else {
                    throw NodeRefusal(403, "device link refused: the namespace's application is out of scope")
                }
                guard known == nil || scope.statement.scopeEpoch >= record.scopeEpoch else {
                    throw NodeRefusal(400, "invalid device link: the scope is older than the one on record")
                }
                if known != nil, state.isBound(device: id, in: namespace) { return true }
                record.isManaged = true
                record.scopeEpoch = scope.statement.scopeEpoch
                state.devices[id] = record
                state.groups[namespace]?.boundDevices.insert(id)
                return false
            }
            admin.hub.announce([], namespace: namespace)
            return GroupAdmin.data([
                "accountId": .string(account), "deviceId": .string(id), "alreadyBound": .bool(isBound),
            ])
        }
    }

    private static func proof<Statement: RootStatement>(
        _ text: String, _ field: String, _ what: String
    ) throws -> AccountProof<Statement> {
        let bytes = try RelayService.bytes(text, field)
        do {
            return try AccountProof(bytes)
        } catch {
            throw NodeRefusal(400, "\(field) is not \(what): \(error)")
        }
    }
}
