import MeroKit

/// What a namespace's nodes have of its upgrades behind them.
///
/// Spec: 30, section 10.
struct MigrationStatus: Sendable {
    enum State: String, Sendable {
        case migrated
        case inProgress = "in_progress"
        case unknown
        case failed
    }

    struct Report: Sendable {
        var schemaVersion: UInt32
        /// Contexts that are yet to be migrated.
        var residue: Int
        /// Milliseconds since 1970.
        var syncedUpTo: Int64
        var reportedAt: Int64
        var hasFailed: Bool

        var state: State { hasFailed ? .failed : residue == 0 ? .migrated : .inProgress }
    }

    struct Member: Sendable {
        var peer: String
        var account: String
        /// Nil when the node does not answer.
        var report: Report?

        var state: State { report?.state ?? .unknown }
    }

    var targetVersion: UInt32
    var pinnedAt: Int64?
    var fleetCompletedAt: Int64?
    var members: [Member]

    func count(_ state: State) -> Int { members.filter { $0.state == state }.count }

    var wire: JsonTree {
        var tree = [
            JsonMember(name: "targetVersion", value: JsonTree(targetVersion)),
            JsonMember(name: "expectedMembers", value: JsonTree(members.count)),
        ]
        if let pinnedAt { tree.append(JsonMember(name: "cohortPinnedAtHlc", value: .string("\(pinnedAt)-0"))) }
        if let fleetCompletedAt {
            tree.append(JsonMember(name: "fleetCompletedAt", value: JsonTree(fleetCompletedAt)))
        }
        let rollup: JsonTree = [
            "migrated": JsonTree(count(.migrated)), "inProgress": JsonTree(count(.inProgress)),
            "unknown": JsonTree(count(.unknown)), "failed": JsonTree(count(.failed)), "total": JsonTree(members.count),
            "allMigrated": .bool(count(.migrated) == members.count), "membersPendingSignature": 0,
        ]
        tree.append(JsonMember(name: "rollup", value: rollup))
        tree.append(JsonMember(name: "members", value: .array(members.map(\.wire))))
        return .object(tree)
    }
}

extension MigrationStatus.Member {
    var wire: JsonTree {
        var tree = [
            JsonMember(name: "peer", value: .string(peer)), JsonMember(name: "account", value: .string(account)),
        ]
        if let report {
            var members = [
                JsonMember(name: "schemaVersion", value: JsonTree(report.schemaVersion)),
                JsonMember(name: "residueAuto", value: JsonTree(report.residue)),
                JsonMember(name: "residueIdentity", value: 0),
                JsonMember(name: "syncedUpToHlc", value: JsonTree(report.syncedUpTo)),
                JsonMember(name: "reportedAt", value: JsonTree(report.reportedAt)),
                JsonMember(name: "authoredRemaining", value: 0),
            ]
            if report.hasFailed { members.append(JsonMember(name: "migrationFailed", value: "apply_failed")) }
            tree.append(JsonMember(name: "report", value: .object(members)))
        }
        tree.append(JsonMember(name: "state", value: .string(state.rawValue)))
        return .object(tree)
    }
}

extension UpgradeService {
    /// What this node would tell the others.
    func report(of namespace: String) -> MigrationStatus.Report {
        let tree = groups.read { state in state.subtree(of: namespace).compactMap { id in state[id].map { (id, $0) } } }
        var residue = 0
        var hasFailed = false
        var version: UInt32?
        for (id, record) in tree {
            for context in record.contexts.compactMap({ contexts[$0] }) {
                let held = context.read { $0.contract?.stateVersion } ?? 1
                version = min(version ?? held, held)
            }
            guard let upgrade = record.upgrade, !upgrade.isAborted, let status = status(of: id, record) else {
                continue
            }
            residue += status.counts.map { $0.total - $0.swapped } ?? 0
            hasFailed = hasFailed || status.counts?.failed ?? 0 > 0
        }
        let now = clock.now.timeIntervalSince1970
        return MigrationStatus.Report(
            schemaVersion: version ?? Self.targetVersion(tree.map(\.1)) ?? 1, residue: residue,
            syncedUpTo: Int64(now * 1000), reportedAt: clock.seconds, hasFailed: hasFailed)
    }

    /// Nil while no upgrade is on record.
    private static func targetVersion(_ tree: [GroupRecord]) -> UInt32? {
        tree.compactMap(\.upgrade).filter { !$0.isAborted }.map(\.stateVersion).max()
    }

    func migrationStatus(of namespace: String) -> MigrationStatus {
        let own = report(of: namespace)
        var reports = [identity.nodeKey: own]
        for peer in groups.link.network?.peers(of: groups.link.id) ?? [] {
            reports[peer.identity.nodeKey] = peer.upgrades.report(of: namespace)
        }
        let network = groups.link.network
        let (tree, members) = groups.read { state -> ([GroupRecord], [MigrationStatus.Member]) in
            let tree = state.subtree(of: namespace)
            let accounts = Set(tree.flatMap { id in state.members(of: id).map(\.account) })
            let members = accounts.sorted().flatMap { account in
                state.devices(of: account, in: namespace).compactMap { device -> MigrationStatus.Member? in
                    let key = device.record.signingKey
                    // A device that only signs has no contexts of its own.
                    guard device.record.isManaged || reports[key] != nil || network?.isNode(key) == true else {
                        return nil
                    }
                    return MigrationStatus.Member(peer: key, account: account, report: reports[key])
                }
            }
            return (tree.compactMap { state[$0] }, members)
        }
        let newest = tree.compactMap(\.upgrade).filter { !$0.isAborted }.map(\.initiatedAt).max()
        var status = MigrationStatus(
            targetVersion: Self.targetVersion(tree) ?? own.schemaVersion, pinnedAt: newest.map { $0 * 1000 },
            members: members)
        guard let newest else { return status }
        let key = "\(namespace)|\(newest)|\(status.targetVersion)"
        let isComplete = !members.isEmpty && status.count(.migrated) == members.count
        let now = clock.seconds
        status.fleetCompletedAt = fleetCompletions.withLock { completions in
            if isComplete, completions[key] == nil { completions[key] = now }
            return completions[key]
        }
        return status
    }
}

extension GroupReads {
    func upgradeStatus(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, group) = try visible(call, state)
            return ["data": upgrades.status(of: id, group)?.wire ?? .null]
        }
    }

    func cascadeStatus(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, _) = try visible(call, state)
            let reach = reach(call, state)
            let rows = state.subtree(of: id).filter { reach?.contains($0) ?? true }.compactMap { id -> JsonTree? in
                guard let group = state[id], let status = upgrades.status(of: id, group) else { return nil }
                var members = [
                    JsonMember(name: "groupId", value: .string(id)), JsonMember(name: "upgrade", value: status.wire),
                ]
                if let cascade = status.upgrade.cascade {
                    members.append(JsonMember(name: "cascadeHlc", value: .string(cascade)))
                }
                return .object(members)
            }
            return ["data": .array(rows)]
        }
    }

    /// An account's session has to administer the namespace.
    func migrationStatus(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try groups.read { state -> String in
                let (id, _) = try visible(call, state)
                guard state[id]?.parent == nil else { throw GroupAdmin.notARoot }
                if let account = call.caller?.account, !state.isAdmin(account, in: id) {
                    throw NodeRefusal(403, "\(account) is not an admin of namespace \(id)")
                }
                return id
            }
            return .json(200, upgrades.migrationStatus(of: id).wire)
        }
    }

    func teePolicy(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, _) = try visible(call, state)
            return TeeAdmissionPolicy.wire(state.namespace(of: id).flatMap { state[$0]?.teeAdmission })
        }
    }
}
