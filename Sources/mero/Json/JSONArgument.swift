import Foundation
import MeroKit

/// JSON that a person gives on the command line, or sends through standard input.
struct JSONArgument: Sendable {
    /// What it is called in complaints, such as `The argument <json>`.
    let name: String

    /// - Parameter word: The JSON, or `-` for what standard input holds.
    func parse(_ word: String, input: any InputSource) async throws -> ExactJSON {
        let bytes = word == "-" ? try await input.everything(limit: Self.longestInput) : Array(word.utf8)
        do {
            return try ExactJSON(jsonBytes: bytes)
        } catch let error as JSONSyntaxError {
            let source = word == "-" ? "Standard input" : name
            throw Failure(
                code: .usage,
                message: "\(source) is not JSON: \(error.kind.rawValue), \(Self.place(error.offset, in: bytes))",
                hint: #"Write it like '{"key":"greeting"}', in single quotes; nothing was sent"#)
        }
    }

    private static func place(_ offset: Int, in bytes: [UInt8]) -> String {
        let before = bytes.prefix(offset)
        let column = offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return "line \(before.filter { $0 == 0x0A }.count + 1), column \(column)"
    }

    /// More than a node takes.
    private static let longestInput = 32 * 1024 * 1024
}
