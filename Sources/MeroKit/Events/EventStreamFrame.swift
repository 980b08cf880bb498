/// One event of an event stream, as its sender framed it.
///
/// The bytes are those of the stream, also where they are no valid UTF-8: who turns them into text replaces what is
/// ill-formed, as the format asks.
struct EventStreamFrame: Sendable {
    /// The data, then the id, then the event's name: one allocation holds them all, and nobody pays for text that is
    /// never asked for.
    let bytes: [UInt8]
    let dataCount: Int
    private let idCount: Int

    init(data: UnsafeRawBufferPointer, id: [UInt8], event: [UInt8]) {
        dataCount = data.count
        idCount = id.count
        bytes = [UInt8](unsafeUninitializedCapacity: data.count + id.count + event.count) { output, count in
            let output = UnsafeMutableRawBufferPointer(output)
            output.copyMemory(from: data)
            id.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: output[data.count...]).copyMemory(from: $0) }
            event.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: output[(data.count + id.count)...]).copyMemory(from: $0)
            }
            count = output.count
        }
    }

    /// The values of the `data` lines, joined by line feeds.
    var data: ArraySlice<UInt8> { bytes[..<dataCount] }

    /// The last event id of the stream at this frame, which an earlier frame may have set. Empty when there was none.
    var id: String { String(decoding: bytes[dataCount..<dataCount + idCount], as: UTF8.self) }

    /// The event's name; `message` when the frame does not say.
    var event: String {
        let name = bytes[(dataCount + idCount)...]
        return name.isEmpty ? "message" : String(decoding: name, as: UTF8.self)
    }
}

/// What an event stream brought, in the order of the stream.
enum EventStreamItem: Sendable {
    case frame(EventStreamFrame)
    /// A frame with more data than the parser may keep. It is lost, what follows is not.
    case oversized(byteCount: Int)
    /// A sign of life from an idle sender; it means nothing else.
    case comment
}

/// Takes what a parser finds in a stream, in the order of the stream.
protocol EventStreamSink {
    /// - Parameters:
    ///   - data: Only to be read during the call.
    ///   - id: The last event id of the stream.
    ///   - event: The event's name, empty for the usual one.
    mutating func frame(data: UnsafeRawBufferPointer, id: [UInt8], event: [UInt8])
    mutating func comment()
    mutating func oversized(byteCount: Int)
}

extension Array: EventStreamSink where Element == EventStreamItem {
    mutating func frame(data: UnsafeRawBufferPointer, id: [UInt8], event: [UInt8]) {
        append(.frame(EventStreamFrame(data: data, id: id, event: event)))
    }

    mutating func comment() { append(.comment) }

    mutating func oversized(byteCount: Int) { append(.oversized(byteCount: byteCount)) }
}
