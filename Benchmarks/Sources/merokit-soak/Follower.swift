import MeroKit

/// Follows one context through one consumer, and accounts for every version of it.
actor Follower {
    struct Totals: Sendable {
        var seen = 0
        /// Versions that no event told, but a mark.
        var covered = 0
        var gaps = 0
    }

    private let name: String
    private let context: String
    private let scene: Scene
    private let mero: Mero
    private let log: SessionLog
    private let shown: Guarded<(totals: Totals, last: Int)>
    private var totals = Totals()
    /// Of the last event.
    private var last = 0
    /// What was read at the last mark.
    private var read = 0
    /// The session of the last mark.
    private var markedSession = 1
    /// Missing versions whose mark is still to come.
    private var holes: [ClosedRange<Int>] = []

    init(_ context: String, of consumer: String, _ scene: Scene, _ mero: Mero, _ log: SessionLog) {
        name = "\(consumer), \(scene.name(context))"
        self.context = context
        self.scene = scene
        self.mero = mero
        self.log = log
        shown = Guarded((Totals(), 0))
    }

    nonisolated var totalsSoFar: Totals { shown.with { $0.totals } }
    nonisolated var lastVersion: Int { shown.with { $0.last } }

    func take(_ event: ContextEvent) async {
        if event.isGap { return await gap() }
        for emitted in event.contractEvents {
            guard let data = emitted.json, data["context"] == .string(context), let version = data["version"]?.intValue
            else {
                scene.findings.add("\(name): foreign event \(event.payload)")
                continue
            }
            see(version)
        }
        shown.with { $0 = (totals, last) }
    }

    private func see(_ version: Int) {
        if version <= last { return scene.findings.add("\(name): version \(version) after \(last)") }
        if version > last + 1 {
            let hole = last + 1...version - 1
            if hole.upperBound <= read {
                totals.covered += hole.count
            } else if log.sessions > markedSession {
                holes.append(hole)
            } else {
                scene.findings.add("\(name): \(hole) lost without a gap, session \(markedSession)")
            }
        }
        last = version
        totals.seen += 1
    }

    private func gap() async {
        totals.gaps += 1
        let acknowledged = scene.ledger.last(context)
        guard let session = log.takeMark(context) else { return scene.findings.add("\(name): a mark too many") }
        markedSession = session
        do {
            let version = try await readState()
            if version < acknowledged {
                scene.findings.add("\(name): read \(version) although \(acknowledged) was acknowledged")
            }
            read = max(read, version)
        } catch {
            scene.findings.add("\(name): reading failed: \(error)")
        }
        for hole in holes {
            totals.covered += hole.count
            if hole.upperBound > read { scene.findings.add("\(name): \(hole) is not in what was read, \(read)") }
        }
        holes = []
        shown.with { $0 = (totals, last) }
    }

    /// Reads until the node's own state is of the same version at hand, and compares the two.
    private func readState() async throws -> Int {
        var version = 0
        for _ in 0..<100 {
            let before = scene.node.contextState(context)
            let state: JSONValue = try await mero.rpc.execute(contextId: context, method: "read")
            let after = scene.node.contextState(context)
            version = state["version"]?.intValue ?? 0
            for known in [before, after].compactMap({ $0 }) where (known["version"]?.intValue ?? 0) == version {
                if state != .object(known) { scene.findings.add("\(name): read another state than the node's") }
                return version
            }
        }
        scene.findings.add("\(name): no two readings of the same version")
        return version
    }

    /// Once the last event has arrived everything is either seen or covered.
    func checkAccounts() {
        if !holes.isEmpty { scene.findings.add("\(name): lost without a gap: \(holes)") }
        if totals.seen + totals.covered != last {
            scene.findings.add("\(name): \(totals.seen) seen and \(totals.covered) covered, but \(last) written")
        }
    }
}
