import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Spec: 80, section 1.4.
@Suite("A file sealed as it is sent")
struct SealedContentTests {
    private static let key = [UInt8](repeating: 7, count: 32)
    private static let header: [UInt8] = [2] + [UInt8](repeating: 9, count: 16) + [0, 0, 0, 0, 0, 0, 0, 3]

    /// Hands out the bytes, as a disk might: a few at a time.
    private static func content(
        _ bytes: Data, length: Int? = nil, mayGoOn: @escaping @Sendable () -> Bool = { true }
    ) -> SealedContent {
        var writer = SealedFrameWriter(key: AesGcmKey(SecretBytes(key)), header: header)
        let head = writer.head(status: 200, headers: [("x", "y")])
        let position = Locked(0)
        return SealedContent(
            head: head, writer, length: UInt64(length ?? bytes.count), mayGoOn: mayGoOn
        ) { buffer in
            position.withLock { position in
                let count = min(buffer.count, bytes.count - position, 10_000)
                bytes.copyBytes(to: buffer, from: position..<(position + count))
                position += count
                return count
            }
        }
    }

    private static func read(_ content: SealedContent, pieces: Int) -> Data? {
        var output = Data()
        while UInt64(output.count) < content.length {
            var piece = [UInt8](repeating: 0, count: min(pieces, Int(content.length) - output.count))
            guard let count = piece.withUnsafeMutableBytes({ content.read(into: $0) }), count == piece.count else {
                return nil
            }
            output += piece
        }
        return output
    }

    /// The kinds and the data of all frames.
    private static func open(_ stream: Data) throws -> [(kind: UInt8, data: [UInt8])] {
        var frames: [(UInt8, [UInt8])] = []
        var rest = Array(stream)[...]
        while !rest.isEmpty {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            #expect(length <= 65_553)
            let place = withUnsafeBytes(of: UInt32(frames.count).bigEndian) { Array($0) }
            let opened = try #require(
                AesGcm.open(
                    Array(rest.dropFirst(4).prefix(length)), key: key, nonce: header.suffix(8) + place, aad: header))
            frames.append((opened[0], Array(opened.dropFirst())))
            rest = rest.dropFirst(4 + length)
        }
        return frames
    }

    @Test("whatever is asked for at once", arguments: [7, 1000, 65_536, 65_557, 262_144])
    func pieces(size: Int) throws {
        let bytes = Data((0..<150_001).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let stream = try #require(Self.read(Self.content(bytes), pieces: size))
        let frames = try Self.open(stream)
        #expect(frames.map(\.kind) == [0, 1, 1, 1, 2])
        #expect(frames.filter { $0.kind == 1 }.map(\.data.count) == [65_536, 65_536, 18_929])
        #expect(Data(frames.filter { $0.kind == 1 }.flatMap(\.data)) == bytes)
    }

    @Test("lengths around a frame's", arguments: [0, 1, 65_535, 65_536, 65_537])
    func lengths(length: Int) throws {
        let bytes = Data(repeating: 5, count: length)
        let frames = try Self.open(try #require(Self.read(Self.content(bytes), pieces: 100_000)))
        #expect(frames.first?.kind == 0)
        #expect(frames.last?.kind == 2)
        #expect(Data(frames.dropFirst().flatMap(\.data)) == bytes)
        #expect(!frames.contains { $0.kind == 1 && $0.data.isEmpty })
    }

    @Test("a file that has shrunk, and a session that is over, cut the answer")
    func cuts() {
        #expect(Self.read(Self.content(Data(count: 70_000), length: 80_000), pieces: 100_000) == nil)
        let isOver = Locked(false)
        let content = Self.content(Data(count: 200_000)) { !isOver.withLock { $0 } }
        var buffer = [UInt8](repeating: 0, count: 1000)
        #expect(buffer.withUnsafeMutableBytes { content.read(into: $0) } == 1000)
        isOver.withLock { $0 = true }
        #expect(buffer.withUnsafeMutableBytes { content.read(into: $0) } == nil)
    }
}
