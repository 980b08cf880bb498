import MeroKit

/// Everybody who listens: streams with connections of their own, and listeners that share one.
final class Consumers: Sendable {
    private let scene: Scene
    private let alone: [Consumer]
    private let sharing: [Consumer]
    /// One session for all streams that are alone, another for the shared connection.
    private let clients: [Mero]
    private let tasks = Guarded<[Task<Void, Never>]>([])

    private static let sharers = 3

    init(_ scene: Scene, clients: [Mero]) {
        self.scene = scene
        self.clients = clients
        let watched = Array(scene.watched)
        let sets = [[watched[0]], Array(watched[1...2]), watched]
        alone = sets.enumerated().map { number, contexts in
            Consumer(
                "stream \(number)", contexts: contexts, groups: number == 1 ? [scene.groups[0]] : [], scene: scene,
                mero: clients[0])
        }
        sharing = (0..<Self.sharers).map {
            Consumer("listener \($0)", contexts: watched, groups: [scene.groups[0]], scene: scene, mero: clients[1])
        }
    }

    private var all: [Consumer] { alone + sharing }

    var count: Int { all.count }
    var areComplete: Bool { all.allSatisfy(\.log.isComplete) }
    var summaries: [String] { all.map(\.summary) }

    var totals: Follower.Totals {
        all.map(\.totals).reduce(into: Follower.Totals()) { sum, totals in
            sum.seen += totals.seen
            sum.covered += totals.covered
            sum.gaps += totals.gaps
        }
    }

    func haveSeen(_ version: Int, of context: String) -> Bool {
        all.allSatisfy { $0.lastVersion(of: context).map { $0 >= version } ?? true }
    }

    func start() {
        for consumer in alone {
            let events = clients[0].sse.events(contextIds: consumer.contexts, groupIds: consumer.groups) {
                consumer.log.note($0)
            }
            follow(events, consumer)
        }
        let sse = clients[1].sse
        for consumer in sharing {
            let (events, arrived) = AsyncThrowingStream.makeStream(of: ContextEvent.self)
            sse.on { arrived.yield($0) }
            // The client keeps what it calls, and a consumer keeps its client: not the consumer, then.
            let log = consumer.log
            sse.onStatus { log.note($0) }
            follow(events, consumer)
        }
        sse.connect()
        let findings = scene.findings
        let (contexts, groups) = (sharing[0].contexts, sharing[0].groups)
        add(
            Task {
                do {
                    try await sse.subscribe(contextIds: contexts, groupIds: groups)
                } catch {
                    findings.add("subscribing failed: \(error)")
                }
            })
    }

    private func follow(_ events: AsyncThrowingStream<ContextEvent, any Error>, _ consumer: Consumer) {
        let findings = scene.findings
        add(
            Task.detached {
                do {
                    for try await event in events { await consumer.take(event) }
                } catch {
                    findings.add("\(consumer.name) ended: \(error)")
                }
            })
    }

    private func add(_ task: Task<Void, Never>) { tasks.with { $0.append(task) } }

    func stop() {
        for task in tasks.with({ $0 }) { task.cancel() }
        clients[1].sse.close()
    }

    func checkAccounts() async {
        for consumer in all { await consumer.checkAccounts() }
    }
}
