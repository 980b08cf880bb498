@testable import MeroKit

/// The event-stream format once more, in the plainest way: the whole text at hand, line by line.
struct ReferenceEventStream {
    private(set) var outcomes: [EventOutcome] = []
    private(set) var retry: UInt64?
    private(set) var id: [UInt8] = []

    init(_ stream: [UInt8], frameLimit: Int = EventStreamParser.defaultFrameLimit) {
        var text = stream[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        var data: [[UInt8]] = []
        var event: [UInt8] = []

        func endFrame() {
            defer {
                data = []
                event = []
            }
            if data.isEmpty { return }
            let joined = Array(data.joined(separator: [10]))
            guard joined.count <= frameLimit else { return outcomes.append(.oversized(joined.count)) }
            outcomes.append(
                .frame(
                    data: joined, id: String(decoding: id, as: UTF8.self),
                    event: event.isEmpty ? "message" : String(decoding: event, as: UTF8.self)))
        }

        while let end = text.firstIndex(where: { $0 == 10 || $0 == 13 }) {
            let line = text[..<end]
            text = text[(end + 1)...]
            if stream[end] == 13, text.first == 10 { text = text.dropFirst() }
            guard let first = line.first else {
                endFrame()
                continue
            }
            if first == UInt8(ascii: ":") {
                outcomes.append(.comment)
                continue
            }
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            var value = Array(line[colon...].dropFirst())
            if value.first == UInt8(ascii: " ") { value.removeFirst() }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            if name == "data" { data.append(value) }
            guard value.count <= EventStreamParser.fieldLimit else { continue }
            if name == "event" { event = value }
            if name == "id", !value.contains(0) { id = value }
            if name == "retry", !value.isEmpty, value.allSatisfy({ 48...57 ~= $0 }) {
                retry = UInt64(String(decoding: value, as: UTF8.self)) ?? .max
            }
        }
        // What is left has no line end. As the parser has it, only data that were named count.
        if text.starts(with: Array("data:".utf8)) {
            var value = Array(text.dropFirst(5))
            if value.first == UInt8(ascii: " ") { value.removeFirst() }
            data.append(value)
        }
        endFrame()
    }
}

/// What came out of a stream, in a form that can be compared.
enum EventOutcome: Equatable {
    case frame(data: [UInt8], id: String, event: String)
    case oversized(Int)
    case comment

    init(_ item: EventStreamItem) {
        switch item {
        case .frame(let frame): self = .frame(data: Array(frame.data), id: frame.id, event: frame.event)
        case .oversized(let byteCount): self = .oversized(byteCount)
        case .comment: self = .comment
        }
    }
}

extension EventStreamParser {
    /// Feeds a stream in the pieces that end at `cuts`, and then ends it.
    static func parse(
        _ stream: [UInt8], cuts: [Int] = [], frameLimit: Int = Self.defaultFrameLimit
    ) -> (outcomes: [EventOutcome], parser: EventStreamParser) {
        var parser = EventStreamParser(frameLimit: frameLimit)
        var items: [EventStreamItem] = []
        stream.withUnsafeBytes { bytes in
            var start = 0
            for end in cuts + [bytes.count] {
                // A copy, so that a look beyond the piece is a look beyond its memory.
                let piece = [UInt8](bytes[start..<end])
                piece.withUnsafeBytes { parser.feed($0, into: &items) }
                start = end
            }
        }
        parser.finish(into: &items)
        return (items.map(EventOutcome.init), parser)
    }
}
