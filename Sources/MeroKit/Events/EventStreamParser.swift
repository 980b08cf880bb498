import Foundation

/// Cuts a stream of bytes into events, by the rules of the WHATWG event-stream format.
///
/// It is fed whatever pieces the network hands out: a line, a CRLF pair, a byte order mark or a character may be split
/// anywhere, and what comes out does not depend on where.
///
/// ```swift
/// var parser = EventStreamParser()
/// var items: [EventStreamItem] = []
/// for try await chunk in response.body { parser.feed(chunk, into: &items) }
/// parser.finish(into: &items)
/// ```
///
/// Two limits are its own. A frame whose data exceed `frameLimit` is reported as `.oversized` and dropped. An `event`,
/// `id` or `retry` value longer than `fieldLimit` is ignored, like a field that nobody knows.
///
/// Spec: 40, section 2.2.
struct EventStreamParser: Sendable {
    static let defaultFrameLimit = 16 << 20
    static let fieldLimit = 4096

    /// What a buffer may keep between frames, to save a busy stream from growing it anew each time.
    private static let keptCapacity = 1 << 20

    private let frameLimit: Int
    /// Whether anybody wants to know ids and names of events.
    private let keepsNames: Bool

    // The stream so far.
    /// How many bytes of the mark that may stand before the first line were there; 3 once that is over.
    private var markLength = 0
    private var id: [UInt8] = []
    /// The reconnection time that the sender asked for last, in milliseconds.
    private(set) var retryMilliseconds: UInt64?

    // The frame so far.
    private var hasData = false
    /// How long the data are, the part that was dropped for its length included.
    private var dataCount = 0
    private var data: [UInt8] = []
    /// Data that still stand in the chunk at hand only: most frames end in the chunk in which they begin, and are copied
    /// just once.
    private var held = 0..<0
    private var event: [UInt8] = []

    // The line so far.
    private var place = Place.name
    private var name = FieldName()
    /// The part of an `event`, `id` or `retry` value that came with earlier chunks.
    private var value: [UInt8] = []
    /// The last line ended with a CR, so that a LF here belongs to it.
    private var followsCarriageReturn = false

    /// - Parameters:
    ///   - frameLimit: How many bytes of data a frame may have.
    ///   - keepsNames: False where nobody asks for the ids and names of events: they are all empty then.
    init(frameLimit: Int = Self.defaultFrameLimit, keepsNames: Bool = true) {
        self.frameLimit = frameLimit
        self.keepsNames = keepsNames
    }

    /// The last event id of the stream, empty when there was none.
    var lastEventId: String { String(decoding: id, as: UTF8.self) }

    /// Takes the next piece of the stream, and hands on what became complete with it.
    mutating func feed(_ chunk: UnsafeRawBufferPointer, into items: inout some EventStreamSink) {
        var index = skipByteOrderMark(chunk)
        var lineEnds = LineEnds(chunk)
        while index < chunk.count {
            if followsCarriageReturn {
                followsCarriageReturn = false
                if chunk[index] == .lineFeed {
                    index += 1
                    continue
                }
            }
            let end = lineEnds.first(from: index)
            let valueStart = takeLine(chunk, index..<end, isEnded: end < chunk.count)
            guard end < chunk.count else { break }
            endLine(chunk, valueStart..<end, into: &items)
            followsCarriageReturn = chunk[end] == .carriageReturn
            index = end + 1
        }
        spill(chunk)
    }

    mutating func feed(_ chunk: Data, into items: inout some EventStreamSink) {
        chunk.withUnsafeBytes { feed($0, into: &items) }
    }

    /// The stream is over: hands on the frame that it broke off in, if that has data.
    ///
    /// The format would discard it. But a sender that closes right after its last line means what it sent, and a text
    /// that is really cut is no JSON. Of an unterminated line only data count: half an id would name something else.
    mutating func finish(into items: inout some EventStreamSink) {
        endFrame(UnsafeRawBufferPointer(start: nil, count: 0), into: &items)
        let (id, retry) = (id, retryMilliseconds)
        self = EventStreamParser(frameLimit: frameLimit, keepsNames: keepsNames)
        self.id = id
        retryMilliseconds = retry
    }
}

// MARK: - Lines

extension EventStreamParser {
    private enum Field {
        case data, event, id, retry, comment, unknown
    }

    /// Where in a line the next byte stands.
    private enum Place {
        case name
        /// Right behind the colon, where one space is no part of the value.
        case space(Field)
        case value(Field)
    }

    /// Takes a line, or as much of it as there is in this chunk. Returns where its value begins here.
    private mutating func takeLine(_ chunk: UnsafeRawBufferPointer, _ part: Range<Int>, isEnded: Bool) -> Int {
        var index = part.lowerBound
        if case .name = place {
            while index < part.upperBound {
                let byte = chunk[index]
                index += 1
                if byte == UInt8(ascii: ":") {
                    begin(name.field, chunk)
                    break
                }
                guard name.append(byte) else {
                    place = .value(.unknown)
                    break
                }
            }
        }
        if case .space(let field) = place, index < part.upperBound {
            if chunk[index] == UInt8(ascii: " ") { index += 1 }
            place = .value(field)
        }
        if case .value(let field) = place {
            switch field {
            case .data: append(chunk, index..<part.upperBound)
            case .event, .id, .retry:
                // Where the line is complete, and nothing of it came before, it is read in place.
                if !isEnded || !value.isEmpty, value.count <= Self.fieldLimit {
                    value.append(contentsOf: chunk[index..<part.upperBound].prefix(Self.fieldLimit + 1))
                }
            case .comment, .unknown: break
            }
        }
        return index
    }

    private mutating func begin(_ field: Field, _ chunk: UnsafeRawBufferPointer) {
        place = .space(field)
        guard field == .data else { return }
        if hasData { appendLineFeed(chunk) }
        hasData = true
    }

    /// - Parameter rest: Where the value stands, when all of it is in this chunk.
    private mutating func endLine(
        _ chunk: UnsafeRawBufferPointer, _ rest: Range<Int>, into items: inout some EventStreamSink
    ) {
        switch place {
        case .name where name.isEmpty:
            endFrame(chunk, into: &items)
        case .name:
            // Without a colon the whole line is the name, and the value is empty.
            let field = name.field
            begin(field, chunk)
            set(field, to: UnsafeRawBufferPointer(rebasing: chunk[rest.upperBound..<rest.upperBound]))
        case .space(.comment), .value(.comment):
            items.comment()
            // Comments come when there is nothing else to send: the time to hold no memory that is not needed.
            if !hasData { data = [] }
        case .space(let field), .value(let field):
            if value.isEmpty {
                set(field, to: UnsafeRawBufferPointer(rebasing: chunk[rest]))
            } else {
                let value = value
                self.value = []
                value.withUnsafeBytes { set(field, to: $0) }
            }
        }
        place = .name
        name = FieldName()
    }

    private mutating func set(_ field: Field, to value: UnsafeRawBufferPointer) {
        guard value.count <= Self.fieldLimit, keepsNames || field == .retry else { return }
        switch field {
        case .event:
            event.removeAll(keepingCapacity: true)
            // The usual name is the one that an empty field stands for.
            if !value.elementsEqual("message".utf8) { event.append(contentsOf: value) }
        case .id:
            guard !value.contains(0) else { return }
            id.removeAll(keepingCapacity: true)
            id.append(contentsOf: value)
        case .retry:
            guard let milliseconds = Self.digits(value) else { return }
            retryMilliseconds = milliseconds
        case .data, .comment, .unknown: break
        }
    }

    /// A number of nothing but digits; one that does not fit is as good as the largest that does.
    private static func digits(_ text: UnsafeRawBufferPointer) -> UInt64? {
        guard !text.isEmpty, text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return UInt64(String(decoding: text, as: UTF8.self)) ?? .max
    }
}

// MARK: - Frames

extension EventStreamParser {
    private mutating func append(_ chunk: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        dataCount += range.count
        guard fits() else { return }
        if data.isEmpty, held.isEmpty {
            held = range
        } else {
            spill(chunk)
            data.append(contentsOf: chunk[range])
        }
    }

    private mutating func appendLineFeed(_ chunk: UnsafeRawBufferPointer) {
        dataCount += 1
        guard fits() else { return }
        spill(chunk)
        data.append(.lineFeed)
    }

    /// Whether the frame may be kept. Gives its memory back when it may not.
    private mutating func fits() -> Bool {
        guard dataCount > frameLimit else { return true }
        data = []
        held = 0..<0
        return false
    }

    /// Copies what stands in the chunk only.
    private mutating func spill(_ chunk: UnsafeRawBufferPointer) {
        guard !held.isEmpty else { return }
        data.append(contentsOf: chunk[held])
        held = 0..<0
    }

    private mutating func endFrame(_ chunk: UnsafeRawBufferPointer, into items: inout some EventStreamSink) {
        if dataCount > frameLimit {
            items.oversized(byteCount: dataCount)
        } else if hasData {
            if held.isEmpty {
                data.withUnsafeBytes { items.frame(data: $0, id: id, event: event) }
            } else {
                items.frame(data: UnsafeRawBufferPointer(rebasing: chunk[held]), id: id, event: event)
            }
        }
        hasData = false
        dataCount = 0
        held = 0..<0
        data.removeAll(keepingCapacity: data.capacity <= Self.keptCapacity)
        event.removeAll(keepingCapacity: true)
    }
}

// MARK: - Parts of a stream

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}

extension EventStreamParser {
    /// Returns where the text begins, or goes on.
    private mutating func skipByteOrderMark(_ chunk: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while markLength < 3, index < chunk.count {
            guard chunk[index] == (markLength == 0 ? 0xEF : markLength == 1 ? 0xBB : 0xBF) else {
                // What looked like the beginning of a mark was that of a line, of one that nobody knows.
                if markLength > 0 { place = .value(.unknown) }
                markLength = 3
                break
            }
            markLength += 1
            index += 1
        }
        return index
    }

    /// The name of a field, as far as it is read. All that matter are short enough for a machine word.
    private struct FieldName {
        /// A one, then the bytes: so names of different lengths never look alike.
        private var packed: UInt64 = 1

        var isEmpty: Bool { packed == 1 }

        /// False when no field with a name this long is known.
        mutating func append(_ byte: UInt8) -> Bool {
            packed = packed << 8 | UInt64(byte)
            return packed < 1 << 48
        }

        var field: Field {
            switch packed {
            case 1: return .comment
            case 0x01_64_61_74_61: return .data
            case 0x01_65_76_65_6E_74: return .event
            case 0x01_69_64: return .id
            case 0x01_72_65_74_72_79: return .retry
            default: return .unknown
            }
        }
    }

    /// Finds the ends of lines. Either kind of end is looked for only once per place, however rare it is.
    private struct LineEnds {
        private let chunk: UnsafeRawBufferPointer
        private var nextLineFeed = -1
        private var nextCarriageReturn = -1

        init(_ chunk: UnsafeRawBufferPointer) { self.chunk = chunk }

        /// The first LF or CR from here on, or where the chunk ends.
        mutating func first(from index: Int) -> Int {
            if nextLineFeed < index { nextLineFeed = find(.lineFeed, from: index) }
            if nextCarriageReturn < index { nextCarriageReturn = find(.carriageReturn, from: index) }
            return min(nextLineFeed, nextCarriageReturn)
        }

        private func find(_ byte: UInt8, from index: Int) -> Int {
            guard let base = chunk.baseAddress, let found = memchr(base + index, Int32(byte), chunk.count - index)
            else {
                return chunk.count
            }
            return UnsafeRawPointer(found) - base
        }
    }
}
