import CMicrohttpd
import Foundation

/// Reads what libmicrohttpd knows of a request before its body.
enum RequestHead {
    static func read(method: String, rawTarget: String, connection: OpaquePointer) -> DevHttpRequest {
        var headers: [String: String] = [:]
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values(
                connection, .HEADER_KIND,
                { context, _, name, value in
                    guard let name, let headers = context?.assumingMemoryBound(to: [String: String].self) else {
                        return .YES
                    }
                    let key = String(cString: name).lowercased()
                    let text = value.map { String(cString: $0) } ?? ""
                    if let earlier = headers.pointee[key] {
                        headers.pointee[key] = earlier + (key == "cookie" ? "; " : ", ") + text
                    } else {
                        headers.pointee[key] = text
                    }
                    return .YES
                }, headers)
        }
        let (path, query) = split(rawTarget)
        return DevHttpRequest(
            method: method, path: path, query: query.map(decodeQuery) ?? [], rawTarget: rawTarget, headers: headers,
            peer: peer(of: connection))
    }

    /// The path and the undecoded query of a request target in any of the forms of RFC 9112, section 3.2.
    static func split(_ rawTarget: String) -> (path: String, query: String?) {
        var rest = Substring(rawTarget)
        if !rest.hasPrefix("/"), let scheme = rest.range(of: "://") {
            let afterAuthority = rest[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" }
            rest = afterAuthority.map { rest[$0...] } ?? "/"
        }
        guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (String(rest), nil) }
        let path = rest[..<mark]
        return (path.isEmpty ? "/" : String(path), String(rest[rest.utf8.index(after: mark)...]))
    }

    static func decodeQuery(_ query: String) -> [(String, String?)] {
        query.split(separator: "&").map { pair in
            guard let equals = pair.firstIndex(of: "=") else { return (decode(pair), nil) }
            return (decode(pair[..<equals]), decode(pair[pair.index(after: equals)...]))
        }
    }

    /// Percent-decoding as in a form: `+` is a space, a `%` without two digits stands for itself.
    private static func decode(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue,
                let low = Character(UnicodeScalar(bytes[index + 2])).hexDigitValue
            {
                output.append(UInt8(high << 4 | low))
                index += 3
            } else {
                output.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func peer(of connection: OpaquePointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            guard let start = text.baseAddress else { return "" }
            merokit_mhd_peer(connection, start, text.count)
            return String(cString: start)
        }
    }
}
