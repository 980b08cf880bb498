import Foundation

/// What sealing costs: calls to a node that opens and seals as well, to the same calls in the clear; and a sealed download to
/// what the machine's AES does.
struct SealedBench {
    let options: Options

    private static let size = 256

    func run(into report: inout Report) throws {
        var plain: [Double] = []
        var sealed: [Double] = []
        var download: [Double] = []
        var cipher: [Double] = []
        let openssl = ChildProcess.find("openssl")
        for round in 1...options.rounds {
            note("sealed, round \(round)")
            let result = try ChildProcess.work(
                .sealed(SealedJob(seconds: options.seconds, size: min(Self.size, options.transferMebibytes))),
                returning: SealedJob.Result.self)
            plain.append(result.plain)
            sealed.append(result.sealed)
            download.append(result.download / 1e6)
            if let openssl, let rate = try Self.cipherRate(openssl) { cipher.append(rate / 1e6) }
        }
        report.figures += [
            Figure(name: "rpc.execute on the dev node, in the clear", unit: "calls/s", values: plain),
            Figure(name: "rpc.execute on the dev node, sealed", unit: "calls/s", values: sealed),
            Figure(name: "sealed download", unit: "MB/s", values: download),
        ]
        var rows = [
            ["`rpc.execute` in the clear, 16 in flight", String(format: "%.0f calls/s", plain.median)],
            ["the same, sealed", String(format: "%.0f calls/s", sealed.median)],
            ["sealed download of a blob to a file", String(format: "%.0f MB/s", download.median)],
        ]
        report.checks.append(
            Check(
                name: "sealed calls, to calls in the clear", unit: .percent, value: sealed.medianRatio(to: plain),
                must: 0.6))
        if cipher.isEmpty {
            report.absent.append("openssl, for the speed of AES-256-GCM: not installed")
        } else {
            report.figures.append(Figure(name: "openssl speed, AES-256-GCM", unit: "MB/s", values: cipher))
            rows.append([
                "`openssl speed` of AES-256-GCM, 16 KiB at a time", String(format: "%.0f MB/s", cipher.median),
            ])
            report.checks.append(
                Check(
                    name: "sealed download, to AES-256-GCM of `openssl speed`", unit: .percent,
                    value: download.medianRatio(to: cipher), must: 0.5))
        }
        report.add(
            title: "Sealed transport",
            note: "The dev node opens and seals in a process of its own; medians of \(options.rounds) rounds.",
            columns: ["", "a second"], rows: rows)
    }

    /// Bytes a second. Nil for an output that is not understood.
    private static func cipherRate(_ openssl: URL) throws -> Double? {
        let text = try ChildProcess.text(
            openssl, ["speed", "-mr", "-elapsed", "-seconds", "1", "-bytes", "16384", "-evp", "aes-256-gcm"])
        let line = text.split(separator: "\n").last { $0.hasPrefix("+F:") }
        return line?.split(separator: ":").last.flatMap { Double($0) }
    }
}
