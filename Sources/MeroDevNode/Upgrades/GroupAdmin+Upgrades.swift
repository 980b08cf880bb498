import MeroKit

/// Starting upgrades, trying them again, and ending them.
///
/// Spec: 30, section 10.
extension GroupAdmin {
    func upgrade(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["targetApplicationId", "cascade", "forceCodeOnly"])
            let (application, cascades, forcesCodeOnly) = try AdminBody.shaped {
                (
                    try fields.string("targetApplicationId"), try fields.optionalBool("cascade") ?? false,
                    try fields.optionalBool("forceCodeOnly") ?? false
                )
            }
            var check = BodyCheck()
            let applicationId = check.id(application, "targetApplicationId")
            try check.finish()
            let id = try Self.groupId(call)
            let actor = try actor(call)
            try groups.read { state in
                try Self.require(actor, in: id, state)
                try state.require(GroupCapability.manageApplication, actor, in: id)
            }
            guard let release = catalog.latest(of: applicationId) else {
                throw NodeRefusal(404, "Application '\(applicationId)' not found")
            }
            let hlc = cascades ? "\(milliseconds)-0" : nil
            let started = try groups.change { state -> [String] in
                let before = state[id]?.target
                let wanted = cascades ? state.subtree(of: id).filter { state[$0]?.target == before } : [id]
                try checkStart(of: id, wanted, release.target, state)
                for group in wanted {
                    let old = state[group]
                    state.groups[group]?.upgrade = GroupUpgrade(
                        from: old?.target, to: release.target, stateVersion: release.contract.stateVersion,
                        forcesCodeOnly: forcesCodeOnly, initiatedAt: clock.seconds, initiatedBy: actor,
                        initiator: identity.nodeKey, cascade: hlc, attempt: (old?.upgrade?.attempt ?? 0) + 1)
                    state.groups[group]?.target = release.target
                }
                return wanted
            }
            return begin(started, answering: id)
        }
    }

    private func checkStart(of id: String, _ wanted: [String], _ target: GroupTarget, _ state: GroupState) throws {
        for group in wanted {
            guard let record = state[group] else { continue }
            if upgrades.status(of: group, record)?.isRunning == true {
                throw NodeRefusal(409, "an upgrade of group \(group) is already in progress")
            }
        }
        guard state[id]?.target != target else {
            throw NodeRefusal(409, "group \(id) is already targeting \(target.package)@\(target.version)")
        }
        guard wanted.contains(where: { !(state[$0]?.contexts.isEmpty ?? true) }) else {
            throw NodeRefusal(409, "group \(id) has no contexts to upgrade")
        }
    }

    func retryUpgrade(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            _ = try fields(call)
            let id = try Self.groupId(call)
            let actor = try actor(call)
            try groups.change { state in
                try Self.require(actor, in: id, state)
                try state.require(GroupCapability.manageApplication, actor, in: id)
                guard let record = state[id], let status = upgrades.status(of: id, record) else {
                    throw NodeRefusal(404, "no upgrade on record for group \(id)")
                }
                guard status.word == UpgradeStatus.failed else {
                    throw NodeRefusal(409, "the upgrade is not retryable: it is \(status.word)")
                }
                state.groups[id]?.upgrade?.attempt += 1
                state.groups[id]?.upgrade?.initiator = identity.nodeKey
            }
            return begin([id], answering: id)
        }
    }

    private func begin(_ started: [String], answering id: String) -> DevHttpResponse {
        for group in started { upgrades.notice(group) }
        let answer = groups.read { state in state[id].flatMap { upgrades.status(of: id, $0) } }
        return Self.data(answer?.answer(id) ?? .null)
    }

    func abortMigration(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            _ = try fields(call)
            let id = try Self.groupId(call)
            let actor = try actor(call)
            let (stopped, root) = try groups.change { state -> ([String], String) in
                let root = try Self.require(actor, in: id, state)
                try state.require(GroupCapability.manageApplication, actor, in: id)
                let running = state.subtree(of: id).filter { group in
                    state[group].flatMap { upgrades.status(of: group, $0) }?.isRunning ?? false
                }
                for group in running {
                    state.groups[group]?.upgrade?.isAborted = true
                    let from = state[group]?.upgrade?.from
                    state.groups[group]?.target = from
                }
                return (running, root)
            }
            for group in stopped { upgrades.notice(group) }
            hub.announce([], namespace: root)
            return .json(200, ["namespaceId": .string(id), "aborted": .bool(!stopped.isEmpty)])
        }
    }
}

extension NodeCore {
    static func upgradeRoutes(_ admin: GroupAdmin) -> [NodeRoute] {
        let group = "/admin-api/groups/{group}"
        return [
            guarded("POST", "\(group)/upgrade") { await admin.upgrade($0) },
            guarded("POST", "\(group)/upgrade/retry") { await admin.retryUpgrade($0) },
            guarded("POST", "\(group)/migration/abort") { await admin.abortMigration($0) },
        ]
    }
}
