/// What is refused before anything is sent, because a node could only refuse it or, worse, take it for something else.
///
/// Everything thrown is `MeroError.network`, like for other input that cannot be sent.
enum AdminInput {
    /// Bytes in JSON are numbers from 0 to 255.
    static func bytes(_ values: [Int]?, _ field: String) throws {
        guard values?.allSatisfy({ (0...255).contains($0) }) ?? true else {
            throw MeroError.network("\(field) holds something else than numbers from 0 to 255")
        }
    }

    /// Masks of capabilities have 32 bits.
    static func mask(_ value: Int, _ field: String) throws {
        guard UInt32(exactly: value) != nil else {
            throw MeroError.network("\(field) must fit into 32 bits, got \(value)")
        }
    }

    /// Nodes refuse an empty proof: one that is not there is left out.
    static func proof(_ hex: String?, _ field: String) throws {
        guard hex?.isEmpty != true else {
            throw MeroError.network("\(field) must not be empty: leave it nil when there is none")
        }
    }

    /// The query of a page. Nil is left to the node.
    static func page(_ offset: Int?, _ limit: Int?) throws -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        for (name, value) in [("offset", offset), ("limit", limit)] {
            guard let value else { continue }
            guard value >= 0 else { throw MeroError.network("\(name) must not be negative, got \(value)") }
            query.append((name, String(value)))
        }
        return query
    }
}
