import Foundation
import MeroDevNode
import MeroKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Endurance: event streams that are cut all the time while contexts change, and everything else that clients do, under every
/// kind of failure. Nothing may be lost in silence, nothing may happen twice, and nothing may be left behind.
@main
struct Soak {
    static func main() async {
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            if words.contains("-h") || words.contains("--help") { return say(SoakOptions.help) }
            let passed = try await Soak(SoakOptions(words)).run()
            exit(passed ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("soak: \(error)\n".utf8))
            exit(2)
        }
    }

    private let options: SoakOptions
    private let findings = Findings()

    private init(_ options: SoakOptions) { self.options = options }

    private func run() async throws -> Bool {
        say("seed \(options.seed), \(Int(options.seconds)) s, \(options.rate) writes a second to streams")
        // A short turn of everything first, without a word: what the system's libraries open once stays open.
        _ = try await turn(seconds: Self.warmUp, isQuiet: true)
        let before = await ProcessSample.settled()
        say("before: \(before)")
        let outcome = try await turn(seconds: options.seconds, isQuiet: false)
        let after = await ProcessSample.settled(upTo: before)
        say("after everything was closed: \(after)")
        for leak in after.leaks(since: before) { findings.add(leak) }
        return verdict(outcome)
    }

    private static let warmUp = 3.0

    /// What is left of a turn once all its clients and nodes are gone.
    private struct Outcome {
        var samples: [ProcessSample] = []
        var lines: [String] = []
        var result: [String] = []
    }

    private func turn(seconds: Double, isQuiet: Bool) async throws -> Outcome {
        let end = Guarded(Double.infinity)
        let mixed = options.parts.contains(.mixed) ? try await Mixed.start(seed: options.seed, findings: findings) : nil
        let traffic = mixed.map { mixed in Task { await mixed.run { monotonicSeconds() >= end.with { $0 } } } }
        var outcome: Outcome
        if options.parts.contains(.streams) {
            outcome = try await streams(seconds, mixed, isQuiet) { end.with { $0 = monotonicSeconds() + seconds } }
        } else {
            end.with { $0 = monotonicSeconds() + seconds }
            outcome = Outcome(samples: try await watch(seconds, mixed) { _ in })
        }
        await traffic?.value
        if let mixed {
            await mixed.stop()
            let totals = mixed.totals
            outcome.lines += mixed.summaries
            outcome.result.append(
                "\(totals.acknowledged) mixed writes acknowledged and there once, \(totals.refused) refused and not there, "
                    + "\(totals.unknownThatRan) of \(totals.unknown) unknown ones there")
        }
        return outcome
    }

    /// Looks at the process once a second, and keeps the records of the nodes short.
    private func watch(
        _ seconds: Double, _ mixed: Mixed?, _ each: (_ elapsed: Double) -> Void
    ) async throws -> [ProcessSample] {
        var samples: [ProcessSample] = []
        let start = monotonicSeconds()
        while monotonicSeconds() - start < seconds {
            try await Task.sleep(nanoseconds: 1_000_000_000)
            samples.append(ProcessSample())
            mixed?.tidy()
            each(monotonicSeconds() - start)
        }
        return samples
    }

    // MARK: - Event streams under fire

    private func streams(
        _ seconds: Double, _ mixed: Mixed?, _ isQuiet: Bool, _ begin: () -> Void
    ) async throws -> Outcome {
        var nodeOptions = DevNodeOptions()
        nodeOptions.eventRetryMilliseconds = 100
        // The node drops silently for a slow reader, which would look like a loss of the client's.
        nodeOptions.eventQueueLength = 16_384
        nodeOptions.eventBacklog = 16_384
        let node = try await DevNode.start(nodeOptions)
        let scene = try Scene(node, findings: findings)
        let consumers = try await Consumers(scene, clients: [scene.client(), scene.client()])
        consumers.start()
        try await waitUntil("all streams are open", within: 30) { consumers.areComplete }
        begin()
        var outcome = Outcome()
        outcome.samples = try await storm(seconds, scene, consumers, mixed, isQuiet)
        try await settle(scene, consumers)
        consumers.stop()
        do {
            try await waitUntil("the streams close with their consumers", within: 10) { node.streams.open.isEmpty }
        } catch let error as SoakError {
            findings.add(error.description)
        }
        await node.stop()
        outcome.lines = consumers.summaries
        let totals = consumers.totals
        outcome.result.append(
            "\(scene.ledger.total) writes on \(scene.contexts.count) contexts, \(consumers.count) consumers, "
                + "\(totals.seen) events seen, \(totals.covered) covered by \(totals.gaps) gaps, nothing lost in silence"
        )
        return outcome
    }

    /// The time under fire. Returns what the process looked like meanwhile.
    private func storm(
        _ seconds: Double, _ scene: Scene, _ consumers: Consumers, _ mixed: Mixed?, _ isQuiet: Bool
    ) async throws -> [ProcessSample] {
        let writers = Writers(scene, options: options)
        let saboteur = Saboteur(scene.node, seed: options.seed)
        let writing = Task { await writers.run() }
        let sabotage = Task { await saboteur.run() }
        let emitting = Task { await scene.emitGroupEvents() }
        var nextReport = 10.0
        let samples = try await watch(seconds, mixed) { elapsed in
            // The records of the node would be all that grows.
            scene.node.clearRequests()
            guard elapsed >= nextReport, !isQuiet else { return }
            nextReport += seconds > 300 ? 60 : 10
            report(elapsed, scene, consumers, saboteur, mixed)
        }
        for task in [writing, sabotage, emitting] { task.cancel() }
        for task in [writing, sabotage, emitting] { await task.value }
        // What it prepared for streams to come, and refusals not yet used up.
        scene.node.streams.behave()
        scene.node.removeFaults()
        guard !isQuiet else { return samples }
        say("cuts: \(saboteur.summary)")
        say("writes acknowledged: \(scene.ledger.total), \(Int(Double(scene.ledger.total) / seconds)) a second")
        return samples
    }

    private func report(
        _ elapsed: Double, _ scene: Scene, _ consumers: Consumers, _ saboteur: Saboteur, _ mixed: Mixed?
    ) {
        let totals = consumers.totals
        let others = mixed.map { "\($0.totals.acknowledged) mixed writes, " } ?? ""
        say(
            "\(Int(elapsed)) s: \(scene.ledger.total) writes, \(saboteur.count) cuts, \(totals.seen) events seen, "
                + "\(totals.covered) covered by \(totals.gaps) gaps, \(others)\(findings.count) findings")
    }

    /// Lets everything arrive, then asks every stream for one more event: from then on each version is accounted for.
    private func settle(_ scene: Scene, _ consumers: Consumers) async throws {
        do {
            try await waitUntil("all streams are open again", within: 30) { consumers.areComplete }
            let writer = try await scene.client()
            for context in scene.contexts {
                let version: Int = try await writer.rpc.execute(
                    contextId: context, method: "append", argsJson: ["writer": "last"])
                scene.ledger.acknowledge(context, version: version)
            }
            try await waitUntil("the last event arrives everywhere", within: 30) {
                scene.contexts.allSatisfy { consumers.haveSeen(scene.ledger.last($0), of: $0) }
            }
        } catch let error as SoakError {
            findings.add(error.description)
        }
        await consumers.checkAccounts()
        for context in scene.contexts {
            let version = scene.node.contextState(context)?["version"]?.intValue
            if version != scene.ledger.count(context) {
                findings.add(
                    "\(scene.name(context)) is at \(version ?? 0), acknowledged: \(scene.ledger.count(context))")
            }
        }
    }

    private func verdict(_ outcome: Outcome) -> Bool {
        let samples = outcome.samples
        let window = options.seconds >= 240 ? 60 : max(1, samples.count / 4)
        let first = ProcessSample.median(samples.prefix(window))
        let last = ProcessSample.median(samples.suffix(window))
        say("first \(window) s: \(first)")
        say("last  \(window) s: \(last)")
        for growth in last.growth(since: first) { findings.add(growth) }
        for line in outcome.lines { say(line) }
        for finding in findings.first(20) { say("FINDING: \(finding)") }
        guard findings.count == 0 else {
            say("FAIL: \(findings.count) findings, seed \(options.seed)")
            return false
        }
        say("PASS: " + outcome.result.joined(separator: "; "))
        return true
    }
}

/// What is wrong with the command line or the machine.
struct SoakError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Writes a line at once, since runs are watched through pipes too.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func monotonicSeconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

/// Throws `SoakError` when the condition does not hold in time.
func waitUntil(_ what: String, within seconds: Double, _ condition: () -> Bool) async throws {
    let end = monotonicSeconds() + seconds
    while !condition() {
        guard monotonicSeconds() < end else { throw SoakError("not within \(Int(seconds)) s: \(what)") }
        try await Task.sleep(nanoseconds: 5_000_000)
    }
}
