#if canImport(CCurl)
    import Glibc

    /// Header lines in both directions: the raw block of an answer, and the rules for what may be sent.
    enum CurlHeaderLines {
        /// The headers of one block that starts with its status line.
        ///
        /// What is not a header line is passed over: a peer that sends nonsense gets no further than that.
        static func parse(_ block: [UInt8]) -> [String: String] {
            block.withUnsafeBufferPointer { bytes in
                var headers = [String: String](minimumCapacity: 12)
                var lastName: String?
                var start = 0
                var isStatusLine = true
                while start < bytes.count {
                    let end = bytes[start...].firstIndex(of: newline) ?? bytes.count
                    defer { start = end + 1 }
                    if isStatusLine {
                        isStatusLine = false
                        continue
                    }
                    let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
                    if let first = line.first, isBlank(first), let name = lastName {
                        // A folded line continues the value before it (RFC 9112, section 5.2).
                        let more = text(line, from: 0)
                        if !more.isEmpty { headers[name]?.append(" " + more) }
                        continue
                    }
                    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { continue }
                    let name = lowercased(UnsafeBufferPointer(rebasing: line[..<colon]))
                    let value = text(line, from: colon + 1)
                    if var joined = headers.updateValue(value, forKey: name) {
                        // Held by nobody else, and so appended in place: a copy for each of many lines of one name would
                        // take minutes.
                        joined.append(", " + value)
                        headers[name] = joined
                    }
                    lastName = name
                }
                return headers
            }
        }

        /// A method or a header's name: a token of RFC 9110, section 5.6.2. Anything else could end the line it is on.
        static func isToken(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
        }

        /// No byte that could end the header line or the request head.
        static func isValue(_ text: String) -> Bool {
            var text = text
            return text.withUTF8 { bytes in
                // A token is some hundred bytes, looked at once a call.
                guard let start = bytes.baseAddress else { return true }
                return [0x0D, Int32(newline), 0].allSatisfy { memchr(start, $0, bytes.count) == nil }
            }
        }

        /// Compares byte for byte, not by meaning as `==` does.
        static func areSameBytes(_ one: String, _ other: String) -> Bool {
            var (one, other) = (one, other)
            return one.withUTF8 { one in
                other.withUTF8 { other in
                    guard one.count == other.count else { return false }
                    guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                    return memcmp(start, otherStart, one.count) == 0
                }
            }
        }

        private static let newline = UInt8(ascii: "\n")

        private static func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == 0x0D
        }

        private static func isTokenByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                return true
            case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
                UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
                return true
            default:
                return false
            }
        }

        private static func lowercased(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
            if bytes.contains(where: { $0 >= 0x80 }) { return String(decoding: bytes, as: UTF8.self).lowercased() }
            return String(unsafeUninitializedCapacity: bytes.count) { target in
                for index in 0..<bytes.count {
                    let byte = bytes[index]
                    target[index] = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
                }
                return bytes.count
            }
        }

        /// The bytes from `from` on, without blanks around them.
        private static func text(_ line: UnsafeBufferPointer<UInt8>, from: Int) -> String {
            var start = from
            var end = line.count
            while start < end, isBlank(line[start]) { start += 1 }
            while end > start, isBlank(line[end - 1]) { end -= 1 }
            return String(decoding: UnsafeBufferPointer(rebasing: line[start..<end]), as: UTF8.self)
        }
    }
#endif
