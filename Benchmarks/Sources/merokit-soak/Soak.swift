import Foundation
import MeroDevNode
import MeroKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Event streams under fire: they are cut all the time while contexts change, and nothing may be lost in silence.
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
        say("seed \(options.seed), \(Int(options.seconds)) s, \(options.rate) writes a second")
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
        let samples = try await storm(scene, consumers)
        try await settle(scene, consumers)
        consumers.stop()
        do {
            try await waitUntil("the streams close with their consumers", within: 10) { node.streams.open.isEmpty }
        } catch let error as SoakError {
            findings.add(error.description)
        }
        await node.stop()
        return verdict(scene, consumers, samples)
    }

    /// The time under fire. Returns what the process looked like meanwhile.
    private func storm(_ scene: Scene, _ consumers: Consumers) async throws -> [ProcessSample] {
        let writers = Writers(scene, options: options)
        let saboteur = Saboteur(scene.node, seed: options.seed)
        let writing = Task { await writers.run() }
        let sabotage = Task { await saboteur.run() }
        let emitting = Task { await scene.emitGroupEvents() }
        var samples: [ProcessSample] = []
        let start = monotonicSeconds()
        var nextReport = 10.0
        while monotonicSeconds() - start < options.seconds {
            try await Task.sleep(nanoseconds: 1_000_000_000)
            samples.append(ProcessSample())
            // The records of the node would be all that grows.
            scene.node.clearRequests()
            let elapsed = monotonicSeconds() - start
            if elapsed >= nextReport {
                nextReport += options.seconds > 300 ? 60 : 10
                report(elapsed, scene, consumers, saboteur)
            }
        }
        for task in [writing, sabotage, emitting] { task.cancel() }
        for task in [writing, sabotage, emitting] { await task.value }
        // What it prepared for streams to come, and refusals not yet used up.
        scene.node.streams.behave()
        scene.node.removeFaults()
        say("cuts: \(saboteur.summary)")
        say("writes acknowledged: \(scene.ledger.total), \(Int(Double(scene.ledger.total) / options.seconds)) a second")
        return samples
    }

    private func report(_ elapsed: Double, _ scene: Scene, _ consumers: Consumers, _ saboteur: Saboteur) {
        let totals = consumers.totals
        say(
            "\(Int(elapsed)) s: \(scene.ledger.total) writes, \(saboteur.count) cuts, \(totals.seen) events seen, "
                + "\(totals.covered) covered by \(totals.gaps) gaps, \(findings.count) findings")
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

    private func verdict(_ scene: Scene, _ consumers: Consumers, _ samples: [ProcessSample]) -> Bool {
        let window = options.seconds >= 240 ? 60 : max(1, samples.count / 4)
        let first = ProcessSample.median(samples.prefix(window))
        let last = ProcessSample.median(samples.suffix(window))
        say("first \(window) s: \(first)")
        say("last  \(window) s: \(last)")
        for growth in last.growth(since: first) { findings.add(growth) }
        for line in consumers.summaries { say(line) }
        for finding in findings.first(20) { say("FINDING: \(finding)") }
        let totals = consumers.totals
        guard findings.count == 0 else {
            say("FAIL: \(findings.count) findings, seed \(options.seed)")
            return false
        }
        say(
            "PASS: \(scene.ledger.total) writes on \(scene.contexts.count) contexts, \(consumers.count) consumers, "
                + "\(totals.seen) events seen, \(totals.covered) covered by \(totals.gaps) gaps, nothing lost in silence"
        )
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
