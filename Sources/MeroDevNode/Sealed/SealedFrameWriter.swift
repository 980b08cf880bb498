import Foundation
import MeroKit

/// Seals an answer frame by frame.
///
/// Spec: 80, section 1.4.
struct SealedFrameWriter {
    static let largestData = 65_536
    /// What a frame has beside its data: its length, its kind and a tag.
    static let overhead = 21

    enum Kind: UInt8 { case head, data, end }

    private let key: AesGcmKey
    private let header: [UInt8]
    /// The request's id, and the frame's index behind it.
    private var nonce: [UInt8]
    private var index: UInt32 = 0

    /// - Parameter header: the request's 25 bytes.
    init(key: AesGcmKey, header: [UInt8]) {
        self.key = key
        self.header = header
        nonce = header.suffix(8) + [0, 0, 0, 0]
    }

    /// The frames of a whole answer.
    mutating func whole(status: Int, headers: [(String, String)], body: Data = Data()) -> Data {
        let head = Self.json(status, headers)
        let bodySize = Self.size(ofData: body.count)
        var output = Data(count: head.count + bodySize + 2 * Self.overhead)
        output.withUnsafeMutableBytes { output in
            let rest = UnsafeMutableRawBufferPointer(rebasing: output[(head.count + Self.overhead)...])
            head.withUnsafeBytes { put(.head, $0, into: output) }
            body.withUnsafeBytes { put(data: $0, into: rest) }
            put(.end, Self.nothing, into: UnsafeMutableRawBufferPointer(rebasing: rest[bodySize...]))
        }
        return output
    }

    mutating func head(status: Int, headers: [(String, String)]) -> Data {
        Self.json(status, headers).withUnsafeBytes { frame(.head, $0) }
    }

    /// As many frames as the bytes need.
    mutating func data(_ bytes: Data) -> Data {
        var output = Data(count: Self.size(ofData: bytes.count))
        output.withUnsafeMutableBytes { output in bytes.withUnsafeBytes { put(data: $0, into: output) } }
        return output
    }

    mutating func end() -> Data { frame(.end, Self.nothing) }

    /// Whether one frame holds the head.
    static func fits(status: Int, headers: [(String, String)]) -> Bool {
        json(status, headers).count <= largestData
    }

    private static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    private static func json(_ status: Int, _ headers: [(String, String)]) -> [UInt8] {
        let pairs = headers.map { JsonTree.array([.string($0.0), .string($0.1)]) }
        return JsonTree.object([
            JsonMember(name: "status", value: .number(String(status))),
            JsonMember(name: "headers", value: .array(pairs)),
        ]).bytes
    }

    private mutating func put(data: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) {
        var rest = data
        var room = room
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.largestData))
            put(.data, piece, into: room)
            rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
            room = UnsafeMutableRawBufferPointer(rebasing: room[(piece.count + Self.overhead)...])
        }
    }

    /// How many bytes the frames of so many bytes of data have.
    static func size(ofData count: Int) -> Int {
        count + (count + largestData - 1) / largestData * overhead
    }

    private mutating func frame(_ kind: Kind, _ data: UnsafeRawBufferPointer) -> Data {
        var frame = Data(count: data.count + Self.overhead)
        frame.withUnsafeMutableBytes { put(kind, data, into: $0) }
        return frame
    }

    /// Writes one frame to the beginning of the room.
    mutating func put(_ kind: Kind, _ data: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) {
        let frame = UnsafeMutableRawBufferPointer(rebasing: room[..<(data.count + Self.overhead)])
        withUnsafeBytes(of: UInt32(frame.count - 4).bigEndian) { frame.copyBytes(from: $0) }
        for place in 0..<4 { nonce[8 + place] = UInt8(truncatingIfNeeded: index >> (24 - 8 * UInt32(place))) }
        index += 1
        let output = UnsafeMutableRawBufferPointer(rebasing: frame[4...])
        let isSealed = withUnsafeBytes(of: kind.rawValue) { kind in
            key.seal([kind, data], nonce: nonce, aad: header, into: output)
        }
        // Zeros decrypt to nothing, so that the client would notice.
        if !isSealed { output.initializeMemory(as: UInt8.self, repeating: 0) }
    }
}
