import Foundation
import Testing

@testable import MeroKit

@Suite struct EventFrameTests {
    // MARK: What a frame is

    @Test(arguments: [
        #"{"type":"connect","session_id":"1234567890123456789","reconnect":false}"#,
        #"{"reconnect":false,"session_id":"1234567890123456789","type":"connect","more":[1,{}]}"#,
        #" { "type" : "connect" , "session_id" : "1234567890123456789" } "#,
        #"{"t\u0079pe":"conn\u0065ct","session_id":"123456789012345678\u0039","result":{"contextId":"c"}}"#,
        #"{"type":"connect","type":"close","session_id":"1234567890123456789","session_id":"2"}"#,
    ])
    func connect(_ text: String) {
        guard case .connect(let session, false) = EventFrame(text) else { return unexpected(text) }
        #expect(session == "1234567890123456789")
    }

    @Test func connectSaysWhetherTheSessionIsAnOldOne() {
        guard case .connect("s1", true) = EventFrame(#"{"type":"connect","session_id":"s1","reconnect":true}"#) else {
            return unexpected("reconnect")
        }
    }

    @Test func close() {
        for (text, reason) in [
            (#"{"type":"close","reason":"bye"}"#, "bye"), (#"{"type":"close"}"#, nil),
            (#"{"type":"close","reason":1}"#, nil),
        ] {
            guard case .close(let found) = EventFrame(text) else { return unexpected(text) }
            #expect(found == reason)
        }
    }

    @Test(arguments: [
        #"{"error":{"type":"InternalError","data":{}}}"#, #"{"error":"x"}"#, #"{"error":{},"result":null}"#,
        #"{"result":7,"error":false}"#,
    ])
    func lost(_ text: String) {
        guard case .lost = EventFrame(text) else { return unexpected(text) }
    }

    @Test(arguments: [
        // Another type, whatever else is there.
        #"{"type":"ping"}"#, #"{"type":"","result":{"contextId":"c"}}"#, #"{"type":"Error","error":{}}"#,
        #"{"type":"connect"}"#, #"{"type":"connect","session_id":17}"#,
        // No event.
        #"{"result":{}}"#, #"{"result":{"contextId":1,"groupId":null}}"#, #"{"result":{"data":{"contextId":"c"}}}"#,
        #"{"result":[{"contextId":"c"}]}"#, #"{"result":"contextId"}"#, #"{"result":null}"#, #"{"error":null}"#, "{}",
        #"{"contextId":"c"}"#, #"{"id":null,"result":{"contextIds":["c"]}}"#,
        // No JSON, or no object.
        "", " ", "null", "[]", "\"connect\"", "x", #"[{"type":"close"}]"#, #"{"type":"close""#, #"{"type":"close"}}"#,
        #"{"type":"close",}"#, #"{"type":"close"} x"#, #"{'type':'close'}"#, #"{"type":"close","x":01}"#,
        #"{"result":{"contextId":"c","data":{"n":1e999}}}"#, #"{"result":{"contextId":"c","data":[1,2,}}"#,
        #"{"result":{"contextId":"c""#, #"{"result":{"contextId":"c","type":"A","data":"\uD800"}}"#,
        "\u{FEFF}{\"type\":\"close\"}",
    ])
    func ignored(_ text: String) {
        guard case .ignored = EventFrame(text) else { return unexpected(text) }
    }

    // MARK: Events

    @Test func anEventHasItsIdsKindAndPayload() throws {
        let event = try #require(
            EventFrame(
                #"{"id":null,"result":{"contextId":"ctx","type":"StateMutation","data":{"newRoot":"r","n":3},"x":[null]}}"#
            )
            .event)
        #expect(event.contextId == "ctx")
        #expect(event.kind == "StateMutation")
        #expect(event.groupId == nil)
        #expect(
            event.payload == [
                "contextId": "ctx", "type": "StateMutation", "data": ["newRoot": "r", "n": 3], "x": [.null],
            ])
        #expect(event.payload == event.payload)
    }

    @Test func aGroupEventHasNoContext() throws {
        let event = try #require(EventFrame(#"{"result":{"groupId":"g","type":"MemberJoined","data":{}}}"#).event)
        #expect(event.contextId == "")
        #expect(event.groupId == "g")
        #expect(event.kind == "MemberJoined")
    }

    @Test func oddEventsAreDelivered() throws {
        let untyped = try #require(EventFrame(#"{"result":{"contextId":""}}"#).event)
        #expect(untyped.kind == "event" && untyped.contextId == "" && untyped.payload == ["contextId": ""])
        let mistyped = try #require(EventFrame(#"{"type":3,"result":{"contextId":"c","groupId":"g","type":{}}}"#).event)
        #expect(mistyped.kind == "event" && mistyped.contextId == "c" && mistyped.groupId == "g")
        let both = try #require(EventFrame(#"{"error":{"type":"x"},"result":{"contextId":"c","type":"New"}}"#).event)
        #expect(both.kind == "New")
        let escaped = try #require(
            EventFrame(
                #"{"resul\u0074":{"context\u0049d":"\u0063\n","type":"\ud83c\udfa8","\u0064ata":{"author":"a"}}}"#
            ).event)
        #expect(escaped.contextId == "c\n" && escaped.kind == "🎨")
        let repeated = try #require(
            EventFrame(
                #"{"result":{"contextId":"1","contextId":"2","type":"A","type":"B"},"result":{"contextId":"3"}}"#
            ).event)
        #expect(
            repeated.contextId == "1" && repeated.kind == "A" && repeated.payload == ["contextId": "1", "type": "A"])
    }

    @Test func noDigitIsLostInTheText() throws {
        let result = #"{"contextId":"c","type":"New", "data":{"n":18446744073709551615,"d":1.10}}"#
        let event = try #require(EventFrame(#"{"result": \#(result) }"#).event)
        #expect(String(decoding: event.payloadJSON, as: UTF8.self) == result)
    }

    @Test func illFormedTextIsReplacedNotLost() throws {
        let text =
            Array(#"{"result":{"contextId":"c","type":"A","data":""#.utf8) + [0xFF, 0x41, 0xC3] + Array(#""}}"#.utf8)
        let event = try #require(EventFrame(json: text).event)
        #expect(event.payload["data"] == "\u{FFFD}A\u{FFFD}")
        #expect(String(validating: event.payloadJSON, as: UTF8.self) != nil)
    }

    // MARK: Through the parser

    @Test func aFrameOverSeveralLinesIsOneText() throws {
        let stream = "data: {\"result\":\r\ndata: {\"contextId\":\"🎨\",\r\ndata:\"type\":\"A\"}}\r\nid: 1-1\r\n\r\n"
        for cut in 0...stream.utf8.count {
            let frames = Self.frames(Array(stream.utf8), cut: cut)
            let event = try #require(frames.first?.event)
            #expect(frames.count == 1 && event.contextId == "🎨" && event.kind == "A")
            // What stands behind the data in the frame's memory is no part of the text.
            #expect(event.payload == ["contextId": "🎨", "type": "A"])
        }
    }

    @Test func aCutTextIsIgnoredAndAWholeOneIsNot() {
        let stream = Array(#"data: {"result":{"contextId":"c","type":"A"}}"#.utf8)
        for length in 0..<stream.count {
            for case .event in Self.frames(Array(stream[..<length]), cut: 0) { Issue.record("after \(length) bytes") }
        }
        #expect(Self.frames(stream, cut: 3).first?.event?.kind == "A")
    }

    @Test func aContractEventOfMebibytesIsWhole() throws {
        let data = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var text = Array(
            #"data: {"result":{"contextId":"c","type":"StateMutation","data":{"events":[{"kind":"K","data":["#.utf8)
        text.reserveCapacity(6 << 20)
        for (index, byte) in data.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: String(byte).utf8)
        }
        text += Array("]}]}}}\n\n".utf8)
        #expect(text.count > 5 << 20)
        let event = try #require(Self.frames(text, cut: 1_000_001).first?.event)
        #expect(event.contractEvents == [ContractEvent(kind: "K", data: Data(data))])
    }

    /// Such a frame became an event whose payload was null: arrays of numbers were stepped over without a look at their size.
    @Test(arguments: [256, 300, 309, 310, 2000]) func aNumberThatNoDoubleHoldsIsNoEvent(digits: Int) throws {
        let number = String(repeating: "9", count: digits)
        let text = #"{"result":{"contextId":"c","type":"X","data":{"a":[1,\#(number),3,4,5,6,7,8]}}}"#
        let event = EventFrame(text).event
        #expect((event != nil) == ((try? JSONValue(jsonBytes: Array(text.utf8))) != nil))
        if let event { #expect(event.payload["data"]?["a"]?.arrayValue?.count == 8) }
        #expect((event == nil) == (digits > 308))
    }

    @Test func randomBytesAreIgnored() {
        var random = RandomJSON()
        for _ in 0..<2_000 {
            let bytes = random.bytes(upTo: 50)
            for text in [
                bytes, Array("{\"result\":{\"contextId\":\"".utf8) + bytes, Array("{".utf8) + bytes + Array("}".utf8),
            ] {
                if let event = EventFrame(json: text).event { _ = (event.payload, event.content, event.contractEvents) }
            }
        }
    }

    /// Whatever becomes an event has a payload, the one that the whole text has as its `result`.
    @Test(arguments: 0..<4)
    func everyEventHasThePayloadOfItsText(_ part: Int) {
        var random = RandomJSON()
        var events = 0
        for _ in 0..<600 {
            var text = Array(#"{"result":{"contextId":"c","data":\#(random.text()),"type":"StateMutation"}}"#.utf8)
            if random.oneIn(2) {
                let place = Int.random(in: 0..<text.count, using: &random)
                text[place] =
                    random.oneIn(2) ? random.pick(Array("\"{}[]:,0".utf8)) : UInt8.random(in: 0...255, using: &random)
            }
            let repaired = Array(String(decoding: text, as: UTF8.self).utf8)
            let expected = try? JSONValue(jsonBytes: repaired)
            guard let event = EventFrame(json: text).event else {
                let result = expected?["result"]
                #expect(
                    result?["contextId"]?.stringValue == nil,
                    "seed \(random.seed): \(String(decoding: text, as: UTF8.self))")
                continue
            }
            events += 1
            #expect(
                event.payload == expected?["result"], "seed \(random.seed): \(String(decoding: text, as: UTF8.self))")
            _ = (event.content, event.contractEvents)
        }
        #expect(events > 100)
    }

    private static func frames(_ stream: [UInt8], cut: Int) -> [EventFrame] {
        var parser = EventStreamParser()
        var items: [EventStreamItem] = []
        parser.feed(Data(stream[..<cut]), into: &items)
        parser.feed(Data(stream[cut...]), into: &items)
        parser.finish(into: &items)
        return items.compactMap { if case .frame(let frame) = $0 { return EventFrame(frame) } else { return nil } }
    }

    private func unexpected(_ text: String) { Issue.record("\(text) is \(EventFrame(text))") }
}

extension EventFrame {
    init(_ text: String) { self.init(json: Array(text.utf8)) }

    var event: ContextEvent? { if case .event(let event) = self { return event } else { return nil } }
}
