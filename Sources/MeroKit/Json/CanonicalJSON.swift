import Foundation

/// The one text of a JSON value that hashes and signatures commit to.
///
/// A node hashes what its own writer makes of the arguments, not the bytes it was sent, so this text is the fixed point
/// of its reader and writer: keys in byte order, integers of 64 bits digit by digit, doubles in their shortest form.
/// Spec: 50, section 2.
public enum CanonicalJSON {
    /// The text of a value. NaN and the infinities are `null`, as the node writes them.
    public static func string(_ value: JSONValue) -> String { String(decoding: bytes(value), as: UTF8.self) }

    /// The same as UTF-8.
    public static func data(_ value: JSONValue) -> Data { Data(bytes(value)) }

    /// Throws `JSONWritingError` for a number beyond the range of a double, which a node refuses.
    package static func data(_ value: ExactJSON) throws -> Data {
        var writer = JSONWriter(style: .canonical)
        try writer.write(value)
        return Data(writer.bytes)
    }

    /// Of a JSON text, integers being read exactly. Throws `JSONSyntaxError`, and what `data(_:)` of the tree throws.
    package static func data(ofText json: some ContiguousBytes) throws -> Data {
        try data(ExactJSON(jsonBytes: json))
    }

    private static func bytes(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter(style: .canonical)
        // In this style every JSONValue has a text, however deep it is.
        try? writer.write(value, depth: nil)
        return writer.bytes
    }
}

// MARK: - Numbers

extension CanonicalJSON {
    /// Of a number as a text spells it. An integer that fits in 64 bits stays what it is, all else is a double.
    static func spelling(ofNumber text: String) throws(JSONWritingError) -> String {
        if let integer = Int64(text) { return String(integer) }
        if let integer = UInt64(text) { return String(integer) }
        guard let number = Double(text), number.isFinite else { throw .notFinite }
        return spelling(of: number)
    }

    static func spelling(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        return integerDigits(of: number) ?? shortest(number)
    }

    /// The digits of a whole number from -2^63 up to, not including, 2^64; nil for any other.
    static func integerDigits(of number: Double) -> String? {
        if let integer = Int64(exactly: number) { return String(integer) }
        if let integer = UInt64(exactly: number) { return String(integer) }
        return nil
    }

    /// The fewest digits that read back as the same double, in the layout of the node's writer.
    private static func shortest(_ number: Double) -> String {
        let sign = number < 0 ? "-" : ""
        let (digits, point) = decimal(number.magnitude)
        let count = digits.count
        if point > 0 && point <= 16 {
            if count <= point { return sign + digits + String(repeating: "0", count: point - count) + ".0" }
            return sign + digits.prefix(point) + "." + digits.dropFirst(point)
        }
        if point > -5 && point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        let fraction = count > 1 ? "." + digits.dropFirst() : ""
        let exponent = point - 1
        return sign + digits.prefix(1) + fraction + (exponent < 0 ? "e-" : "e+") + String(exponent.magnitude)
    }

    /// Significant digits, and where the decimal point is relative to the first of them.
    ///
    /// The standard library's `description` finds the digits; only its layout is another one.
    private static func decimal(_ magnitude: Double) -> (digits: String, point: Int) {
        let parts = magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        var digits = mantissa.joined()
        var point = mantissa[0].count + exponent
        let zeros = digits.prefix { $0 == "0" }.count
        digits.removeFirst(zeros)
        point -= zeros
        while digits.hasSuffix("0") { digits.removeLast() }
        return (digits, point)
    }
}
