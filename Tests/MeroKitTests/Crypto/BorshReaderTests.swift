import Foundation
import Testing

@testable import MeroKit

@Suite("Reading borsh")
struct BorshReaderTests {
    private static var sample: Data {
        var writer = BorshWriter()
        writer.u8(7)
        writer.bool(true)
        writer.u32(0x0102_0304)
        writer.u64(.max)
        writer.string("é🎨")
        writer.optionString(nil)
        writer.optionString("x")
        writer.optionBytes(nil)
        writer.optionBytes(Data([9, 9]))
        writer.list([Data([1, 2]), Data([3, 4])])
        writer.strings(["", "ab"])
        writer.raw(Data([5, 6]))
        return writer.data
    }

    private func read(_ bytes: Data) throws {
        var reader = BorshReader(bytes)
        #expect(try reader.u8("a") == 7)
        #expect(try reader.bool("b"))
        #expect(try reader.u32("c") == 0x0102_0304)
        #expect(try reader.u64("d") == .max)
        #expect(try reader.string("e") == "é🎨")
        #expect(try reader.optionString("f") == nil)
        #expect(try reader.optionString("g") == "x")
        #expect(try reader.optionBytes(2, "h") == nil)
        #expect(try reader.optionBytes(2, "i") == Data([9, 9]))
        #expect(try reader.list(of: 2, "j") == [Data([1, 2]), Data([3, 4])])
        #expect(try reader.strings("k") == ["", "ab"])
        #expect(try reader.raw(2, "l") == Data([5, 6]))
        try reader.finish()
    }

    @Test("What was written comes back, from a slice too")
    func roundTrip() throws {
        try read(Self.sample)
        try read((Data([1, 2, 3]) + Self.sample + Data([4])).dropFirst(3).dropLast())
    }

    @Test("Every truncation is refused, and what follows is")
    func truncations() {
        for count in 0..<Self.sample.count {
            #expect(throws: BorshError.self) { try read(Self.sample.prefix(count)) }
        }
        #expect(throws: BorshError.trailing(2)) { try read(Self.sample + Data([0, 0])) }
    }

    @Test("Counts that no input holds cost nothing")
    func hugeCounts() {
        let huge = Data([0xff, 0xff, 0xff, 0xff, 0])
        var reader = BorshReader(huge)
        #expect(throws: BorshError.truncated("x")) { try reader.string("x") }
        reader = BorshReader(huge)
        #expect(throws: BorshError.truncated("x")) { try reader.list(of: 32, "x") }
        reader = BorshReader(huge)
        #expect(throws: BorshError.truncated("x")) { try reader.strings("x") }
    }

    @Test("Flags are 0 or 1, texts are UTF-8")
    func values() {
        var reader = BorshReader(Data([2]))
        #expect(throws: BorshError.invalid("x")) { try reader.bool("x") }
        reader = BorshReader(Data([2, 0]))
        #expect(throws: BorshError.invalid("x")) { try reader.optionString("x") }
        for content: [UInt8] in [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]] {
            reader = BorshReader(LittleEndian.u32(UInt32(content.count)) + content)
            #expect(throws: BorshError.invalid("x")) { try reader.string("x") }
        }
    }

    @Test("Maps are ordered by bytes, keys that Swift takes for equal both stay, repeated ones are refused")
    func maps() throws {
        var writer = BorshWriter()
        try writer.map([("\u{E9}", "1"), ("e\u{301}", "2"), ("Z", "3")])
        #expect(
            Hex.encode(writer.data) == "03000000" + "010000005a" + "0100000033" + "0300000065cc81" + "0100000032"
                + "02000000c3a9" + "0100000031")
        #expect(throws: AccountError.self) {
            var writer = BorshWriter()
            try writer.map([("a", "1"), ("b", "2"), ("a", "1")])
        }
    }
}
