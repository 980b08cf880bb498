import Foundation
import MeroKit

/// Carries upgrades out, context by context, in the background.
///
/// The node that starts an upgrade migrates the state; the others take over what it wrote, and migrate only what it does
/// not hold. Every node counts its own contexts. Spec: 30, section 10.
final class UpgradeService: Sendable {
    /// One node's part of one upgrade.
    struct Run {
        var upgrade: GroupUpgrade
        var contexts: [String]
        var swapped: Set<String> = []
        var failed: Set<String> = []
        var completedAt: Int64?
        var task: Task<Void, Never>?

        var isOver: Bool { swapped.count + failed.count >= contexts.count }
    }

    let contexts: ContextRuntime
    let groups: GroupRegistry
    let hub: EventHub
    let clock: DevClock
    let catalog: ReleaseCatalog
    let identity: NodeIdentity
    let pace = UpgradePace()
    let runs = Locked<[String: Run]>([:])
    /// When every node of a namespace had an upgrade behind it, by namespace and upgrade.
    let fleetCompletions = Locked<[String: Int64]>([:])

    init(
        contexts: ContextRuntime, groups: GroupRegistry, hub: EventHub, clock: DevClock, catalog: ReleaseCatalog,
        identity: NodeIdentity
    ) {
        self.contexts = contexts
        self.groups = groups
        self.hub = hub
        self.clock = clock
        self.catalog = catalog
        self.identity = identity
    }

    func close() {
        let tasks = runs.withLock { runs in
            defer { runs = [:] }
            return runs.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
    }

    // MARK: - Looking

    /// Nil for a group without an upgrade on record.
    func status(of group: String, _ record: GroupRecord) -> UpgradeStatus? {
        guard let upgrade = record.upgrade else { return nil }
        let run = runs.withLock { $0[group] }.flatMap { $0.upgrade.isSame(as: upgrade) ? $0 : nil }
        let held = record.contexts.compactMap { contexts[$0] }
        let swapped = run?.swapped.count ?? held.filter { $0.read { $0.release } == upgrade.to.bytecodeId }.count
        let total = run?.contexts.count ?? held.count
        let failed = run?.failed.count ?? 0
        var status = UpgradeStatus(
            upgrade: upgrade, word: UpgradeStatus.inProgress, counts: (total, swapped, failed),
            completedAt: run?.completedAt)
        if upgrade.isAborted {
            status.word = UpgradeStatus.aborted
        } else if swapped >= total {
            status.word = UpgradeStatus.completed
            status.counts = nil
        } else if run?.isOver ?? true {
            status.word = UpgradeStatus.failed
        }
        return status
    }

    // MARK: - Starting and ending

    /// Takes up what a group's record says of its upgrade. Also called while news are handed over, so it waits for
    /// nothing.
    func notice(_ group: String) {
        guard let record = groups.read({ $0[group] }), let upgrade = record.upgrade else { return stop(group) }
        if upgrade.isAborted { return stop(group, leaving: upgrade) }
        let held = record.contexts.filter { contexts[$0] != nil }
        let previous = runs.withLock { runs -> Run? in
            if let known = runs[group], known.upgrade.isSame(as: upgrade) { return known }
            let old = runs[group]
            runs[group] = Run(upgrade: upgrade, contexts: held)
            return old
        }
        if let previous, previous.upgrade.isSame(as: upgrade) { return }
        previous?.task?.cancel()
        let isMine = upgrade.initiator == identity.nodeKey
        let network = groups.link.network
        let own = held.filter { isMine || network?.isFollowed($0, by: upgrade.initiator) != true }
        for id in held {
            guard let box = contexts[id] else { continue }
            if box.read({ $0.release }) == upgrade.to.bytecodeId {
                runs.withLock { _ = $0[group]?.swapped.insert(id) }
            } else if own.contains(id) {
                box.change { $0.upgradingGroup = group }
            }
        }
        tell(
            .migrationStarted(
                fromVersion: upgrade.from?.version ?? "unknown", toVersion: upgrade.to.version,
                toStateVersion: upgrade.stateVersion, localContextsTotal: UInt32(clamping: held.count)), group)
        let task = Task { [weak self] in await self?.work(on: own, group, upgrade) ?? () }
        runs.withLock { $0[group]?.task = task }
        finish(group, upgrade)
    }

    /// Lets writers in again.
    private func stop(_ group: String, leaving upgrade: GroupUpgrade? = nil) {
        let run = runs.withLock { runs -> Run? in
            let run = runs[group]
            runs[group]?.task = nil
            if let upgrade { runs[group]?.upgrade = upgrade }
            return run
        }
        guard let run else { return }
        run.task?.cancel()
        for id in run.contexts { contexts[id]?.change { $0.upgradingGroup = nil } }
    }

    // MARK: - Working

    private func work(on ids: [String], _ group: String, _ upgrade: GroupUpgrade) async {
        for id in ids {
            await pace.wait()
            guard !Task.isCancelled, isCurrent(upgrade, group) else { return }
            guard let box = contexts[id], box.read({ $0.release }) != upgrade.to.bytecodeId else { continue }
            guard let release = catalog.release(of: upgrade.to) else {
                note(failure: id, group, upgrade)
                continue
            }
            do {
                let service = box.program.service.flatMap {
                    contexts.applications.contract(
                        ofApplication: upgrade.to.applicationId, version: upgrade.to.version, service: $0)
                }
                try box.upgrade(
                    to: ContextRelease(
                        contract: service ?? release.contract, applicationId: upgrade.to.applicationId,
                        bytecodeId: upgrade.to.bytecodeId, version: upgrade.to.version),
                    migrating: !upgrade.forcesCodeOnly)
                try contexts.noteRelease(of: box)
                note(success: id, group, upgrade)
            } catch {
                box.change { $0.upgradingGroup = nil }
                note(failure: id, group, upgrade)
            }
        }
    }

    private func isCurrent(_ upgrade: GroupUpgrade, _ group: String) -> Bool {
        runs.withLock { runs in
            guard let known = runs[group]?.upgrade else { return false }
            return known.isSame(as: upgrade) && !known.isAborted
        }
    }

    /// A context got its release from another node. Called while news are handed over.
    func noticeRelease(_ release: ContextRelease, of context: String) {
        guard let group = groups.group(ofContext: context),
            let upgrade = groups.read({ $0[group]?.upgrade }), upgrade.to.bytecodeId == release.bytecodeId
        else { return }
        let isNews = runs.withLock { runs in
            runs[group]?.contexts.contains(context) == true && runs[group]?.swapped.contains(context) == false
        }
        if isNews { note(success: context, group, upgrade) }
    }

    private func note(success id: String, _ group: String, _ upgrade: GroupUpgrade) {
        runs.withLock { runs in
            runs[group]?.failed.remove(id)
            runs[group]?.swapped.insert(id)
        }
        hub.publish(to: .context(id)) {
            DevEvent.appVersionChanged(from: upgrade.from?.version, to: upgrade.to.version)
                .text(key: "contextId", id: id)
        }
        progress(group)
        finish(group, upgrade)
    }

    private func note(failure id: String, _ group: String, _ upgrade: GroupUpgrade) {
        runs.withLock { _ = $0[group]?.failed.insert(id) }
        progress(group)
        finish(group, upgrade)
    }

    private func progress(_ group: String) {
        guard let run = runs.withLock({ $0[group] }), let root = groups.read({ $0.namespace(of: group) }) else {
            return
        }
        let fleet = migrationStatus(of: root)
        func count(_ number: Int) -> UInt32 { UInt32(clamping: number) }
        tell(
            .cascadeProgress(
                subgroupId: group, localContextsSwapped: count(run.swapped.count),
                localContextsTotal: count(run.contexts.count)), group)
        tell(
            .migrationProgress(
                migrated: count(fleet.count(.migrated)), inProgress: count(fleet.count(.inProgress)),
                unknown: count(fleet.count(.unknown)), failed: count(fleet.count(.failed)),
                total: count(fleet.members.count)), group)
    }

    private func finish(_ group: String, _ upgrade: GroupUpgrade) {
        let now = clock.seconds
        let isDone = runs.withLock { runs -> Bool in
            guard let run = runs[group], run.upgrade.isSame(as: upgrade), run.completedAt == nil,
                run.swapped.count >= run.contexts.count
            else { return false }
            runs[group]?.completedAt = now
            return true
        }
        guard isDone else { return }
        tell(.migrationCompleted(toVersion: upgrade.to.version, completedAt: UInt64(clamping: now)), group)
    }

    /// Keyed on the namespace's root.
    private func tell(_ event: DevEvent, _ group: String) {
        guard let root = groups.read({ $0.namespace(of: group) }) else { return }
        hub.publish(to: event.isForAdmins ? .groupAdmins(root) : .group(root)) { event.text(key: "groupId", id: root) }
    }
}

extension GroupUpgrade {
    /// Whether it is the same start, be it aborted since or not.
    func isSame(as other: GroupUpgrade) -> Bool {
        var other = other
        other.isAborted = isAborted
        return self == other
    }
}
