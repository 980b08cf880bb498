/// A frame written by hand after RFC 6455, section 5.2, and not by the library under test.
struct Frame: Equatable {
    var fin = true
    /// The three reserved bits, the first of them as 4.
    var reserved: UInt8 = 0
    var opcode: UInt8
    var mask: [UInt8]?
    var payload: [UInt8]

    static let continuation: UInt8 = 0
    static let text: UInt8 = 1
    static let binary: UInt8 = 2
    static let close: UInt8 = 8
    static let ping: UInt8 = 9
    static let pong: UInt8 = 10

    init(
        _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, reserved: UInt8 = 0,
        mask: [UInt8]? = [0x37, 0xfa, 0x21, 0x3d]
    ) {
        self.opcode = opcode
        self.payload = payload
        self.fin = fin
        self.reserved = reserved
        self.mask = mask
    }

    init(_ opcode: UInt8, _ text: String, fin: Bool = true, mask: [UInt8]? = [0x37, 0xfa, 0x21, 0x3d]) {
        self.init(opcode, Array(text.utf8), fin: fin, mask: mask)
    }

    static func close(_ code: UInt16, _ reason: String = "", mask: [UInt8]? = [1, 2, 3, 4]) -> Frame {
        Frame(close, [UInt8(code >> 8), UInt8(code & 0xff)] + Array(reason.utf8), mask: mask)
    }

    var bytes: [UInt8] {
        var bytes = [(fin ? 0x80 : 0) | reserved << 4 | opcode]
        let flag: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ...125: bytes.append(flag | UInt8(payload.count))
        case ...0xffff:
            bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default:
            bytes.append(flag | 127)
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        guard let mask else { return bytes + payload }
        return bytes + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }

    /// Reads what the other side wrote; nil in the end when bytes are left over that make no frame.
    static func parse(_ bytes: [UInt8]) -> [Frame]? {
        var frames: [Frame] = []
        var rest = bytes[...]
        func take(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        while !rest.isEmpty {
            guard let head = take(2) else { return nil }
            var length = Int(head[1] & 0x7f)
            if length >= 126 {
                guard let more = take(length == 126 ? 2 : 8) else { return nil }
                length = more.reduce(0) { $0 << 8 | Int($1) }
            }
            var mask: [UInt8]?
            if head[1] & 0x80 != 0 {
                guard let key = take(4) else { return nil }
                mask = key
            }
            guard var payload = take(length) else { return nil }
            if let mask { for index in payload.indices { payload[index] ^= mask[index % 4] } }
            frames.append(
                Frame(head[0] & 15, payload, fin: head[0] & 0x80 != 0, reserved: head[0] >> 4 & 7, mask: mask))
        }
        return frames
    }
}
