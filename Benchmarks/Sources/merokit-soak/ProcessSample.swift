import Foundation

/// What the process holds at one moment. Zero where the system does not tell.
struct ProcessSample: CustomStringConvertible, Sendable {
    /// Resident memory.
    var mebibytes = 0.0
    var descriptors = 0
    var threads = 0
    /// Without those of the pools of Dispatch and Swift, which come and go as they like.
    var ownThreads = 0

    /// How many more threads pools may have at one moment than at another when nothing is done.
    private static let poolSlack = 2 * ProcessInfo.processInfo.activeProcessorCount

    init() {
        ownThreads = Self.names().filter { !$0.contains("-qos") }.count
        descriptors = max(0, Self.entries("/proc/self/fd") ?? Self.entries("/dev/fd") ?? 0)
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return }
        mebibytes = Double(Self.number("VmRSS:", in: status)) / 1024
        threads = Self.number("Threads:", in: status)
    }

    var description: String {
        String(format: "%.1f MiB resident, %d descriptors, %d threads", mebibytes, descriptors, threads)
    }

    static func median(_ samples: some Sequence<ProcessSample>) -> ProcessSample {
        func middle<N: Comparable>(_ values: [N]) -> N? { values.isEmpty ? nil : values.sorted()[values.count / 2] }
        var sample = ProcessSample()
        let samples = Array(samples)
        sample.mebibytes = middle(samples.map(\.mebibytes)) ?? 0
        sample.descriptors = middle(samples.map(\.descriptors)) ?? 0
        sample.threads = middle(samples.map(\.threads)) ?? 0
        return sample
    }

    /// The process once all that ends by itself has ended, such as idle threads: when it holds no more than `bound`, or after
    /// half a minute.
    static func settled(upTo bound: ProcessSample? = nil) async -> ProcessSample {
        let end = monotonicSeconds() + 30
        var sample = ProcessSample()
        var unchanged = 0
        while monotonicSeconds() < end {
            await pause(milliseconds: 100)
            let next = ProcessSample()
            let isSame = next.descriptors == sample.descriptors && next.threads == sample.threads
            unchanged = isSame ? unchanged + 1 : 0
            sample = next
            if let bound {
                if sample.leaks(since: bound).isEmpty { break }
            } else if unchanged == 80 {
                break
            }
        }
        return sample
    }

    /// What was left open.
    func leaks(since before: ProcessSample) -> [String] {
        var findings: [String] = []
        if descriptors > before.descriptors {
            findings.append("descriptors were left: \(before) -> \(self): \(Self.targets().joined(separator: " "))")
        }
        if ownThreads > before.ownThreads || threads > before.threads + Self.poolSlack {
            findings.append("threads were left: \(before) -> \(self): \(Self.names().joined(separator: " "))")
        }
        return findings
    }

    /// What the descriptors lead to.
    private static func targets() -> [String] {
        let folder = "/proc/self/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    }

    /// What the threads are called.
    private static func names() -> [String] {
        let folder = "/proc/self/task"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.compactMap { number in
            (try? String(contentsOfFile: "\(folder)/\(number)/comm", encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// What grew more than the ups and downs of a working process explain.
    func growth(since first: ProcessSample) -> [String] {
        var findings: [String] = []
        if mebibytes > first.mebibytes * 1.3 + 16 { findings.append("memory grew: \(first) -> \(self)") }
        if descriptors > first.descriptors + 16 { findings.append("descriptors grew: \(first) -> \(self)") }
        if threads > first.threads + 6 { findings.append("threads grew: \(first) -> \(self)") }
        return findings
    }

    private static func entries(_ folder: String) -> Int? {
        try? FileManager.default.contentsOfDirectory(atPath: folder).count
    }

    private static func number(_ field: String, in status: String) -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
