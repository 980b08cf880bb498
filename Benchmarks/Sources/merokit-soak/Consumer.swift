import MeroKit

/// One stream or listener, with a follower for each of its contexts.
final class Consumer: Sendable {
    let name: String
    let contexts: [String]
    let groups: [String]
    let log = SessionLog()
    private let scene: Scene
    private let followers: [String: Follower]
    private let groupEvents = Guarded(0)

    init(_ name: String, contexts: [String], groups: [String] = [], scene: Scene, mero: Mero) {
        self.name = name
        self.contexts = contexts
        self.groups = groups
        self.scene = scene
        let log = log
        followers = Dictionary(
            uniqueKeysWithValues: contexts.map { ($0, Follower($0, of: name, scene, mero, log)) })
    }

    func take(_ event: ContextEvent) async {
        if let group = event.groupId {
            if !groups.contains(group) { scene.findings.add("\(name): event of a foreign group, \(event.payload)") }
            if !event.isGap { groupEvents.with { $0 += 1 } }
        } else if let follower = followers[event.contextId] {
            await follower.take(event)
        } else {
            scene.findings.add("\(name): event of a foreign context, \(event.payload)")
        }
    }

    func lastVersion(of context: String) -> Int? { followers[context]?.lastVersion }

    var totals: Follower.Totals {
        followers.values.reduce(into: Follower.Totals()) { sum, follower in
            let totals = follower.totalsSoFar
            sum.seen += totals.seen
            sum.covered += totals.covered
            sum.gaps += totals.gaps
        }
    }

    var summary: String {
        let totals = totals
        let heard = groups.isEmpty ? "" : ", \(groupEvents.with { $0 }) group events"
        return "\(name): \(log.sessions) sessions, \(totals.seen) events seen, \(totals.covered) covered by "
            + "\(totals.gaps) gaps\(heard)"
    }

    func checkAccounts() async {
        for follower in followers.values { await follower.checkAccounts() }
        if !groups.isEmpty, groupEvents.with({ $0 }) == 0 { scene.findings.add("\(name): no group events") }
    }
}
