import MeroKit

/// Writes what happens on a stream, line by line: events to standard output, the connection's fate to standard error; all of
/// it to standard output in JSON mode.
actor StreamReporter {
    private let console: Console
    private let node: String
    /// How many lines are wanted, nil for all.
    private let limit: Int?
    private let output = PatientOutput()
    private var narrator = StatusNarrator()
    private(set) var count = 0

    init(console: Console, node: String, limit: Int?) {
        self.console = console
        self.node = node
        self.limit = limit
    }

    /// Writes one of the lines that count. False when it was the last that was wanted.
    func tell(_ line: String, _ document: @autoclosure () -> Report) async throws -> Bool {
        if let limit, count >= limit { return false }
        count += 1
        let count = count
        try await remark(line, document())
        return limit.map { count < $0 } ?? true
    }

    /// Writes a line that does not count.
    func remark(_ line: String, _ document: @autoclosure () -> Report) async throws {
        let console = console
        if console.json {
            let document = document()
            try await output.run { try console.document(document) }
        } else {
            try await output.run { try console.line(line) }
        }
    }

    /// - Throws: `Failure` when the node refuses all that was asked for.
    func tell(_ status: EventStreamStatus) async throws {
        let hopeless = narrator.isHopeless(status)
        let console = console
        if console.json {
            if let document = narrator.document(on: status, at: Moment()) {
                try await output.run { try console.document(document) }
            }
        } else {
            for remark in narrator.remarks(on: status, node: node) {
                try await output.run { try console.remark(remark + ".") }
            }
        }
        guard hopeless else { return }
        let ids = status.contexts.count + status.groups.count
        throw Failure(
            code: .refused, message: "The node delivers nothing about \(ids == 1 ? "this id" : "any of the ids")",
            hint: "Check that it is known there, and that the session may see it (\"mero whoami\")")
    }

    /// What it means that the time is up.
    ///
    /// - Throws: `Failure` when lines are missing, or nothing could be heard at all.
    func timeIsUp(after seconds: Double) throws {
        let time = "\(seconds.formatted) s"
        if !narrator.wasActive {
            let reason = narrator.lastError.map(Failure.init(describing:))
            throw Failure(
                code: reason?.code ?? .unreachable,
                message: "No stream was open within \(time)" + (reason.map { ": \($0.message)" } ?? ""),
                hint: reason?.hint, type: reason?.type, status: reason?.status)
        }
        if let limit {
            throw Failure(code: .unreachable, message: "Only \(count) of \(limit) came within \(time)")
        }
    }
}

extension Double {
    /// Without a fraction where there is none.
    fileprivate var formatted: String { Int64(exactly: self).map(String.init) ?? "\(self)" }
}
