import Foundation
import MeroKit

/// One administration command under way: its words, and the node that it asks.
struct AdminRun: Sendable {
    typealias Act = @Sendable (AdminRun) async throws -> Void

    let invocation: Invocation

    var arguments: Arguments { invocation.arguments }
    var console: Console { invocation.console }

    /// The admin API, through the profile's session; of a relay, as the profile's account, where the command goes through
    /// one.
    var admin: AdminApi {
        get async throws {
            if invocation.relay != nil { return try await RelayConnection(invocation).transport().admin }
            return try await Connection(invocation).signedIn().admin
        }
    }

    static func body(_ act: @escaping Act) -> Command.Body {
        { invocation in
            try await act(AdminRun(invocation: invocation))
            return .done
        }
    }
}

// MARK: - What was written on the command line

extension AdminRun {
    /// An operand that is the id of something.
    func id(_ operand: String) throws -> String {
        try Self.checked(arguments.operand(operand) ?? "", as: "<\(operand)>")
    }

    /// All words of an operand that repeats.
    func ids(_ operand: String) throws -> [String] {
        try arguments.operandWords(operand).map { try Self.checked($0, as: "<\(operand)>") }
    }

    /// An option that is the id of something, nil when it was not given.
    func id(_ option: OptionSpec) throws -> String? {
        try arguments.text(option).map { try Self.checked($0, as: option.flag) }
    }

    /// An operand that is any text but an empty one.
    func text(_ operand: String) throws -> String {
        guard let text = arguments.operand(operand), !text.isEmpty else {
            throw Failure(code: .usage, message: "<\(operand)> is empty", hint: "Nothing was sent")
        }
        return text
    }

    /// Ids have 64 hex digits on current nodes and were Base58 before. Anything else is a slip, and a node would answer
    /// as if something were missing.
    static func checked(_ text: String, as name: String) throws -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                return true
            default: return false
            }
        }
        guard isPlain, (32...64).contains(text.utf8.count) else {
            throw Failure(
                code: .usage, message: "\(name) is no id: \"\(text.prefix(80))\"",
                hint: "An id has 64 hex digits (\"mero alias\" gives names to some); nothing was sent")
        }
        return text
    }
}

// MARK: - What is told

extension AdminRun {
    /// One line for people and one document for programs.
    func say(_ line: String, _ document: Report) throws {
        try console.line(line.printable)
        try console.document(document)
    }

    /// Rows for people, without those that have nothing to say; one document for programs.
    func show(_ rows: [(label: String, text: String?)], _ document: Report) throws {
        let shown = rows.compactMap { row in row.text.map { (row.label, $0) } }.filter { !$0.1.isEmpty }
        let width = shown.map { $0.0.columns }.max() ?? 0
        for (label, text) in shown {
            let padded = label + String(repeating: " ", count: width - label.columns)
            try console.line("\(console.style.dim(padded))  \(text.printable)")
        }
        try console.document(document)
    }

    /// A table for people, or a word on standard error when there is nothing; for programs one document with everything
    /// under `name`.
    func list(_ name: String, _ header: [String], _ rows: [[String]], _ documents: [Report]) throws {
        if rows.isEmpty {
            try console.remark("No \(name).")
        } else {
            try console.table(Table(header: header, rows: rows))
        }
        try console.document(.object([.init(name: name, value: .array(documents))]))
    }
}

extension Report {
    /// What a node answered, with its members in order.
    static func encoding(_ value: some Encodable) throws -> Report {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .text(try ExactJSON(jsonBytes: encoder.encode(value)))
    }

    static func whole(_ number: Int) -> Report { .integer(Int64(number)) }

    static func whole(_ number: Int?) -> Report { number.map { .integer(Int64($0)) } ?? .null }
}

extension Command {
    /// A command that asks the admin API of the profile's node.
    static func admin(
        _ name: String, _ summary: String, details: [String] = [], operands: [Operand] = [],
        options: [OptionSpec] = [], examples: [Example], act: @escaping AdminRun.Act
    ) -> Command {
        Command(
            name: name, summary: summary, details: details, operands: operands,
            options: options + OptionSpec.connection, examples: examples, body: AdminRun.body(act))
    }
}

extension Command.Operand {
    static let contextId = Self(name: "context", help: "The context's id.")
    static let applicationId = Self(name: "application", help: "The application's id.")
    static let groupId = Self(name: "group", help: "The id of a group or a namespace.")
    static let namespaceId = Self(name: "namespace", help: "The namespace's id.")
    static let accountId = Self(
        name: "account", help: "The member's account (\"mero member list\"); the key of a device grants nothing.")
}

extension OptionSpec {
    static let givenName = OptionSpec(name: "name", value: .text("NAME"), help: "A name, 1 to 64 bytes.")
    static let applicationId = OptionSpec(
        name: "application", short: "a", value: .text("ID"), help: "The application's id (\"mero app list\").")
}
