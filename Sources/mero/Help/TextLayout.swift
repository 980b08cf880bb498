/// Fits text into columns.
enum TextLayout {
    /// Breaks at spaces so that no line is longer than the width, except for single words that are.
    static func wrapped(_ text: String, width: Int, indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if indent + line.count + 1 + word.count <= width {
                line += " " + word
            } else {
                lines.append(margin + line)
                line = String(word)
            }
        }
        if !line.isEmpty { lines.append(margin + line) }
        return lines.joined(separator: "\n")
    }

    /// Terms in one column, explanations wrapped in a second one.
    static func definitions(_ rows: [(String, String)], width: Int) -> [String] {
        let widest = rows.map(\.0.count).filter { $0 <= longestTerm }.max() ?? 0
        let column = 2 + widest + 2
        return rows.map { term, explanation in
            let body = wrapped(explanation, width: width, indent: column)
            let head = "  " + term
            guard head.count + 2 <= column else { return head + "\n" + body }
            return head + body.dropFirst(head.count)
        }
    }

    /// A longer term stands on a line of its own, so that it does not squeeze the others.
    private static let longestTerm = 34
}
