/// The files of a tar archive, by name.
struct TarArchive: Sendable {
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    private static let block = 512

    private(set) var files: [(name: String, content: [UInt8])] = []

    subscript(name: String) -> [UInt8]? {
        files.last { $0.name == name || $0.name == "./" + name }?.content
    }

    // MARK: - Reading

    /// Throws ``Damage``.
    init(reading bytes: [UInt8]) throws {
        var position = 0
        var longName: String?
        while position + Self.block <= bytes.count {
            let header = bytes[position..<position + Self.block]
            position += Self.block
            if header.allSatisfy({ $0 == 0 }) { return }
            func field(_ offset: Int, _ length: Int) -> String {
                let start = header.startIndex + offset
                return String(decoding: header[start..<start + length].prefix { $0 != 0 }, as: UTF8.self)
            }
            let digits = field(124, 12).filter { $0 != " " }
            guard let size = Int(digits, radix: 8), size >= 0, size <= bytes.count - position else {
                throw Damage(description: "a file of the archive has no proper size")
            }
            let content = Array(bytes[position..<position + size])
            let padding = (Self.block - size % Self.block) % Self.block
            position += min(size + padding, bytes.count - position)
            let prefix = field(257, 5) == "ustar" ? field(345, 155) : ""
            let name = longName ?? (prefix.isEmpty ? field(0, 100) : prefix + "/" + field(0, 100))
            longName = nil
            switch header[header.startIndex + 156] {
            case 0, UInt8(ascii: "0"): files.append((name, content))
            case UInt8(ascii: "L"): longName = String(decoding: content.prefix { $0 != 0 }, as: UTF8.self)
            default: break
            }
        }
        if position < bytes.count || files.isEmpty { throw Damage(description: "the archive ends too early") }
    }

    // MARK: - Writing

    init() {}

    /// - Parameter name: at most 100 bytes.
    mutating func add(_ name: String, _ content: [UInt8]) { files.append((name, content)) }

    /// The archive. Equal files make equal bytes.
    var bytes: [UInt8] {
        var output: [UInt8] = []
        for file in files {
            output += Self.header(file.name, size: file.content.count)
            output += file.content
            output += [UInt8](repeating: 0, count: (Self.block - file.content.count % Self.block) % Self.block)
        }
        return output + [UInt8](repeating: 0, count: 2 * Self.block)
    }

    private static func header(_ name: String, size: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func write(_ text: String, at offset: Int, width: Int) {
            for (index, byte) in text.utf8.prefix(width).enumerated() { header[offset + index] = byte }
        }
        func octal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        write(name, at: 0, width: 100)
        write("0000644", at: 100, width: 8)
        write("0000000", at: 108, width: 8)
        write("0000000", at: 116, width: 8)
        write(octal(size, 11), at: 124, width: 12)
        write("00000000000", at: 136, width: 12)
        write("        ", at: 148, width: 8)
        write("0", at: 156, width: 1)
        write("ustar", at: 257, width: 6)
        write("00", at: 263, width: 2)
        write(octal(header.reduce(0) { $0 + Int($1) }, 6), at: 148, width: 6)
        header[154] = 0
        return header
    }
}
