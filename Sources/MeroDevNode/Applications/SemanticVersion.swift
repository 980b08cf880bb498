/// Puts versions in order: numbers by value, all else by its bytes, a missing part as 0, a pre-release before its release.
struct SemanticVersion: Comparable, Sendable {
    private let numbers: [Substring]
    private let preRelease: [Substring]
    private let text: String

    init(_ text: String) {
        self.text = text
        let core = text.prefix { $0 != "+" }
        let dash = core.firstIndex(of: "-")
        numbers = core[..<(dash ?? core.endIndex)].split(separator: ".", omittingEmptySubsequences: false)
        preRelease = dash.map { core[core.index(after: $0)...].split(separator: ".") } ?? []
    }

    static func == (left: SemanticVersion, right: SemanticVersion) -> Bool { left.text == right.text }

    static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        if let isLess = isLess(left.numbers, right.numbers, padding: "0") { return isLess }
        if left.preRelease.isEmpty != right.preRelease.isEmpty { return !left.preRelease.isEmpty }
        return isLess(left.preRelease, right.preRelease, padding: "") ?? (left.text < right.text)
    }

    /// Nil when they are equal.
    private static func isLess(_ left: [Substring], _ right: [Substring], padding: Substring) -> Bool? {
        for index in 0..<max(left.count, right.count) {
            let (a, b) = (index < left.count ? left[index] : padding, index < right.count ? right[index] : padding)
            if a == b { continue }
            if let first = UInt64(a), let second = UInt64(b) {
                if first != second { return first < second }
                continue
            }
            return a < b
        }
        return nil
    }
}
