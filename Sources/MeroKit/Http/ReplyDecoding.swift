import Foundation

/// Turns the body of a success into a value.
enum ReplyDecoding {
    /// Spec: 10, section 2.4. Throws `.emptyResponse` and `.decoding`.
    static func decode<T: Decodable>(_ type: T.Type, from response: EngineResponse, path: String) throws -> T {
        if response.body.isEmpty {
            if let empty = Empty() as? T { return empty }
            // Optional and JSONValue: the types for which "nothing" is a value.
            if T.self is any ExpressibleByNilLiteral.Type,
                let null = try? MeroJSON.decode(T.self, from: Data("null".utf8))
            {
                return null
            }
            throw MeroError.emptyResponse("Empty response from \(path)")
        }
        do {
            return try MeroJSON.decode(T.self, from: response.body)
        } catch {
            throw MeroError.decoding("status \(response.status): \(excerpt(of: response.body))")
        }
    }

    /// The beginning of a body, for an error text.
    static func excerpt(of body: Data) -> String { String(decoding: body.prefix(200), as: UTF8.self) }
}
