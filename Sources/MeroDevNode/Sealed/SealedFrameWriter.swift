import Foundation
import MeroKit

/// Seals an answer frame by frame.
///
/// Spec: 80, section 1.4.
struct SealedFrameWriter: Sendable {
    static let largestData = 65_536

    private let key: [UInt8]
    private let header: [UInt8]
    private var index: UInt32 = 0

    /// - Parameter header: the request's 25 bytes.
    init(key: [UInt8], header: [UInt8]) {
        self.key = key
        self.header = header
    }

    mutating func head(status: Int, headers: [(String, String)]) -> Data {
        frame(0, Self.head(status, headers))
    }

    private static func head(_ status: Int, _ headers: [(String, String)]) -> Data {
        let pairs = headers.map { JsonTree.array([.string($0.0), .string($0.1)]) }
        return JsonTree.object([
            JsonMember(name: "status", value: .number(String(status))),
            JsonMember(name: "headers", value: .array(pairs)),
        ]).data
    }

    /// Whether one frame holds the head.
    static func fits(status: Int, headers: [(String, String)]) -> Bool {
        head(status, headers).count <= largestData
    }

    /// As many frames as the bytes need.
    mutating func data(_ bytes: Data) -> Data {
        var output = Data()
        var rest = bytes[...]
        while !rest.isEmpty {
            output += frame(1, Data(rest.prefix(Self.largestData)))
            rest = rest.dropFirst(Self.largestData)
        }
        return output
    }

    mutating func end() -> Data { frame(2, Data()) }

    private mutating func frame(_ kind: UInt8, _ data: Data) -> Data {
        let place = withUnsafeBytes(of: index.bigEndian) { Array($0) }
        index += 1
        let size = 1 + data.count + 16
        var frame = Data(count: 4 + size)
        let isSealed = frame.withUnsafeMutableBytes { room in
            withUnsafeBytes(of: UInt32(size).bigEndian) { room.copyBytes(from: $0) }
            let output = UnsafeMutableRawBufferPointer(rebasing: room[4...])
            return data.withUnsafeBytes { data in
                key.withUnsafeBytes { key in
                    withUnsafeBytes(of: kind) { kind in
                        AesGcmBackend.seal(
                            [kind, data], key: key, nonce: Array(header.suffix(8)) + place, aad: header, into: output)
                    }
                }
            }
        }
        // Zeros decrypt to nothing, so that the client would notice.
        return isSealed ? frame : Data(count: 4 + size)
    }
}
