import Foundation

/// One blob of twice what nodes usually take, put and got, and what either side holds of it in memory.
struct BlobBench {
    let options: Options

    private static let mostMebibytes = 64.0

    func run(into report: inout Report) throws {
        let size = 2 * options.transferMebibytes
        var rows: [[String]] = []
        for engine in Engine.allCases {
            note("blobs: \(size) MiB, \(engine.name)")
            let result = try measure(engine, size)
            func mebibytes(_ bytes: Int?) -> Double? { bytes.map { Double($0) / 1_048_576 } }
            for (name, transfer) in [("put", result.put), ("get", result.get)] {
                report.figures.append(
                    Figure(
                        name: "\(engine.name), blob \(name)", unit: "MiB/s", values: [Double(size) / transfer.seconds]))
                record(engine, "blob \(name)", mebibytes(transfer.peakBytes), into: &report)
            }
            record(engine, "the node behind both", mebibytes(result.nodePeakBytes), into: &report)
            func text(_ value: Double?) -> String { value.map { String(format: "%.0f", $0) } ?? "" }
            rows.append([
                engine.name, text(Double(size) / result.put.seconds), text(mebibytes(result.put.peakBytes)),
                text(Double(size) / result.get.seconds), text(mebibytes(result.get.peakBytes)),
                text(mebibytes(result.nodePeakBytes)),
            ])
        }
        report.add(
            title: "One blob of \(size) MiB, up and down",
            note:
                "From file to file through the dev node, hashed on both sides. Memory: resident at the peak, above the start.",
            columns: ["", "put, MiB/s", "client, MiB", "get, MiB/s", "client, MiB", "node, MiB"], rows: rows)
    }

    /// Only the default engine makes a promise, as with transfers: Foundation on Linux keeps in memory what it has received
    /// and its delegate has not been given yet.
    private func record(_ engine: Engine, _ part: String, _ value: Double?, into report: inout Report) {
        let name = "\(engine.name), \(part)"
        guard let value else {
            report.absent.append("\(name), peak memory: this system has no /proc")
            return
        }
        report.figures.append(Figure(name: "\(name), peak memory above the start", unit: "MiB", values: [value]))
        guard engine == .standard else { return }
        report.checks.append(
            Check(
                name: "\(name), peak memory above the start", unit: .mebibytes, value: value,
                must: Self.mostMebibytes, isCeiling: true))
    }

    private func measure(_ engine: Engine, _ size: Int) throws -> BlobJob.Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-blobs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // What the node keeps, and the copy; the source takes no room.
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
        if let free = attributes[.systemFreeSize] as? NSNumber, free.intValue >> 20 < 2 * size {
            throw BenchError(
                "\(2 * size) MiB are needed for blobs and only \(free.intValue >> 20) are free; choose another TMPDIR or a "
                    + "smaller --size")
        }
        return try ChildProcess.work(
            .blobs(BlobJob(engine: engine, size: size, folder: folder)), returning: BlobJob.Result.self)
    }
}
