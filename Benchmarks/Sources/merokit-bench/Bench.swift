import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@main
struct Bench {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == Job.flag, arguments.count == 2 {
                let job = try JSONDecoder().decode(Job.self, from: Data(arguments[1].utf8))
                FileHandle.standardOutput.write(try wait { try await job.run() })
            } else if arguments.contains("-h") || arguments.contains("--help") {
                print(Options.help)
            } else if arguments.first == Instructions.flag {
                let instructions = try Instructions(Array(arguments.dropFirst()))
                exit(try wait { try await instructions.run() } ? 0 : 1)
            } else {
                let options = try Options(arguments)
                let missed = try run(options)
                exit(options.enforce && missed ? 1 : 0)
            }
        } catch {
            note("bench: \(error)")
            exit(2)
        }
    }

    /// Keeps the main thread where it is. An asynchronous `main` would end that thread, which valgrind does not survive.
    private static func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Value>()
        Task.detached {
            do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
            done.signal()
        }
        done.wait()
        return try outcome.result.get()
    }

    /// Written before the semaphore is signalled and read after it was waited for: never both at once.
    private final class Outcome<Value>: @unchecked Sendable {
        var result = Result<Value, any Error>.failure(BenchError("nothing happened"))
    }

    /// True when a ratio misses what it must reach.
    private static func run(_ options: Options) throws -> Bool {
        var report = Report(rounds: options.rounds)
        let nginx = try Nginx()
        let interruptions = nginx.stopOnInterruption()
        defer {
            for interruption in interruptions { interruption.cancel() }
            nginx.stop()
        }
        report.machine = try System.facts + ["nginx \(nginx.version), one process, on the same machine"]
        if options.parts.contains(.calls) {
            let calls = CallBench(options: options, nginx: nginx)
            try calls.run(into: &report)
            if options.callgrind { try calls.countInstructions(into: &report) }
        }
        if options.parts.contains(.events) { try EventBench(options: options).run(into: &report) }
        if options.parts.contains(.transfer) {
            try TransferBench(options: options, nginx: nginx).run(into: &report)
        }
        if options.parts.contains(.blobs) { try BlobBench(options: options).run(into: &report) }
        if options.parts.contains(.decode) { try decode(options, into: &report) }
        if options.parts.contains(.warrants) { try WarrantBench(options: options).run(into: &report) }
        if options.parts.contains(.sealed) { try SealedBench(options: options).run(into: &report) }
        if options.parts.contains(.cancel) { try cancel(into: &report) }
        print(report.markdown)
        try report.write(to: options.resultFile)
        note("\nresults: \(options.resultFile.path)")
        return report.checks.contains { $0.verdict == .misses }
    }

    private static func decode(_ options: Options, into report: inout Report) throws {
        note("decode")
        let result = try ChildProcess.work(
            .decode(DecodeJob(rounds: options.rounds)), returning: DecodeJob.Result.self)
        let mebibytes = Double(result.bytes) / 1_048_576
        let parser = result.parser.map { mebibytes / $0 }
        let cascade = result.cascade.map { mebibytes / $0 }
        report.figures.append(Figure(name: "MeroJSON.decode(JSONValue)", unit: "MiB/s", values: parser))
        report.figures.append(Figure(name: "JSONDecoder, try? cascade", unit: "MiB/s", values: cascade))
        report.add(
            title: "Decoding an answer of 1 MiB into a JSON tree",
            note: "Medians of \(options.rounds) rounds.", columns: ["", "MiB/s"],
            rows: [
                ["`MeroJSON.decode(JSONValue.self, from:)`", String(format: "%.1f", parser.median)],
                [
                    "`JSONDecoder` over an enum that tries one type after the other",
                    String(format: "%.1f", cascade.median),
                ],
            ])
        report.checks.append(
            Check(
                name: "decoding a `JSONValue`, to the cascade", unit: .times, value: parser.medianRatio(to: cascade),
                must: 10))
    }

    private static func cancel(into report: inout Report) throws {
        note("cancel")
        let rows = try Engine.allCases.map { engine -> [String] in
            let result = try ChildProcess.work(
                .cancel(CancelJob(engine: engine, samples: 50)), returning: CancelJob.Result.self)
            let milliseconds = result.seconds.map { $0 * 1000 }
            report.figures.append(
                Figure(name: "\(engine.name), cancelling a stalled call", unit: "ms", values: milliseconds))
            if engine == .standard {
                report.checks.append(
                    Check(
                        name: "from `cancel()` to the end of a call that is never answered, median",
                        unit: .milliseconds,
                        value: milliseconds.median, must: 5, wanted: 1, isCeiling: true))
            }
            return [
                engine.name, String(format: "%.2f", milliseconds.median),
                String(format: "%.2f", milliseconds.max() ?? 0),
            ]
        }
        report.add(
            title: "Cancelling a call that is never answered, milliseconds",
            note: "From `cancel()` to the end of the task; 50 calls to the dev node.",
            columns: ["", "median", "longest"], rows: rows)
    }
}
