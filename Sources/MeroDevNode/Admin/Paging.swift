/// `offset` and `limit` of a listing. What is out of range is taken as the nearest that is not.
///
/// Spec: 20, section 1.7.
struct Paging: Sendable {
    private static let largestOffset = 100_000
    private static let largestLimit = 1000
    private static let usualLimit = 100

    let offset: Int
    let limit: Int

    /// Throws `EarlyReply` for what is no number.
    init(_ request: DevHttpRequest) throws {
        func number(_ name: String, _ fallback: Int) throws -> Int {
            guard let entry = request.query.first(where: { $0.0 == name }) else { return fallback }
            guard let value = UInt64(entry.1 ?? "") else {
                throw EarlyReply(
                    .text(400, "Failed to deserialize query string: \(name): invalid digit found in string"))
            }
            return Int(clamping: value)
        }
        offset = min(try number("offset", 0), Self.largestOffset)
        limit = min(try number("limit", Self.usualLimit), Self.largestLimit)
    }

    func page<Row>(_ rows: [Row]) -> ArraySlice<Row> { rows.dropFirst(offset).prefix(limit) }
}
