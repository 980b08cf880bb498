import Foundation

/// Calls per second, one at a time and many in flight, of everyone who can make the call.
struct CallBench {
    static let inFlight = 16

    let options: Options
    let nginx: Nginx

    private struct Contender {
        let name: String
        let run: (_ inFlight: Int) throws -> CallJob.Result
    }

    private var url: URL { nginx.url.appendingPathComponent("jsonrpc") }

    func run(into report: inout Report) throws {
        let bare = Contender(name: "libcurl alone, a loop in C") { inFlight in
            try bareCurl(inFlight: inFlight, seconds: options.seconds, calls: 0)
        }
        let standard = contender(.standard)
        let urlSession = contender(.urlSession)
        var contenders = [bare, standard, urlSession]
        var fetch: Contender?
        if let node = ChildProcess.find("node"), let version = try? ChildProcess.text(node, ["--version"]) {
            let name = "Node.js \(version.trimmingCharacters(in: .whitespacesAndNewlines)) `fetch`"
            let peer = Contender(name: name) { inFlight in
                try ChildProcess.result(
                    CallJob.Result.self, node,
                    [
                        Layout.fetchScript.path, url.absoluteString, SampleCall.body, SampleCall.token,
                        String(inFlight), String(options.seconds),
                    ])
            }
            contenders.append(peer)
            fetch = peer
        } else {
            report.absent.append("`fetch` of Node.js: no `node` on the PATH")
        }

        var rates: [String: [Int: [Double]]] = [:]
        for round in 0..<options.rounds {
            note("calls: round \(round + 1) of \(options.rounds)")
            for inFlight in [1, Self.inFlight] {
                // Nobody always comes first.
                for index in contenders.indices {
                    let contender = contenders[(index + round) % contenders.count]
                    rates[contender.name, default: [:]][inFlight, default: []].append(
                        try contender.run(inFlight).rate)
                }
            }
        }

        for contender in contenders {
            for inFlight in [1, Self.inFlight] {
                report.figures.append(
                    Figure(
                        name: "\(contender.name), \(inFlight) in flight", unit: "calls/s",
                        values: rates[contender.name]?[inFlight] ?? []))
            }
        }
        report.add(
            title: "Calls per second",
            note: "The same small JSON-RPC call to one nginx over loopback; medians of \(options.rounds) rounds.",
            columns: ["", "one at a time", "\(Self.inFlight) in flight"],
            rows: contenders.map { contender in
                [contender.name]
                    + [1, Self.inFlight].map { (rates[contender.name]?[$0] ?? []).median.grouped }
            })

        func check(_ peer: Contender, _ inFlight: Int, _ name: String, must: Double, wanted: Double, unit: Check.Unit) {
            let ours = rates[standard.name]?[inFlight] ?? []
            let theirs = rates[peer.name]?[inFlight] ?? []
            report.checks.append(
                Check(
                    name: name, unit: unit, value: ours.medianRatio(to: theirs), must: must, wanted: wanted))
        }
        check(urlSession, 1, "`rpc.execute` one at a time, to the URLSession engine", must: 3, wanted: 4, unit: .times)
        if let fetch {
            check(fetch, 1, "`rpc.execute` one at a time, to `fetch`", must: 3, wanted: 4, unit: .times)
        }
        check(bare, 1, "`rpc.execute` one at a time, of bare libcurl", must: 0.5, wanted: 0.6, unit: .percent)
        let many = "`rpc.execute` \(Self.inFlight) in flight"
        check(urlSession, Self.inFlight, "\(many), to the URLSession engine", must: 6, wanted: 8, unit: .times)
        if let fetch {
            check(fetch, Self.inFlight, "\(many), to `fetch`", must: 6, wanted: 8, unit: .times)
        }
        check(bare, Self.inFlight, "\(many), of bare `curl_multi`", must: 0.5, wanted: 0.6, unit: .percent)
    }

    /// Instructions per call, which do not depend on what else the machine does.
    func countInstructions(into report: inout Report) throws {
        guard let callgrind = Callgrind() else {
            report.absent.append("instructions per call: no `valgrind` on the PATH")
            return
        }
        note("instructions per call")
        let bare = try callgrind.each(few: 200, many: 1200) {
            [Layout.bareCurl.path] + bareCurlArguments(inFlight: 1, seconds: 0, calls: $0)
        }
        let standard = try callgrind.each(few: 200, many: 1200) { calls in
            let job = CallJob(engine: .standard, url: nginx.url, inFlight: 1, seconds: 0, calls: calls)
            return [Layout.executable.path] + (try Job.calls(job).arguments())
        }
        report.figures.append(Figure(name: "libcurl alone, a loop in C", unit: "instructions/call", values: [bare]))
        report.figures.append(Figure(name: Engine.standard.name, unit: "instructions/call", values: [standard]))
        report.add(
            title: "Instructions per call", note: "One call at a time, all threads, counted by callgrind.",
            columns: ["", "instructions"],
            rows: [
                ["libcurl alone, a loop in C", bare.grouped], [Engine.standard.name, standard.grouped],
            ])
    }

    private func contender(_ engine: Engine) -> Contender {
        Contender(name: engine.name) { inFlight in
            try ChildProcess.work(
                .calls(
                    CallJob(
                        engine: engine, url: nginx.url, inFlight: inFlight, seconds: options.seconds, calls: 0)),
                returning: CallJob.Result.self)
        }
    }

    private func bareCurl(inFlight: Int, seconds: Double, calls: Int) throws -> CallJob.Result {
        try ChildProcess.result(
            CallJob.Result.self, Layout.bareCurl,
            bareCurlArguments(inFlight: inFlight, seconds: seconds, calls: calls))
    }

    private func bareCurlArguments(inFlight: Int, seconds: Double, calls: Int) -> [String] {
        [
            inFlight == 1 ? "easy" : "multi", url.absoluteString, SampleCall.body, SampleCall.token,
            String(inFlight), String(seconds), String(calls),
        ]
    }
}
