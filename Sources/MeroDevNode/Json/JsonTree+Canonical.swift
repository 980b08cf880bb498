import Foundation

/// How the node writes a value back before it hashes it.
///
/// It keeps what it read: an integer stays one, a number with a fraction or an exponent is a double, even a whole one. So
/// a client whose hash stands for another spelling than its body is refused. Spec: 50, section 2.
extension JsonTree {
    enum MemberOrder {
        /// As they came.
        case read
        /// By the bytes of their names.
        case bytes
    }

    /// Nil for a number that is beyond the range of a double, which the node cannot read.
    func rewritten(_ order: MemberOrder) -> Data? {
        var output: [UInt8] = []
        return rewrite(order, into: &output) ? Data(output) : nil
    }

    private func rewrite(_ order: MemberOrder, into output: inout [UInt8]) -> Bool {
        switch self {
        case .null, .bool: write(into: &output)
        case .number(let text):
            guard let number = Self.rewrite(number: text) else { return false }
            output.append(contentsOf: number.utf8)
        case .string(let text): Self.rewrite(string: text, into: &output)
        case .array(let items):
            output.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                guard item.rewrite(order, into: &output) else { return false }
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            let members = Self.ordered(members, order)
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.rewrite(string: member.name, into: &output)
                output.append(UInt8(ascii: ":"))
                guard member.value.rewrite(order, into: &output) else { return false }
            }
            output.append(UInt8(ascii: "}"))
        }
        return true
    }

    /// A repeated name keeps its first place and its last value, as in the node's map.
    private static func ordered(_ members: [JsonMember], _ order: MemberOrder) -> [JsonMember] {
        var places: [[UInt8]: Int] = [:]
        var kept: [JsonMember] = []
        for member in members {
            let name = Array(member.name.utf8)
            if let place = places[name] {
                kept[place].value = member.value
            } else {
                places[name] = kept.count
                kept.append(member)
            }
        }
        if order == .bytes { kept.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
        return kept
    }

    private static func rewrite(number text: String) -> String? {
        if text != "-0" {
            if let integer = Int64(text) { return String(integer) }
            if let integer = UInt64(text) { return String(integer) }
        }
        guard let number = Double(text), number.isFinite else { return nil }
        let sign = number.sign == .minus ? "-" : ""
        if number == 0 { return sign + "0.0" }
        // The library finds the shortest digits; only its layout is another one.
        let parts = number.magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        var digits = mantissa.joined()
        var point = (mantissa.first?.count ?? 0) + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        let zeros = digits.prefix { $0 == "0" }.count
        digits.removeFirst(zeros)
        point -= zeros
        while digits.hasSuffix("0") { digits.removeLast() }
        let count = digits.count
        switch point {
        case 1...16 where count <= point: return sign + digits + String(repeating: "0", count: point - count) + ".0"
        case 1...16: return sign + digits.prefix(point) + "." + digits.dropFirst(point)
        case -4...0: return sign + "0." + String(repeating: "0", count: -point) + digits
        default:
            let fraction = count > 1 ? "." + digits.dropFirst() : ""
            let exponent = point - 1
            return sign + digits.prefix(1) + fraction + (exponent < 0 ? "e-" : "e+") + String(exponent.magnitude)
        }
    }

    private static func rewrite(string: String, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case 0x08: output.append(contentsOf: "\\b".utf8)
            case 0x0c: output.append(contentsOf: "\\f".utf8)
            case 0x0a: output.append(contentsOf: "\\n".utf8)
            case 0x0d: output.append(contentsOf: "\\r".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case UInt8(ascii: "\""): output.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\\"): output.append(contentsOf: "\\\\".utf8)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                output.append(contentsOf: "\\u00".utf8)
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 15)])
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
