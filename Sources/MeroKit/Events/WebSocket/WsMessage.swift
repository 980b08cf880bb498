import Foundation

/// The messages of the WebSocket: requests out, replies and events in. Spec: 40, section 4.
enum WsMessage {
    /// A reply or a pushed event, by what its `id` says.
    enum Incoming {
        case reply(id: UInt64, Data)
        case event(ContextEvent)
        case ignored
    }

    static func classify(_ bytes: [UInt8]) -> Incoming {
        if let id = replyId(bytes) { return .reply(id: id, Data(bytes)) }
        if case .event(let event) = EventFrame(json: bytes) { return .event(event) }
        return .ignored
    }

    /// Nil for a null, an absent or any other kind of `id`. A node writes it first, so that little has to be looked at.
    private static func replyId(_ bytes: [UInt8]) -> UInt64? {
        bytes.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            cursor.enterObject()
            while let key = cursor.nextKey() {
                guard key.equals("id") else {
                    cursor.skip()
                    continue
                }
                return cursor.skip().flatMap { UInt64(String(decoding: buffer[$0], as: UTF8.self)) }
            }
            return nil
        }
    }

    /// The ids are an unsigned integer: a node drops a request with any other without a reply. `contextIds` is always
    /// there, since older nodes insist on it, `groupIds` only when there are some, since they do not know it.
    static func subscription(_ method: String, id: UInt64, _ ids: EventIds) -> [UInt8] {
        var writer = JSONWriter()
        begin(&writer, id: id, method: method)
        writer.write(raw: #""contextIds":"#.utf8)
        write(ids.contexts, &writer)
        if !ids.groups.isEmpty {
            writer.write(raw: #","groupIds":"#.utf8)
            write(ids.groups, &writer)
        }
        writer.write(raw: "}}".utf8)
        return writer.bytes
    }

    static func execute(id: UInt64, contextId: String, method: String, arguments: Data) -> [UInt8] {
        var writer = JSONWriter()
        begin(&writer, id: id, method: "execute")
        writer.write(raw: #""contextId":"#.utf8)
        writer.write(string: contextId)
        writer.write(raw: #","method":"#.utf8)
        writer.write(string: method)
        writer.write(raw: #","argsJson":"#.utf8)
        writer.write(raw: arguments)
        writer.write(raw: "}}".utf8)
        return writer.bytes
    }

    private static func begin(_ writer: inout JSONWriter, id: UInt64, method: String) {
        writer.write(raw: #"{"id":\#(id),"method":"\#(method)","params":{"#.utf8)
    }

    private static func write(_ ids: [String], _ writer: inout JSONWriter) {
        writer.write(raw: "[".utf8)
        for (index, id) in ids.enumerated() {
            if index > 0 { writer.write(raw: ",".utf8) }
            writer.write(string: id)
        }
        writer.write(raw: "]".utf8)
    }
}
