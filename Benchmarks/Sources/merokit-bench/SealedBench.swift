import Foundation

/// What sealing costs: calls to a node that opens and seals as well, to the same calls in the clear; and a sealed download to
/// what the machine's AES does.
struct SealedBench {
    let options: Options

    private static let size = 256

    func run(into report: inout Report) throws {
        var rounds: [SealedJob.Result] = []
        var cipher: [Double] = []
        let openssl = ChildProcess.find("openssl")
        for round in 1...options.rounds {
            note("sealed, round \(round)")
            rounds.append(
                try ChildProcess.work(
                    .sealed(SealedJob(seconds: options.seconds, size: min(Self.size, options.transferMebibytes))),
                    returning: SealedJob.Result.self))
            if let openssl, let rate = try Self.cipherRate(openssl) { cipher.append(rate / 1e6) }
        }
        let plain = rounds.map(\.plain.rate)
        let sealed = rounds.map(\.sealed.rate)
        let plainTransfer = rounds.map { $0.plainTransfer.rate / 1e6 }
        let transfer = rounds.map { $0.transfer.rate / 1e6 }
        let blob = rounds.map { $0.blob.rate / 1e6 }
        report.figures += [
            Figure(name: "rpc.execute on the dev node, in the clear", unit: "calls/s", values: plain),
            Figure(name: "rpc.execute on the dev node, sealed", unit: "calls/s", values: sealed),
            Figure(name: "download to a file, in the clear", unit: "MB/s", values: plainTransfer),
            Figure(name: "sealed download to a file", unit: "MB/s", values: transfer),
            Figure(name: "sealed download of a blob, hashed", unit: "MB/s", values: blob),
        ]
        /// Of one call in microseconds, of one MB in milliseconds.
        func processor(_ part: (SealedJob.Result) -> SealedJob.Measured, _ side: (SealedJob.Measured) -> Double)
            -> String
        {
            let values = rounds.map { side(part($0)) / part($0).amount }
            let isCall = values.median > 1e-7
            return String(format: isCall ? "%.0f µs/call" : "%.2f ms/MB", values.median * (isCall ? 1e6 : 1e9))
        }
        func row(_ name: String, _ rate: String, _ part: @escaping (SealedJob.Result) -> SealedJob.Measured) -> [String]
        {
            [name, rate, processor(part) { $0.clientProcessor }, processor(part) { $0.nodeProcessor }]
        }
        var rows = [
            row("`rpc.execute` in the clear, 16 in flight", String(format: "%.0f calls/s", plain.median)) { $0.plain },
            row("the same, sealed", String(format: "%.0f calls/s", sealed.median)) { $0.sealed },
            row("download to a file in the clear", String(format: "%.0f MB/s", plainTransfer.median)) {
                $0.plainTransfer
            },
            row("the same, sealed", String(format: "%.0f MB/s", transfer.median)) { $0.transfer },
            row("sealed download of a blob, read again and hashed", String(format: "%.0f MB/s", blob.median)) {
                $0.blob
            },
        ]
        report.checks.append(
            Check(
                name: "sealed calls, to calls in the clear", unit: .percent, value: sealed.medianRatio(to: plain),
                must: 0.6))
        report.checks.append(
            Check(
                name: "sealed download, to one in the clear", unit: .percent,
                value: transfer.medianRatio(to: plainTransfer), must: 0.8))
        if cipher.isEmpty {
            report.absent.append("openssl, for the speed of AES-256-GCM: not installed")
        } else {
            report.figures.append(Figure(name: "openssl speed, AES-256-GCM", unit: "MB/s", values: cipher))
            rows.append([
                "`openssl speed` of AES-256-GCM, 16 KiB at a time", String(format: "%.0f MB/s", cipher.median),
                String(format: "%.2f ms/MB", 1000 / cipher.median), "",
            ])
            report.checks.append(
                Check(
                    name: "sealed download, to AES-256-GCM of `openssl speed`", unit: .percent,
                    value: transfer.medianRatio(to: cipher), must: 0.5))
        }
        report.add(
            title: "Sealed transport",
            note:
                "The dev node opens and seals in a process of its own on the same cores; medians of \(options.rounds) rounds.",
            columns: ["", "a second", "processor, client", "processor, node"], rows: rows)
    }

    /// Bytes a second. Nil for an output that is not understood.
    private static func cipherRate(_ openssl: URL) throws -> Double? {
        let text = try ChildProcess.text(
            openssl, ["speed", "-mr", "-elapsed", "-seconds", "1", "-bytes", "16384", "-evp", "aes-256-gcm"])
        let line = text.split(separator: "\n").last { $0.hasPrefix("+F:") }
        return line?.split(separator: ":").last.flatMap { Double($0) }
    }
}
