import Foundation
import MeroKit

/// A JSON document that `mero` itself writes.
///
/// Members keep their order, so that a person can read it too. Numbers of 64 bits stay exact. `text` is JSON that came
/// from elsewhere and goes out as it is.
enum Report: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([Report])
    case object([Member])
    case text(ExactJSON)

    struct Member: Sendable {
        let name: String
        let value: Report
    }
}

extension Report {
    static func optional(_ text: String?) -> Report { text.map(Report.string) ?? .null }

    /// A point in time, as RFC 3339 in UTC.
    static func time(_ date: Date?) -> Report { .optional(date.map(Self.timestamp)) }

    static func timestamp(_ date: Date) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime]
        return formatter.string(from: date)
    }

    static func strings(_ texts: some Sequence<String>) -> Report { .array(texts.map(Report.string)) }

    /// The document on one line.
    var json: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .string(let value): text += JSONPrinter.quoted(value)
        case .text(let value): text += value.compact
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += JSONPrinter.quoted(member.name) + ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }
}

extension Report: Equatable {
    static func == (left: Report, right: Report) -> Bool { left.json == right.json }
}

extension Report: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(nilLiteral: ()) { self = .null }
    init(arrayLiteral elements: Report...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, Report)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
