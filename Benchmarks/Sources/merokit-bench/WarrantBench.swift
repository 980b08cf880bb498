import Foundation

/// What signing for a relay costs, to the bare signature; and canonical JSON, to Foundation's sorted one.
struct WarrantBench {
    let options: Options

    func run(into report: inout Report) throws {
        var bare: [Double] = []
        var warrants: [Double] = []
        for round in 1...options.rounds {
            note("warrants, round \(round)")
            bare.append(
                try ChildProcess.result(
                    WarrantJob.Result.self, Layout.bareOpenSSL, [String(options.seconds)]
                ).rate)
            warrants.append(
                try ChildProcess.work(
                    .warrants(WarrantJob(seconds: options.seconds)), returning: WarrantJob.Result.self
                ).rate)
        }
        note("canonical JSON")
        let canonical = try ChildProcess.work(
            .canonical(CanonicalJob(rounds: options.rounds)), returning: CanonicalJob.Result.self)
        let megabytes = Double(canonical.bytes) / 1e6
        let ours = canonical.canonical.map { megabytes / $0 }
        let theirs = canonical.encoder.map { megabytes / $0 }
        report.figures += [
            Figure(name: "libcrypto, Ed25519 over 32 bytes", unit: "signatures/s", values: bare),
            Figure(name: "MeroKit, warrants", unit: "warrants/s", values: warrants),
            Figure(name: "CanonicalJSON", unit: "MB/s", values: ours),
            Figure(name: "JSONEncoder, sorted keys", unit: "MB/s", values: theirs),
        ]
        report.add(
            title: "Warrants, and canonical JSON", note: "One thread; medians of \(options.rounds) rounds.",
            columns: ["", "a second"],
            rows: [
                ["libcrypto alone: Ed25519 signatures over 32 bytes", String(format: "%.0f", bare.median)],
                ["warrants with small arguments, built, hashed, signed", String(format: "%.0f", warrants.median)],
                ["`CanonicalJSON.data` of about 1 MiB", String(format: "%.1f MB", ours.median)],
                ["`JSONEncoder` with sorted keys", String(format: "%.1f MB", theirs.median)],
            ])
        report.checks += [
            Check(
                name: "warrants, of the bare signing rate", unit: .percent, value: warrants.medianRatio(to: bare),
                must: 0.5),
            Check(
                name: "canonical JSON, to `JSONEncoder` with sorted keys", unit: .times,
                value: ours.medianRatio(to: theirs), must: 1),
        ]
    }
}
