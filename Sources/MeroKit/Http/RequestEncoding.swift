import Foundation

/// Writes values as JSON for sending.
enum RequestEncoding {
    /// A value that JSON cannot express is refused as `MeroError.network`, before anything is sent.
    static func encode(_ value: some Encodable) throws -> Data {
        do {
            return try MeroJSON.encode(value)
        } catch {
            throw MeroError.network("Cannot be written as JSON: \(describe(error))")
        }
    }

    /// The same for an object of JSON values, without asking what kind of value it is.
    static func encode(object: [String: JSONValue]) throws -> Data {
        guard let bytes = try? JSONWriter.bytes(of: .object(object)) else { return try encode(object) }
        return Data(bytes)
    }

    private static func describe(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else { return error.localizedDescription }
        let place = context.codingPath.map(\.stringValue).joined(separator: ".")
        return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
    }
}

extension HttpBody {
    static func encoding(_ value: some Encodable) throws -> HttpBody { .json(try RequestEncoding.encode(value)) }
}
