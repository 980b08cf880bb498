/// Listings that a node cuts into pages, as one.
enum Pages {
    /// Rows to ask for at once. A node takes at most 1000.
    static let length = 500

    /// Everything that the pages hold, once.
    ///
    /// - Parameter id: What tells one row from another. A node that does not know pages, or has no more of them, sends what
    ///   it sent before; without a look at the ids that would never end.
    static func all<Row>(
        id: (Row) -> String, _ page: (_ offset: Int, _ limit: Int) async throws -> [Row]
    ) async throws -> [Row] {
        var rows: [Row] = []
        var known: Set<String> = []
        var offset = 0
        while true {
            let next = try await page(offset, length)
            let fresh = next.filter { known.insert(id($0)).inserted }
            rows += fresh
            offset += next.count
            guard next.count == length, !fresh.isEmpty else { return rows }
        }
    }
}
