import Foundation
import Testing

@testable import MeroKit

@Suite struct PresenceTests {
    private struct Cursor: Codable, Equatable { var x: Int }

    private func event(_ data: String, contextId: String = "c", kind: String = "Ephemeral") throws -> ContextEvent {
        try #require(EventFrame(#"{"result":{"contextId":"\#(contextId)","type":"\#(kind)","data":\#(data)}}"#).event)
    }

    // MARK: The event

    @Test func aNodesOwnPresence() throws {
        let event = try event(#"{"author":"a09a","state":[123,125]}"#)
        guard case .presence(let delta) = event.content else { return unexpected(event) }
        #expect(delta.author == "a09a" && delta.account == nil && delta.ageMs == nil && !delta.removed)
        #expect(delta.state == Data("{}".utf8))
        #expect(event.presenceAuthor == "a09a" && event.presenceAccount == nil)
        // Bytes stay bytes, though they spell JSON.
        #expect(event.payload["data"]?["state"] == [123, 125])
    }

    @Test func anAccountsPresenceThatIsReplayed() throws {
        let event = try event(#"{"author":"a","account":"77","state":[],"ageMs":6999}"#)
        guard case .presence(let delta) = event.content else { return unexpected(event) }
        #expect(delta.account == "77" && delta.state == Data() && delta.ageMs == 6999)
        #expect(event.presenceAccount == "77" && event.presenceAuthor == "a")
    }

    @Test(arguments: [
        #"{"author":"a","removed":true}"#, #"{"author":"a","state":null,"removed":true}"#,
        #"{"author":"a","state":[1],"removed":true}"#,
    ])
    func aRemoval(_ data: String) throws {
        let event = try event(data)
        guard case .presence(let delta) = event.content else { return unexpected(event) }
        #expect(delta.removed && delta.state == nil)
    }

    @Test func accountAndAuthorAreThoseOfPresenceOnly() throws {
        let other = try event(#"{"author":"a","account":"b"}"#, kind: "Other")
        #expect(other.presenceAuthor == nil && other.presenceAccount == nil)
        let made = ContextEvent(contextId: "c", kind: "Ephemeral", payload: ["data": ["author": "a", "account": "b"]])
        #expect(made.presenceAuthor == "a" && made.presenceAccount == "b")
        let odd = try event(#"{"author":1,"account":null}"#)
        #expect(odd.presenceAuthor == nil && odd.presenceAccount == nil && odd.content == .other)
    }

    // MARK: The entry

    @Test func anEntryHasTheDecodedState() throws {
        let bytes = Array(#"{"x":4}"#.utf8)
        let entry = EphemeralEntry(
            try event(#"{"author":"a","account":"b","state":\#(bytes),"ageMs":5}"#), in: "c",
            codec: PresenceCodec<Cursor>.json)
        #expect(entry == EphemeralEntry(author: "a", account: "b", state: Cursor(x: 4), ageMs: 5))
    }

    @Test func aRemovalOrAnAbsentStateIsNil() throws {
        let codec = PresenceCodec<JSONValue>.json
        let removed = EphemeralEntry(try event(#"{"author":"a","removed":true}"#), in: "c", codec: codec)
        #expect(removed == EphemeralEntry(author: "a", state: nil, removed: true))
        for data in [#"{"author":"a"}"#, #"{"author":"a","state":null,"removed":false}"#] {
            #expect(EphemeralEntry(try event(data), in: "c", codec: codec) == EphemeralEntry(author: "a", state: nil))
        }
    }

    @Test(arguments: [
        #"{"state":[49]}"#, #"{"author":null,"state":[49]}"#, #"{"author":"a","state":[]}"#,
        #"{"author":"a","state":[123]}"#,
        #"{"author":"a","state":[34,34]}"#, #"{"author":"a","state":[256]}"#, #"{"author":"a","state":"1"}"#, "[49]",
        "null",
    ])
    func whatCannotBeReadIsSkipped(_ data: String) throws {
        #expect(EphemeralEntry(try event(data), in: "c", codec: PresenceCodec<Int>.json) == nil)
    }

    @Test func otherContextsAndKindsAreSkipped() throws {
        let data = #"{"author":"a","state":[49]}"#
        let codec = PresenceCodec<Int>.json
        #expect(EphemeralEntry(try event(data), in: "c", codec: codec)?.state == 1)
        #expect(EphemeralEntry(try event(data, contextId: "C"), in: "c", codec: codec) == nil)
        #expect(EphemeralEntry(try event(data, kind: "StateMutation"), in: "c", codec: codec) == nil)
    }

    // MARK: Codecs

    @Test func jsonIsTextInUTF8() throws {
        #expect(try PresenceCodec<Cursor>.json.encode(Cursor(x: 1)) == Data(#"{"x":1}"#.utf8))
        #expect(try PresenceCodec<Cursor>.json.decode(Data(#" {"x":2} "#.utf8)) == Cursor(x: 2))
        #expect(try PresenceCodec<UInt64>.json.decode(Data("18446744073709551615".utf8)) == .max)
        #expect(throws: (any Error).self) { try PresenceCodec<Cursor>.json.decode(Data()) }
    }

    @Test func jsonNullIsAState() throws {
        let codec = PresenceCodec<JSONValue>.json
        #expect(try codec.encode(.null) == Data("null".utf8))
        let entry = EphemeralEntry(try event(#"{"author":"a","state":[110,117,108,108]}"#), in: "c", codec: codec)
        #expect(entry?.state == .some(.null))
    }

    @Test func bytesAreUnchanged() throws {
        let bytes = Data([0, 255, 10, 13])
        #expect(try PresenceCodec<Data>.bytes.encode(bytes) == bytes)
        let entry = EphemeralEntry(
            try event(#"{"author":"a","state":[0,255,10,13]}"#), in: "c", codec: PresenceCodec<Data>.bytes)
        #expect(entry?.state == bytes)
    }

    @Test func aCodecOfOnesOwnMayRefuse() throws {
        struct Refusal: Error {}
        let codec = PresenceCodec<Int>(
            encode: { Data([UInt8($0)]) }, decode: { if $0.count == 1 { Int($0[0]) } else { throw Refusal() } })
        #expect(EphemeralEntry(try event(#"{"author":"a","state":[9]}"#), in: "c", codec: codec)?.state == 9)
        #expect(EphemeralEntry(try event(#"{"author":"a","state":[9,9]}"#), in: "c", codec: codec) == nil)
    }

    private func unexpected(_ event: ContextEvent) { Issue.record("\(event.content)") }
}
