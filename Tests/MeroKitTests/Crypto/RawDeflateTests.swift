import Foundation
import Testing

@testable import MeroKit

@Suite("Raw DEFLATE")
struct RawDeflateTests {
    @Test("Random texts: there and back, at their exact size as limit")
    func roundTrip() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<40 {
            let count = round == 0 ? 0 : Int.random(in: 0...60_000, using: &generator)
            let letters = UInt8.random(in: 1...255, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...letters, using: &generator) }
            let stream = try RawDeflate.deflate(bytes)
            #expect(try RawDeflate.inflate(stream, limit: count) == bytes, "seed \(seed)")
            if count > 0 {
                #expect(throws: RawDeflate.Problem.tooLarge, "seed \(seed)") {
                    try RawDeflate.inflate(stream, limit: count - 1)
                }
            }
        }
    }

    @Test("A stored block, and one that another compressor made")
    func others() throws {
        let stored: [UInt8] = [0x01, 0x03, 0x00, 0xfc, 0xff, 0x61, 0x62, 0x63]
        #expect(try RawDeflate.inflate(stored, limit: 10) == Array("abc".utf8))
        #expect(try RawDeflate.inflate([0x4b, 0x4c, 0x4a, 0x06, 0x00], limit: 10) == Array("abc".utf8))
    }

    @Test("A bomb stops at the limit")
    func bomb() throws {
        let stream = try RawDeflate.deflate([UInt8](repeating: 0, count: 20 << 20))
        #expect(stream.count < 50_000)
        #expect(throws: RawDeflate.Problem.tooLarge) { try RawDeflate.inflate(stream, limit: 1 << 20) }
    }

    @Test("What is no stream, does not end or goes on is refused")
    func malformed() throws {
        let stream = try RawDeflate.deflate(Array("some text, some text, some other text".utf8))
        for count in 0..<stream.count {
            #expect(throws: RawDeflate.Problem.truncated) {
                try RawDeflate.inflate(Array(stream.prefix(count)), limit: 1 << 20)
            }
        }
        #expect(throws: RawDeflate.Problem.trailing) { try RawDeflate.inflate(stream + [0], limit: 1 << 20) }
        #expect(throws: RawDeflate.Problem.malformed) { try RawDeflate.inflate([0x07], limit: 1 << 20) }
        // With a zlib header it is another format.
        #expect(throws: RawDeflate.Problem.self) { try RawDeflate.inflate([0x78, 0x9c] + stream, limit: 1 << 20) }
    }

    @Test("Random bytes never crash it")
    func fuzz() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            let output = try? RawDeflate.inflate(bytes, limit: 4_096)
            #expect((output?.count ?? 0) <= 4_096, "seed \(seed)")
        }
    }
}
