import Foundation

/// Events per second, their time on the way, and what an idle stream costs.
struct EventBench {
    private static let sizes = [200, 4096, 262_144]
    private static let idleStreams = 1000

    let options: Options

    private struct Contender {
        let name: String
        let run: (_ base: URL, _ count: Int, _ passes: Int) throws -> EventJob.Result
    }

    func run(into report: inout Report) throws {
        let source = try EventSource()
        defer { source.stop() }
        let lazy = contender(.delivered, "MeroKit, payload on demand")
        let parsed = contender(.parsed, "MeroKit, every payload parsed")
        let timed = contender(.timed, "MeroKit")
        var peer: Contender?
        if let node = ChildProcess.find("node"), let version = try? ChildProcess.text(node, ["--version"]) {
            let name =
                "Node.js \(version.trimmingCharacters(in: .whitespacesAndNewlines)), `fetch` reader and `JSON.parse`"
            peer = Contender(name: name) { base, count, passes in
                try ChildProcess.result(
                    EventJob.Result.self, node,
                    [Layout.eventsScript.path, base.absoluteString, String(count), String(passes)])
            }
        } else {
            report.absent.append("events of Node.js: no `node` on the PATH")
        }
        try throughput(source, [lazy, parsed] + (peer.map { [$0] } ?? []), into: &report)
        try latency(source, [timed] + (peer.map { [$0] } ?? []), into: &report)
        try idle(source, into: &report)
        guard let peer else { return }
        for size in Self.sizes {
            let theirs = rates(report, peer.name, size)
            let label = Self.label(size)
            report.checks.append(
                Check(
                    name: "events of \(label), on demand, to Node.js", unit: .times,
                    value: rates(report, lazy.name, size).medianRatio(to: theirs), must: 3))
            report.checks.append(
                Check(
                    name: "events of \(label), parsed, to Node.js", unit: .times,
                    value: rates(report, parsed.name, size).medianRatio(to: theirs), must: 1))
        }
        for part in ["median", "99 %"] {
            report.checks.append(
                Check(
                    name: "an event's way to the consumer, \(part), of Node.js", unit: .percent,
                    value: delays(report, timed.name, part).medianRatio(to: delays(report, peer.name, part)), must: 1,
                    isCeiling: true))
        }
    }

    // MARK: - Events per second

    private func throughput(_ source: EventSource, _ contenders: [Contender], into report: inout Report) throws {
        var all: [String: [Int: [Double]]] = [:]
        for round in 0..<options.rounds {
            note("events: round \(round + 1) of \(options.rounds)")
            for size in Self.sizes {
                // Less than what may wait for a consumer, who in this case is slower than the network.
                let count = min(60_000, 40_000_000 / size)
                let passes = 1 + max(1, Int(5 * options.seconds))
                for index in contenders.indices {
                    let contender = contenders[(index + round) % contenders.count]
                    let base = try source.base("burst", bytes: size, count: count)
                    let seconds = try contender.run(base, count, passes).seconds
                    all[contender.name, default: [:]][size, default: []].append(
                        Double(count * (passes - 1)) / seconds)
                }
            }
        }
        for contender in contenders {
            for size in Self.sizes {
                report.figures.append(
                    Figure(
                        name: "\(contender.name), \(Self.label(size))", unit: "events/s",
                        values: all[contender.name]?[size] ?? []))
            }
        }
        report.add(
            title: "Events per second", note: "One stream over loopback; medians of \(options.rounds) rounds.",
            columns: [""] + Self.sizes.map(Self.label),
            rows: contenders.map { contender in
                [contender.name] + Self.sizes.map { (all[contender.name]?[$0] ?? []).median.grouped }
            })
    }

    private func rates(_ report: Report, _ name: String, _ size: Int) -> [Double] {
        report.figures.first { $0.name == "\(name), \(Self.label(size))" && $0.unit == "events/s" }?.values ?? []
    }

    private static func label(_ size: Int) -> String { size < 1024 ? "\(size) B" : "\(size / 1024) KiB" }

    // MARK: - Time on the way

    private func latency(_ source: EventSource, _ contenders: [Contender], into report: inout Report) throws {
        let count = Int(1000 * options.seconds)
        var all: [String: [[Double]]] = [:]
        for round in 0..<options.rounds {
            note("event delays: round \(round + 1) of \(options.rounds)")
            for index in contenders.indices {
                let contender = contenders[(index + round) % contenders.count]
                let base = try source.base("pace", bytes: 200, count: count)
                // The first ones warm up.
                let delays = try contender.run(base, count, 1).delays.dropFirst(count / 10).sorted()
                all[contender.name, default: []].append(delays)
            }
        }
        for contender in contenders {
            let rounds = all[contender.name] ?? []
            for (part, share) in [("median", 0.5), ("99 %", 0.99)] {
                let values = rounds.map { ($0.isEmpty ? .nan : $0[Int(Double($0.count - 1) * share)]) / 1000 }
                report.figures.append(Figure(name: "\(contender.name), \(part)", unit: "µs", values: values))
            }
        }
        report.add(
            title: "An event's way from the sender to the consumer, microseconds",
            note: "One event of 200 B a millisecond; medians of \(options.rounds) rounds.",
            columns: ["", "median", "99 %"],
            rows: contenders.map { contender in
                [contender.name]
                    + ["median", "99 %"].map { String(format: "%.0f", delays(report, contender.name, $0).median) }
            })
    }

    private func delays(_ report: Report, _ name: String, _ part: String) -> [Double] {
        report.figures.first { $0.name == "\(name), \(part)" && $0.unit == "µs" }?.values ?? []
    }

    // MARK: - Idle streams

    private func idle(_ source: EventSource, into report: inout Report) throws {
        note("idle streams")
        let base = try source.base("idle", bytes: 0, count: 0)
        let result = try ChildProcess.work(
            .idleStreams(IdleStreamsJob(base: base, streams: Self.idleStreams)), returning: IdleStreamsJob.Result.self)
        guard let bytes = result.bytesPerStream else {
            report.absent.append("memory of idle streams: this system does not tell")
            return
        }
        report.figures.append(Figure(name: "an idle stream", unit: "bytes", values: [bytes]))
        report.checks.append(
            Check(
                name: "memory of an idle stream", unit: .kibibytes, value: bytes / 1024, must: 128, wanted: 64,
                isCeiling: true))
        report.add(
            title: "Idle streams", note: "\(Self.idleStreams) streams with a connection each, in one process.",
            columns: ["", "KiB per stream"],
            rows: [[Engine.standard.name, String(format: "%.1f", bytes / 1024)]])
    }

    private func contender(_ reading: EventJob.Reading, _ name: String) -> Contender {
        Contender(name: name) { base, count, passes in
            try ChildProcess.work(
                .events(EventJob(engine: .standard, base: base, count: count, passes: passes, reading: reading)),
                returning: EventJob.Result.self)
        }
    }
}
