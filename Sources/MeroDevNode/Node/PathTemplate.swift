import Foundation

/// A path whose segments are words or `{name}`. It matches exactly: no trailing slash, no empty segment.
struct PathTemplate: Sendable, Hashable {
    let text: String
    private let segments: [Substring]

    init(_ text: String) {
        self.text = text
        segments = Self.split(text)
    }

    static func split(_ path: some StringProtocol) -> [Substring] {
        Substring(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
    }

    var segmentCount: Int { segments.count }
    var isLiteral: Bool { !text.contains("{") }

    /// Where templates overlap, the one with more leading words wins.
    var literalPrefix: Int { segments.firstIndex { $0.hasPrefix("{") } ?? segments.count }

    /// The decoded parameters, nil when the path is another one.
    func match(_ path: [Substring]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, part) in zip(segments, path) {
            if segment.hasPrefix("{") {
                guard !part.isEmpty, let value = String(part).removingPercentEncoding else { return nil }
                parameters[String(segment.dropFirst().dropLast())] = value
            } else if segment != part {
                return nil
            }
        }
        return parameters
    }
}
