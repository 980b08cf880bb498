/// Rows in aligned columns, for people.
struct Table: Sendable {
    let header: [String]
    var rows: [[String]] = []

    func lines(style: Style) -> [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in
            all.map { column < $0.count ? $0[column].printable.columns : 0 }.max() ?? 0
        }
        return all.enumerated().map { index, row in
            let cells = row.enumerated().map { column, cell -> String in
                let text = cell.printable
                // The last column is not padded: no line ends in spaces.
                if column == row.count - 1 { return text }
                return text + String(repeating: " ", count: max(0, widths[column] - text.columns))
            }
            var line = cells.joined(separator: "  ")
            // Nor where the last cells are empty.
            while line.last == " " { line.removeLast() }
            return index == 0 ? style.dim(line) : line
        }
    }
}

extension String {
    /// How many columns of a terminal the text takes. East Asian wide characters and emoji take two.
    var columns: Int { reduce(0) { $0 + ($1.isWide ? 2 : 1) } }
}

extension Character {
    fileprivate var isWide: Bool {
        guard let first = unicodeScalars.first else { return false }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return true
        default: return false
        }
    }
}
