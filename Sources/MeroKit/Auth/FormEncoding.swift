/// `application/x-www-form-urlencoded`, as the `URLSearchParams` of browsers writes and reads it.
package enum FormEncoding {
    /// Keeps `A-Z a-z 0-9 * - . _`, writes a space as `+` and everything else percent-encoded.
    package static func encode(_ text: String) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                output.append(byte)
            case UInt8(ascii: " "): output.append(UInt8(ascii: "+"))
            default: output += Array("%\(Hex.encode(CollectionOfOne(byte)).uppercased())".utf8)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Names and values in their order, e.g. of `a=1&b=x+y`. Empty pieces are skipped.
    package static func pairs(in text: some Sequence<UInt8>) -> [(name: String, value: String)] {
        Array(text).split(separator: UInt8(ascii: "&")).map { piece in
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { return (decode(piece), "") }
            return (decode(piece[..<equals]), decode(piece[(equals + 1)...]))
        }
    }

    /// `+` is a space. A text that is no valid percent-encoding of UTF-8 is kept as it is.
    private static func decode(_ piece: ArraySlice<UInt8>) -> String {
        let text = String(decoding: piece.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        return text.removingPercentEncoding ?? text
    }
}
