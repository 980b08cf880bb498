import Foundation
import Testing

@testable import MeroKit

@Suite struct EventStreamParserTests {
    // MARK: The format

    @Test func readsAFrameOfTheNode() {
        let (outcomes, parser) = EventStreamParser.parse(
            Array("event: message\nid: 12345-0\nretry: 2500\ndata: {\"type\":\"connect\"}\n\n".utf8))
        #expect(outcomes == [.frame(data: Array(#"{"type":"connect"}"#.utf8), id: "12345-0", event: "message")])
        #expect(parser.retryMilliseconds == 2500)
        #expect(parser.lastEventId == "12345-0")
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func anyLineEndWillDo(_ end: String) {
        let lines = ["data: a", "data:b", "data", "", ": nothing", "data:  c", "id: 9", ""]
        let stream = lines.map { $0 + end }.joined()
        #expect(
            EventStreamParser.parse(Array(stream.utf8)).outcomes == [
                .frame(data: Array("a\nb\n".utf8), id: "", event: "message"), .comment,
                .frame(data: Array(" c".utf8), id: "9", event: "message"),
            ])
    }

    @Test func anIdLastsAndANameDoesNot() {
        let (outcomes, parser) = EventStreamParser.parse(
            Array("event:close\nid:4\ndata:x\n\nid:5\n\ndata:y\n\nid:a\0\ndata:z\n\nid\ndata:w\n\n".utf8))
        #expect(
            outcomes == [
                .frame(data: Array("x".utf8), id: "4", event: "close"),
                .frame(data: Array("y".utf8), id: "5", event: "message"),
                .frame(data: Array("z".utf8), id: "5", event: "message"),
                .frame(data: Array("w".utf8), id: "", event: "message"),
            ])
        #expect(parser.lastEventId == "")
    }

    @Test(arguments: [("0", 0), ("3000", 3000), ("007", 7), ("99999999999999999999999", UInt64.max)])
    func retryTakesDigits(_ text: String, _ milliseconds: UInt64) {
        #expect(EventStreamParser.parse(Array("retry: \(text)\n".utf8)).parser.retryMilliseconds == milliseconds)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "1e3", "0x10", "1 ", "١"])
    func retryTakesNothingElse(_ text: String) {
        #expect(EventStreamParser.parse(Array("retry: 10\nretry: \(text)\n".utf8)).parser.retryMilliseconds == 10)
    }

    @Test func bytesThatAreNoTextComeThrough() {
        let odd: [UInt8] = [0xFF, 0xC3, 0x28, 0x00, 0xF0, 0x9F]
        #expect(
            EventStreamParser.parse(Array("data:".utf8) + odd + [10, 10]).outcomes
                == [.frame(data: odd, id: "", event: "message")])
    }

    @Test func theLastLineNeedsNoEnd() {
        #expect(
            EventStreamParser.parse(Array("data:x\n\nid:7\ndata:y\ndata:z".utf8)).outcomes == [
                .frame(data: Array("x".utf8), id: "", event: "message"),
                .frame(data: Array("y\nz".utf8), id: "7", event: "message"),
            ])
        // Half of anything else would be taken for something else.
        let (outcomes, parser) = EventStreamParser.parse(Array("id:12\nretry:30\n\nid:1\nretry:3\ndata:x\nid:9".utf8))
        #expect(outcomes == [.frame(data: Array("x".utf8), id: "1", event: "message")])
        #expect(parser.lastEventId == "1")
    }

    @Test func aParserCanBeUsedAgainAfterItsStreamEnded() {
        var parser = EventStreamParser()
        var items: [EventStreamItem] = []
        parser.feed(Data("id:3\nevent:a\ndata:x\r".utf8), into: &items)
        parser.finish(into: &items)
        parser.feed(Data("\n\u{FEFF}data:y\n\n".utf8), into: &items)
        parser.finish(into: &items)
        parser.feed(Data("\u{FEFF}data:z\n\n".utf8), into: &items)
        #expect(
            items.map(EventOutcome.init) == [
                .frame(data: Array("x".utf8), id: "3", event: "a"),
                .frame(data: Array("z".utf8), id: "3", event: "message"),
            ])
    }

    // MARK: Any chunking

    @Test(arguments: EventStreamSamples.all.indices)
    func agreesWithTheReferenceUncutAndByteByByte(_ index: Int) {
        let sample = EventStreamSamples.all[index]
        let expected = ReferenceEventStream(sample)
        for cuts in [[], Array(sample.indices.dropFirst())] {
            let (outcomes, parser) = EventStreamParser.parse(sample, cuts: cuts)
            #expect(outcomes == expected.outcomes)
            #expect(parser.retryMilliseconds == expected.retry)
            #expect(parser.lastEventId == String(decoding: expected.id, as: UTF8.self))
        }
    }

    @Test(arguments: EventStreamSamples.all.indices)
    func everyCutInTwoOrThreeGivesTheSame(_ index: Int) {
        let sample = EventStreamSamples.all[index]
        let expected = ReferenceEventStream(sample).outcomes
        for first in 0...sample.count {
            for second in first...sample.count where second == first || sample.count <= 40 {
                let outcomes = EventStreamParser.parse(sample, cuts: [first, second]).outcomes
                #expect(outcomes == expected, "cut at \(first) and \(second)")
            }
        }
    }

    /// What the parser is after a piece depends on where the piece ends and not on where it began. Hence, by induction, it
    /// makes no difference how a sample is cut: not for any of its cuts.
    @Test(arguments: EventStreamSamples.short(48).indices)
    func theStateAfterAPieceDoesNotDependOnTheCut(_ index: Int) {
        let sample = EventStreamSamples.short(48)[index]
        var byteByByte = [EventStreamParser()]
        var itemCounts = [0]
        var items: [EventStreamItem] = []
        for byte in sample {
            var parser = byteByByte[byteByByte.count - 1]
            parser.feed(Data([byte]), into: &items)
            byteByByte.append(parser)
            itemCounts.append(items.count)
        }
        let states = byteByByte.map { String(reflecting: $0) }
        for start in 0..<sample.count {
            for end in (start + 1)...sample.count {
                var parser = byteByByte[start]
                var produced: [EventStreamItem] = []
                parser.feed(Data(sample[start..<end]), into: &produced)
                #expect(String(reflecting: parser) == states[end], "\(start)..<\(end)")
                #expect(
                    produced.map(EventOutcome.init)
                        == items[itemCounts[start]..<itemCounts[end]].map(EventOutcome.init), "\(start)..<\(end)")
            }
        }
    }

    /// A million cuts in all, each of a sample into pieces at random places.
    @Test(arguments: 0..<4)
    func randomCutsGiveTheSame(_ part: Int) {
        var random = SeededGenerator(seed: Self.seed(part))
        let samples = EventStreamSamples.short(24).map { ($0, ReferenceEventStream($0).outcomes) }
        for round in 0..<250_000 {
            let (sample, expected) = samples[round % samples.count]
            var cuts: [Int] = []
            // One random bit for every place between two bytes.
            var bits = random.next()
            if round & 1 == 0 { bits &= random.next() }
            for place in 1..<max(sample.count, 1) where bits >> UInt64(place) & 1 == 1 { cuts.append(place) }
            let outcomes = EventStreamParser.parse(sample, cuts: cuts).outcomes
            guard outcomes == expected else {
                Issue.record("\(sample) cut at \(cuts): \(outcomes), not \(expected)")
                return
            }
        }
    }

    /// Streams that are nothing but what the format cares about, in random order.
    @Test(arguments: 0..<4)
    func randomStreamsAgreeWithTheReference(_ part: Int) {
        var random = SeededGenerator(seed: Self.seed(10 + part))
        let pieces = [
            "data", "data:", "data: ", "id", "id:", "event:", "retry:", ":", " ", "\n", "\n\n", "\r", "\r\n", "\0", "7",
            "{}",
            "message", "\u{FEFF}", "é", "x",
        ].map { Array($0.utf8) }
        for _ in 0..<8_000 {
            var stream: [UInt8] = []
            for _ in 0..<Int.random(in: 1...30, using: &random) { stream += pieces.randomElement(using: &random) ?? [] }
            let limit = Int.random(in: 0...12, using: &random)
            let expected = ReferenceEventStream(stream, frameLimit: limit)
            let cuts = stream.indices.dropFirst().filter { _ in random.next() & 3 == 0 }
            let (outcomes, parser) = EventStreamParser.parse(stream, cuts: cuts, frameLimit: limit)
            #expect(outcomes == expected.outcomes, "\(stream) cut at \(cuts), limit \(limit)")
            #expect(parser.retryMilliseconds == expected.retry)
            #expect(parser.lastEventId == String(decoding: expected.id, as: UTF8.self))
        }
    }

    @Test func randomBytesAgreeWithTheReference() {
        var random = SeededGenerator(seed: Self.seed(20))
        for _ in 0..<3_000 {
            let stream = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8(truncatingIfNeeded: random.next() >> (random.next() & 1 == 0 ? 32 : 60))
            }
            let cuts = stream.indices.dropFirst().filter { _ in random.next() & 7 == 0 }
            #expect(
                EventStreamParser.parse(stream, cuts: cuts).outcomes == ReferenceEventStream(stream).outcomes,
                "\(stream)")
        }
    }

    // MARK: Limits

    @Test(arguments: [1, 7, 64, 5000])
    func aFrameAboveTheLimitIsLostAndTheNextOneArrives(_ size: Int) {
        let limit = 100
        let stream = Array(
            ("data: \(String(repeating: "a", count: 100))\n\n"
                + "id: 2\ndata: \(String(repeating: "b", count: 101))\n\n"
                + "data: \(String(repeating: "c", count: 60))\ndata: \(String(repeating: "d", count: 60))\n\n"
                + "data: next\n\n").utf8)
        let cuts = Array(stride(from: size, to: stream.count, by: size))
        #expect(
            EventStreamParser.parse(stream, cuts: cuts, frameLimit: limit).outcomes == [
                .frame(data: Array(repeating: UInt8(ascii: "a"), count: 100), id: "", event: "message"),
                .oversized(101), .oversized(121), .frame(data: Array("next".utf8), id: "2", event: "message"),
            ])
    }

    @Test func theDefaultLimitIsSixteenMebibytes() {
        var parser = EventStreamParser()
        var items: [EventStreamItem] = []
        let piece = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
        for pieces in [16, 17] {
            parser.feed(Data("data:".utf8), into: &items)
            for _ in 0..<pieces { parser.feed(piece, into: &items) }
            parser.feed(Data("\n\n".utf8), into: &items)
        }
        #expect(items.count == 2)
        guard case .frame(let frame) = items.first, case .oversized(17 << 20) = items.last else {
            Issue.record("16 MiB pass, 17 MiB are reported")
            return
        }
        #expect(frame.dataCount == 16 << 20)
    }

    @Test(arguments: [1000, 16_384, 1 << 20])
    func aFrameOfFiveMebibytesArrivesWhole(_ size: Int) {
        var random = SeededGenerator(seed: Self.seed(30))
        let body = (0..<(5 << 20) / 8).flatMap { _ in
            // Letters, so that no byte ends a line.
            withUnsafeBytes(of: random.next() & 0x0F0F_0F0F_0F0F_0F0F | 0x6060_6060_6060_6060) { Array($0) }
        }
        let stream = Array("id: 1\ndata: ".utf8) + body + [10, 10]
        let outcomes = EventStreamParser.parse(stream, cuts: Array(stride(from: size, to: stream.count, by: size)))
            .outcomes
        #expect(outcomes == [.frame(data: body, id: "1", event: "message")])
    }

    @Test(arguments: [3, 1000, 100_000])
    func aFieldThatIsTooLongIsIgnored(_ size: Int) {
        let fits = String(repeating: "i", count: EventStreamParser.fieldLimit)
        let stream = Array(
            ("id: \(fits)\nevent: \(fits)\ndata: x\n\n"
                + "id: \(fits)i\nevent: \(fits)\(fits)\nretry: 1\(fits)\ndata: y\n\n")
                .utf8)
        let outcomes = EventStreamParser.parse(stream, cuts: Array(stride(from: size, to: stream.count, by: size)))
            .outcomes
        #expect(
            outcomes == [
                .frame(data: Array("x".utf8), id: fits, event: fits),
                .frame(data: Array("y".utf8), id: fits, event: "message"),
            ])
    }

    /// Printed, so that a run can be repeated: set `MERO_FUZZ_SEED` to it.
    private static func seed(_ part: Int) -> UInt64 { base &+ UInt64(part) }

    private static let base: UInt64 = {
        let given = ProcessInfo.processInfo.environment["MERO_FUZZ_SEED"].flatMap { UInt64($0) }
        let seed = given ?? .random(in: .min ... .max)
        print("Event stream tests use MERO_FUZZ_SEED=\(seed)")
        return seed
    }()
}
