/// Why a command did not do what it was asked, in the form in which `mero` reports it.
struct Failure: Error, Sendable, Equatable {
    let code: ExitCode
    /// What failed, a sentence without a full stop.
    let message: String
    /// What to do next, a sentence without a full stop; nil when nothing general can be said.
    var hint: String?
    /// The error's type, as the node or the contract named it.
    var type: String?
    /// The HTTP status of the answer.
    var status: Int?
    /// What the node or contract said beside the type.
    var data: Report?
}

extension Failure {
    /// The one line for people.
    var line: String {
        let sentences = [message, hint].compactMap { $0?.printable }.map(Self.withFullStop)
        return "mero: " + sentences.joined(separator: " ")
    }

    /// The one object for programs.
    var report: Report { .object(reportMembers) }

    /// The member `error` alone, for objects that say more.
    var reportMembers: [Report.Member] {
        var members: [Report.Member] = [
            .init(name: "kind", value: .string(code.word)),
            .init(name: "exitCode", value: .integer(Int64(code.rawValue))),
            .init(name: "message", value: .string(message)),
        ]
        if let type { members.append(.init(name: "type", value: .string(type))) }
        if let status { members.append(.init(name: "status", value: .integer(Int64(status)))) }
        if let data { members.append(.init(name: "data", value: data)) }
        if let hint { members.append(.init(name: "hint", value: .string(hint))) }
        return [.init(name: "error", value: .object(members))]
    }

    private static func withFullStop(_ sentence: String) -> String {
        sentence.hasSuffix(".") || sentence.hasSuffix("?") || sentence.hasSuffix("!") ? sentence : sentence + "."
    }
}
