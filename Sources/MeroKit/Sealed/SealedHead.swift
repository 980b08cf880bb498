import Foundation

/// The head of a request inside its seal.
///
/// Spec: 80, section 1.3.
struct SealedRequestHead: Sendable {
    let method: String
    /// Below the node's base path, with the query.
    let path: String
    let headers: [(name: String, value: String)]

    /// What belongs to the outer request, or would change the bytes of a body that no URL loading system will see.
    private static let outer: Set = [
        "accept-encoding", "connection", "content-length", "host", "transfer-encoding", "upgrade",
    ]

    /// Bytes. No node reads a longer one.
    static let limit = 65_536

    /// Throws `SealedTransportError.invalidHeader`.
    init(method: String, path: String, headers: [(name: String, value: String)]) throws {
        self.method = method
        self.path = path
        self.headers = try headers.compactMap { header in
            let name = header.name.lowercased()
            if Self.outer.contains(name) { return nil }
            guard Self.isName(name), Self.canBeSealed(header.value) else {
                throw SealedTransportError.invalidHeader(name: header.name)
            }
            return (name, header.value)
        }
    }

    /// A token of RFC 9110, section 5.6.2.
    private static func isName(_ name: String) -> Bool {
        var name = name
        return !name.isEmpty
            && name.withUTF8 { name in
                name.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"):
                        true
                    default: Self.marks.contains(byte)
                    }
                }
            }
    }

    private static let marks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Over the bytes where they lie: a token has hundreds.
    private static func canBeSealed(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { $0.allSatisfy { 0x20...0x7e ~= $0 || $0 == 0x09 } }
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.write(raw: #"{"method":"#.utf8)
        writer.write(string: method)
        writer.write(raw: #","path":"#.utf8)
        writer.write(string: path)
        writer.write(raw: #","headers":["#.utf8)
        for (index, header) in headers.enumerated() {
            if index > 0 { writer.write(raw: ",".utf8) }
            writer.write(raw: "[".utf8)
            writer.write(string: header.name)
            writer.write(raw: ",".utf8)
            writer.write(string: header.value)
            writer.write(raw: "]".utf8)
        }
        writer.write(raw: "]}".utf8)
        return writer.bytes
    }
}

/// The head of an answer inside its seal.
///
/// Spec: 80, section 1.4.
struct SealedResponseHead: Sendable, Equatable {
    let status: Int
    /// Names in lower case; values of repeated headers are joined with `", "`.
    let headers: [String: String]

    /// Throws `SealedTransportError.malformed`.
    init(json: UnsafeRawBufferPointer) throws(SealedTransportError) {
        guard case .object(let members)? = try? JSONValue(jsonBytes: Data(json)),
            case .number(let number)? = members["status"], let status = Int(exactly: number), 100...999 ~= status
        else { throw .malformed }
        var headers: [String: String] = [:]
        switch members["headers"] {
        case nil: break
        case .array(let pairs)?:
            for pair in pairs {
                guard case .array(let parts) = pair, parts.count == 2, let name = parts[0].stringValue?.lowercased(),
                    let value = parts[1].stringValue
                else { throw .malformed }
                headers[name] = headers[name].map { "\($0), \(value)" } ?? value
            }
        default: throw .malformed
        }
        self.status = status
        self.headers = headers
    }
}
