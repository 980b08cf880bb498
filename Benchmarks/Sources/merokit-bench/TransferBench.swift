import Foundation

/// One large file down and up, from file to file, beside the `curl` command.
struct TransferBench {
    let options: Options
    let nginx: Nginx

    func run(into report: inout Report) throws {
        let curl = ChildProcess.find("curl")
        if curl == nil { report.absent.append("transfers by the `curl` command: no `curl` on the PATH") }
        let size = options.transferMebibytes << 20
        try requireSpace(2 * size)

        // The file has no blocks on disk, so what is measured is not this machine's disk but the way through nginx, the
        // loopback interface and the program.
        let source = nginx.files.appendingPathComponent("source")
        _ = FileManager.default.createFile(atPath: source.path, contents: nil)
        let handle = try FileHandle(forWritingTo: source)
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()

        var speeds: [String: [Double]] = [:]
        var peaks: [TransferJob.Direction: [Double]] = [:]
        let mebibytes = Double(options.transferMebibytes)
        for round in 0..<options.rounds {
            note("transfer: round \(round + 1) of \(options.rounds)")
            for direction in TransferJob.Direction.allCases {
                let ours = {
                    for engine in Engine.allCases {
                        let result = try move(direction, engine: engine, size: size)
                        speeds["\(engine.name), \(direction.rawValue)", default: []].append(mebibytes / result.seconds)
                        if engine == .standard, let peak = result.peakBytes {
                            peaks[direction, default: []].append(Double(peak) / 1_048_576)
                        }
                    }
                }
                let theirs = {
                    guard let curl else { return }
                    let seconds = try move(direction, curl: curl, size: size)
                    speeds["`curl`, \(direction.rawValue)", default: []].append(mebibytes / seconds)
                }
                if round % 2 == 0 {
                    try ours()
                    try theirs()
                } else {
                    try theirs()
                    try ours()
                }
            }
        }

        let names = (curl == nil ? [] : ["`curl`"]) + Engine.allCases.map(\.name)
        for name in names {
            for direction in TransferJob.Direction.allCases {
                let key = "\(name), \(direction.rawValue)"
                report.figures.append(Figure(name: key, unit: "MiB/s", values: speeds[key] ?? []))
            }
        }
        report.add(
            title: "One file of \(options.transferMebibytes) MiB, MiB per second",
            note: "From file to file through nginx over loopback; medians of \(options.rounds) rounds.",
            columns: ["", "download", "upload"],
            rows: names.map { name in
                [name] + TransferJob.Direction.allCases.map { (speeds["\(name), \($0.rawValue)"] ?? []).median.grouped }
            })
        for direction in TransferJob.Direction.allCases {
            if curl != nil {
                let ours = speeds["\(Engine.standard.name), \(direction.rawValue)"] ?? []
                let theirs = speeds["`curl`, \(direction.rawValue)"] ?? []
                report.checks.append(
                    Check(
                        name: "\(direction.rawValue) speed, of the `curl` command", unit: .percent,
                        value: ours.medianRatio(to: theirs), must: 0.8))
            }
            if let values = peaks[direction] {
                report.figures.append(
                    Figure(name: "\(direction.rawValue), peak memory above the start", unit: "MiB", values: values))
                report.checks.append(
                    Check(
                        name: "\(direction.rawValue), highest peak memory above the start", unit: .mebibytes,
                        value: values.max() ?? 0, must: 64, isCeiling: true))
            } else {
                report.absent.append("peak memory of a \(direction.rawValue): this system has no /proc")
            }
        }
    }

    private func move(_ direction: TransferJob.Direction, engine: Engine, size: Int) throws -> TransferJob.Result {
        let places = Places(direction, in: nginx)
        defer { places.clear() }
        let result = try ChildProcess.work(
            .transfer(
                TransferJob(
                    engine: engine, direction: direction, url: nginx.url, remote: places.remote,
                    file: places.local)),
            returning: TransferJob.Result.self)
        try places.check(size: size)
        return result
    }

    private func move(_ direction: TransferJob.Direction, curl: URL, size: Int) throws -> Double {
        let places = Places(direction, in: nginx)
        defer { places.clear() }
        let url = nginx.url.appendingPathComponent("files").appendingPathComponent(places.remote).absoluteString
        let file = direction == .download ? ["-o", places.local.path] : ["-T", places.local.path, "-o", "/dev/null"]
        let text = try ChildProcess.text(curl, ["-q", "-sSf", "-w", "%{time_total}"] + file + [url])
        guard let seconds = Double(text) else { throw BenchError("curl printed \(text)") }
        try places.check(size: size)
        return seconds
    }

    private func requireSpace(_ bytes: Int) throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: nginx.files.path)
        guard let free = attributes[.systemFreeSize] as? NSNumber, free.intValue < bytes else { return }
        throw BenchError(
            "\(bytes >> 20) MiB are needed for files and only \(free.intValue >> 20) are free; "
                + "choose another TMPDIR or a smaller --size")
    }
}

/// Where one transfer reads and writes.
private struct Places {
    let remote: String
    let local: URL
    private let written: URL

    init(_ direction: TransferJob.Direction, in nginx: Nginx) {
        let source = nginx.files.appendingPathComponent("source")
        written = nginx.files.appendingPathComponent("copy")
        switch direction {
        case .download: (remote, local) = ("source", written)
        case .upload: (remote, local) = ("copy", source)
        }
    }

    func check(size: Int) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: written.path)
        guard (attributes[.size] as? NSNumber)?.intValue == size else {
            throw BenchError("a transfer arrived with another length")
        }
    }

    /// Removed at once: its pages must not be written to disk during the next measurement.
    func clear() {
        try? FileManager.default.removeItem(at: written)
    }
}
