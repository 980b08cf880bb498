import Foundation

@testable import MeroKit

/// What the calls of the table are about. Against a node these are things that are there.
struct AdminIds: Sendable {
    var application = String(repeating: "a1", count: 32)
    var context = String(repeating: "c0", count: 32)
    var group = String(repeating: "9a", count: 32)
    var namespace = String(repeating: "9b", count: 32)
    var account = String(repeating: "ac", count: 32)
    var device = String(repeating: "de", count: 32)
    var blob = String(repeating: "b1", count: 32)
    var package = "com.example.app"
    var alias = "main"

    init() {}

    /// The same text for all of them.
    init(all text: String) {
        for path in Self.paths { self[keyPath: path.value] = text }
    }

    nonisolated(unsafe) private static let paths: [String: WritableKeyPath<AdminIds, String>] = [
        "$application": \.application, "$context": \.context, "$group": \.group, "$namespace": \.namespace,
        "$account": \.account, "$device": \.device, "$blob": \.blob, "$package": \.package, "$alias": \.alias,
    ]

    /// The text with every `$name` replaced by what `spelling` makes of it.
    private func filling(_ template: String, spelling: (String) -> String) -> String {
        var text = ""
        var rest = template[...]
        while let dollar = rest.firstIndex(of: "$") {
            text += rest[..<dollar]
            let end = rest[rest.index(after: dollar)...].firstIndex { !$0.isLetter } ?? rest.endIndex
            let name = String(rest[dollar..<end])
            text += Self.paths[name].map { spelling(self[keyPath: $0]) } ?? name
            rest = rest[end...]
        }
        return text + rest
    }

    /// A path or query, percent-encoded by Foundation.
    func url(_ template: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return filling(template) { $0.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "?" }
    }

    /// A JSON text.
    func json(_ template: String) -> String {
        filling(template) { text in
            let quoted = (try? JSONEncoder().encode([text])) ?? Data()
            return String(decoding: quoted, as: UTF8.self).dropFirst(2).dropLast(2).description
        }
    }
}
