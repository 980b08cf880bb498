/// Response headers as they came, line by line.
enum HeaderBlock {
    /// Names in lower case; the values of a repeated name joined by `", "`.
    static func parse(_ bytes: [UInt8]) -> [String: String] {
        var headers: [String: String] = [:]
        headers.reserveCapacity(16)
        bytes.withUnsafeBufferPointer { buffer in
            var start = 0
            while start < buffer.count {
                let end = buffer[start...].firstIndex(of: 0x0a) ?? buffer.count
                if let colon = buffer[start..<end].firstIndex(of: 0x3a), colon > start {
                    let name = lowercased(buffer[start..<colon])
                    let value = String(decoding: trimmed(buffer[(colon + 1)..<end]), as: UTF8.self)
                    if let before = headers[name] { headers[name] = "\(before), \(value)" } else { headers[name] = value }
                }
                start = end + 1
            }
        }
        return headers
    }

    private static func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let bytes = trimmed(bytes)
        return String(unsafeUninitializedCapacity: bytes.count) { output in
            var count = 0
            for byte in bytes {
                output[count] = 0x41...0x5a ~= byte ? byte | 0x20 : byte
                count += 1
            }
            return count
        }
    }

    private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
        var bytes = bytes
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return bytes
    }
}
