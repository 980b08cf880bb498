import MeroKit

/// Ids in paths and queries.
extension RouteCall {
    /// A parameter that the framework reads: what is no id is a 400 in plain text. Throws `EarlyReply`.
    func pathId(_ name: String) throws -> String {
        let raw = parameters[name] ?? ""
        guard let bytes = Hex.decode(raw), bytes.count == 32 else {
            throw EarlyReply(
                .text(400, "Invalid URL: Cannot parse value at `\(name)_id`: expected 64 hexadecimal characters"))
        }
        return Hex.encode(bytes)
    }

    /// A parameter that the handler reads. Throws `NodeRefusal` with this text.
    func pathId(_ name: String, orSay text: String) throws -> String {
        guard let bytes = Hex.decode(parameters[name] ?? ""), bytes.count == 32 else { throw NodeRefusal(400, text) }
        return Hex.encode(bytes)
    }

    /// Nil when the query does not name it. Throws `NodeRefusal` for what is no id.
    func queryId(_ name: String) throws -> String? {
        guard let entry = request.query.first(where: { $0.0 == name }) else { return nil }
        guard let bytes = Hex.decode(entry.1 ?? ""), bytes.count == 32 else {
            throw NodeRefusal(400, "Invalid \(name): expected 64 hexadecimal characters")
        }
        return Hex.encode(bytes)
    }
}
