import Foundation

/// Counts instructions with valgrind. They do not depend on what else the machine does.
struct Callgrind {
    private let valgrind: URL

    /// Nil where there is no valgrind.
    init?() {
        guard let valgrind = ChildProcess.find("valgrind") else { return nil }
        self.valgrind = valgrind
    }

    /// For one more of what a command does `count` times: the difference between a longer and a shorter run, so that the
    /// start does not count.
    func each(few: Int, many: Int, _ command: (_ count: Int) throws -> [String]) throws -> Double {
        let counts = try [few, many].map { try instructions(of: command($0)) }
        return (counts[1] - counts[0]) / Double(many - few)
    }

    /// Of one run, all threads.
    private func instructions(of command: [String]) throws -> Double {
        // With hashes of its own every process would fill its tables in another way.
        let output = try ChildProcess.run(
            valgrind, ["--tool=callgrind", "--callgrind-out-file=/dev/null"] + command,
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
        let log = String(decoding: output.standardError, as: UTF8.self)
        guard output.status == 0, let line = log.split(separator: "\n").last(where: { $0.contains("Collected :") }),
            let count = line.split(separator: " ").last.flatMap({ Double($0) })
        else {
            // Without valgrind's own lines, which repeat the command with its keys.
            let own = log.split(separator: "\n").filter { !$0.hasPrefix("==") }
            throw BenchError("callgrind counted nothing: \(own.joined(separator: "\n"))")
        }
        return count
    }
}
