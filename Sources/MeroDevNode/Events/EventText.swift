import Foundation

/// JSON text of the events that carry byte arrays, written without a tree of one node per byte.
enum EventText {
    /// `0,` to `255,`.
    private static let numbers: [[UInt8]] = (0...255).map { Array("\($0),".utf8) }

    static func stateMutation(contextId: String, newRoot: String, events: [DevEmittedEvent]?) -> [UInt8] {
        var text = open(contextId: contextId, type: "StateMutation")
        text += #""newRoot":"#.utf8
        JsonTree.string(newRoot).write(into: &text)
        text += #","events":"#.utf8
        if let events {
            text += "[".utf8
            for (index, event) in events.enumerated() {
                text += (index > 0 ? #",{"kind":"# : #"{"kind":"#).utf8
                JsonTree.string(event.kind).write(into: &text)
                text += #","data":"#.utf8
                append(event.data, to: &text)
                text += #","handler":"#.utf8
                (event.handler.map { JsonTree.string($0) } ?? .null).write(into: &text)
                text += "}".utf8
            }
            text += "]".utf8
        } else {
            text += "null".utf8
        }
        text += "}}".utf8
        return text
    }

    static func presence(contextId: String, _ change: PresenceBoard.Change, age: Int? = nil) -> [UInt8] {
        var text = open(contextId: contextId, type: "Ephemeral")
        let slice: PresenceBoard.Slice
        switch change {
        case .written(let written): slice = written
        case .removed(let removed): slice = removed
        }
        text += #""author":"#.utf8
        JsonTree.string(slice.author).write(into: &text)
        if let account = slice.account {
            text += #","account":"#.utf8
            JsonTree.string(account).write(into: &text)
        }
        if case .written = change {
            text += #","state":"#.utf8
            append(slice.state, to: &text)
            if let age { text += #","ageMs":\#(age)"#.utf8 }
        } else {
            text += #","removed":true"#.utf8
        }
        text += "}}".utf8
        return text
    }

    private static func open(contextId: String, type: String) -> [UInt8] {
        var text = Array(#"{"contextId":"#.utf8)
        JsonTree.string(contextId).write(into: &text)
        text += #","type":"\#(type)","data":{"#.utf8
        return text
    }

    private static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        for byte in bytes { text += numbers[Int(byte)] }
        if bytes.isEmpty {
            text.append(UInt8(ascii: "]"))
        } else {
            text[text.count - 1] = UInt8(ascii: "]")
        }
    }
}
