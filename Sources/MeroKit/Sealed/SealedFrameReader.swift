import Foundation

/// Opens the frames of one answer as its bytes arrive, in whatever pieces.
///
/// Spec: 80, section 1.4.
struct SealedFrameReader {
    /// What a frame holds. Data is there only while it is handed over.
    enum Frame {
        case head(SealedResponseHead)
        case data(UnsafeRawBufferPointer)
        case end
    }

    /// The most that a frame's length can be: its kind, 64 KiB and a tag.
    static let longest = 65_553
    /// A kind and a tag.
    static let shortest = 17

    private let key: AesGcmKey
    private let header: [UInt8]
    /// The request's id, and the frame's index behind it.
    private var nonce: [UInt8]
    private var index: UInt32 = 0
    private var hasHead = false
    private(set) var isFinished = false
    /// The beginning of a frame that has not come whole.
    private var pending: [UInt8] = []
    /// Room for the largest frame so far.
    private var plaintext: [UInt8] = []

    init(responseKey: AesGcmKey, header: [UInt8], requestId: UInt64) {
        key = responseKey
        self.header = header
        nonce = BigEndian.bytes(requestId) + [0, 0, 0, 0]
    }

    /// Hands over every frame that is whole now. What stands behind the end is not looked at.
    mutating func read(_ bytes: UnsafeRawBufferPointer, _ handle: (Frame) throws -> Void) throws {
        var rest = bytes
        while !isFinished {
            if pending.isEmpty {
                guard let length = try Self.length(rest), rest.count >= 4 + length else { break }
                try open(UnsafeRawBufferPointer(rebasing: rest[4..<(4 + length)]), handle)
                rest = UnsafeRawBufferPointer(rebasing: rest[(4 + length)...])
            } else {
                let wanted = try pending.withUnsafeBytes { try Self.length($0) }.map { 4 + $0 } ?? 4
                let taken = min(wanted - pending.count, rest.count)
                pending.append(contentsOf: rest.prefix(taken))
                rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
                guard pending.count == wanted else { break }
                if wanted == 4 {
                    // Only now can the frame's length be read, and it may be wrong.
                    _ = try pending.withUnsafeBytes { try Self.length($0) }
                    continue
                }
                var frame: [UInt8] = []
                swap(&frame, &pending)
                try frame.withUnsafeBytes { try open(UnsafeRawBufferPointer(rebasing: $0[4...]), handle) }
                frame.removeAll(keepingCapacity: true)
                if !isFinished { swap(&frame, &pending) }
            }
        }
        if !isFinished { pending.append(contentsOf: rest) }
    }

    /// Nil while it has not come whole.
    private static func length(_ bytes: UnsafeRawBufferPointer) throws(SealedTransportError) -> Int? {
        guard bytes.count >= 4 else { return nil }
        let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= longest else { throw .frameTooLarge }
        guard length >= shortest else { throw .malformed }
        return length
    }

    private mutating func open(_ sealed: UnsafeRawBufferPointer, _ handle: (Frame) throws -> Void) throws {
        for place in 0..<4 { nonce[8 + place] = UInt8(truncatingIfNeeded: index >> (24 - 8 * UInt32(place))) }
        let (next, overflow) = index.addingReportingOverflow(1)
        guard !overflow else { throw SealedTransportError.malformed }
        index = next
        let size = sealed.count - 16
        // Out of `self` while the frame is handled, so that its bytes can be handed over without a copy.
        var room: [UInt8] = []
        swap(&room, &plaintext)
        defer { swap(&room, &plaintext) }
        if room.count < size { room = [UInt8](repeating: 0, count: size) }
        try room.withUnsafeMutableBytes { room in
            let output = UnsafeMutableRawBufferPointer(rebasing: room[..<size])
            guard key.open(sealed, nonce: nonce, aad: header, into: output) else {
                throw SealedTransportError.notFromNode
            }
            let data = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[1...])
            switch (output[0], hasHead) {
            case (0, false):
                hasHead = true
                let head = try SealedResponseHead(json: data)
                if head.hasNoBody {
                    isFinished = true
                    pending = []
                }
                try handle(.head(head))
            case (1, true): try handle(.data(data))
            case (2, true) where data.isEmpty:
                isFinished = true
                pending = []
                try handle(.end)
            default: throw SealedTransportError.malformed
            }
        }
    }
}
