/// What a frame of the event stream, or a message that a WebSocket pushes, is about.
///
/// The frame's JSON decides, never the name of the event: all of it is checked, and only what is needed to deliver it is
/// read. Ill-formed UTF-8 is replaced, anything else that is no JSON makes the frame one to ignore.
/// Spec: 40, section 2.2.
enum EventFrame: Sendable {
    /// The stream is open. Everything has to be subscribed to now, in this session.
    case connect(sessionId: String, isReconnect: Bool)
    /// The node ends the stream.
    case close(reason: String?)
    case event(ContextEvent)
    /// The node had an event here and could not write it down.
    case lost
    case ignored

    init(_ frame: EventStreamFrame) { self.init(json: Array(frame.data)) }

    init(json bytes: [UInt8]) {
        var arena = EventArena()
        self = bytes.withUnsafeBytes { EventFrame(json: $0, into: &arena) }
    }

    /// - Parameters:
    ///   - bytes: Only to be read during the call.
    ///   - arena: That of the stream.
    init(json bytes: UnsafeRawBufferPointer, into arena: inout EventArena) {
        if UTF8Validation.firstInvalidOffset(in: bytes) == nil {
            self = Self.classify(bytes, &arena)
        } else {
            let repaired = Array(String(decoding: bytes, as: UTF8.self).utf8)
            self = repaired.withUnsafeBytes { Self.classify($0, &arena) }
        }
    }

    private static func classify(_ bytes: UnsafeRawBufferPointer, _ arena: inout EventArena) -> EventFrame {
        var envelope = Envelope()
        var cursor = JSONCursor(bytes)
        cursor.enterObject()
        while let key = cursor.nextKey() { envelope.take(key, from: &cursor) }
        return cursor.isAtEnd ? envelope.frame(in: bytes, &arena) : .ignored
    }
}

/// The members of a frame that say what it is. Of a repeated one the first counts, as everywhere.
private struct Envelope {
    private var type = Member.absent
    private var sessionId = Member.absent
    private var isReconnect: Bool?
    private var reason = Member.absent
    private var hasError: Bool?
    private var result: Result??

    private enum Member {
        case absent
        case notText
        case text(JSONStringToken)

        var string: String? { if case .text(let token) = self { return token.string } else { return nil } }

        var token: JSONStringToken? { if case .text(let token) = self { return token } else { return nil } }
    }

    private struct Result {
        var contextId = Member.absent
        var groupId = Member.absent
        var type = Member.absent
        var data: Range<Int>?
        var range = 0..<0

        var dataWithinRange: Range<Int>? {
            data.map { $0.lowerBound - range.lowerBound..<$0.upperBound - range.lowerBound }
        }
    }

    mutating func take(_ key: JSONStringToken, from cursor: inout JSONCursor) {
        if key.equals("result"), result == nil {
            result = .some(Self.result(from: &cursor))
        } else if key.equals("type") {
            Self.read(&type, from: &cursor)
        } else if key.equals("session_id") {
            Self.read(&sessionId, from: &cursor)
        } else if key.equals("reconnect"), isReconnect == nil {
            isReconnect = cursor.nextByte == UInt8(ascii: "t")
            cursor.skip()
        } else if key.equals("reason") {
            Self.read(&reason, from: &cursor)
        } else if key.equals("error"), hasError == nil {
            hasError = cursor.nextByte != UInt8(ascii: "n")
            cursor.skip()
        } else {
            cursor.skip()
        }
    }

    func frame(in bytes: UnsafeRawBufferPointer, _ arena: inout EventArena) -> EventFrame {
        if case .text(let type) = type {
            if type.equals("connect"), let session = sessionId.string {
                return .connect(sessionId: session, isReconnect: isReconnect ?? false)
            }
            return type.equals("close") ? .close(reason: reason.string) : .ignored
        }
        if let result = result ?? nil {
            let (context, group) = (result.contextId.token, result.groupId.token)
            guard context != nil || group != nil else { return .ignored }
            let text = arena.text(
                of: UnsafeRawBufferPointer(rebasing: bytes[result.range]), data: result.dataWithinRange)
            let key = arena.keys.key(context: context, group: group, kind: result.type.token)
            return .event(ContextEvent(key, text: text))
        }
        return hasError == true ? .lost : .ignored
    }

    /// Nil when the value is no object.
    private static func result(from cursor: inout JSONCursor) -> Result? {
        guard cursor.nextByte == UInt8(ascii: "{") else {
            cursor.skip()
            return nil
        }
        var result = Result()
        let start = cursor.offset
        cursor.enterObject()
        while let key = cursor.nextKey() {
            if key.equals("contextId") {
                read(&result.contextId, from: &cursor)
            } else if key.equals("groupId") {
                read(&result.groupId, from: &cursor)
            } else if key.equals("type") {
                read(&result.type, from: &cursor)
            } else if key.equals("data"), result.data == nil {
                result.data = cursor.skip()
            } else {
                cursor.skip()
            }
        }
        result.range = start..<cursor.offset
        return result
    }

    private static func read(_ member: inout Member, from cursor: inout JSONCursor) {
        let text = cursor.string()
        if case .absent = member { member = text.map { .text($0) } ?? .notText }
    }
}
