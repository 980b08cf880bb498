/// Guesses what a mistyped word was meant to be.
enum Nearest {
    /// The name that is fewest slips away from the word, nil when none is close: a wrong guess helps nobody.
    static func name(to word: String, among names: [String]) -> String? {
        let word = word.lowercased()
        let allowed = max(1, word.count / 3)
        let scored = names.map { (name: $0, slips: distance(word, $0.lowercased())) }
        if let best = scored.min(by: { $0.slips < $1.slips }), best.slips <= allowed { return best.name }
        // An abbreviation that fits one name only.
        let longer = names.filter { word.count >= 2 && $0.lowercased().hasPrefix(word) }
        return longer.count == 1 ? longer.first : nil
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[right.count]
    }
}
