import Foundation
import MeroKit
import Testing

@testable import mero

@Suite("Events as lines")
struct EventLineTests {
    private static let id = "0123456789abcdef"

    private static func says(_ kind: String, _ data: JSONValue, group: Bool = false) -> String {
        let payload: JSONValue = [group ? "groupId" : "contextId": .string(id), "type": .string(kind), "data": data]
        let event = ContextEvent(
            contextId: group ? "" : id, kind: kind, payload: payload, groupId: group ? id : nil)
        let text = EventLine(style: Style(colours: false)).text(event, at: Moment())
        let parts = text.dropFirst(14).split(separator: " ", maxSplits: 1).map(String.init)
        #expect(parts.first == kind.printable)
        let rest = parts.last.map { $0.drop { $0 == " " } } ?? ""
        #expect(rest.hasPrefix("01234567"))
        return String(rest.dropFirst(10))
    }

    @Test("each kind shows what it is about")
    func kinds() {
        #expect(Self.says("StateMutation", ["newRoot": "abcdefabcdef", "events": nil]) == "root abcdefab")
        #expect(Self.says("SyncStatus", ["syncState": ["state": "idle"], "failureCount": 0]) == "idle")
        #expect(
            Self.says(
                "SyncStatus",
                [
                    "syncState": ["state": "receivingSnapshot", "records_received": 10, "percent": 40, "eta_secs": 3],
                    "failureCount": 1, "lastError": "lost",
                ]) == "receiving a snapshot: 10 records, 40 %, 3 s left, 1 failures in a row, lost")
        #expect(Self.says("AppVersionChanged", ["toVersion": "2.0.0"]) == "unknown -> 2.0.0")
        #expect(
            Self.says(
                "XCall",
                [
                    "targetContextId": "ffffffffffff", "function": "f",
                    "outcome": ["status": "denied", "detail": ["reason": "no"]],
                ]) == "f of ffffffff: denied, no")
        #expect(Self.says("Ephemeral", ["author": "aaaaaaaaaa", "removed": true]) == "aaaaaaaa left")
        #expect(
            Self.says("Ephemeral", ["author": "aaaaaaaaaa", "state": [123, 125], "ageMs": 5])
                == "aaaaaaaa: {}, 5 ms old")
        #expect(Self.says("MemberRemoved", ["memberAccount": "bbbbbbbbbb"], group: true) == "bbbbbbbb")
        #expect(
            Self.says("MigrationCompleted", ["toVersion": "2", "completedAt": 1_700_000_000], group: true)
                == "2 at 2023-11-14T22:13:20Z")
        #expect(Self.says("Unheard", ["b": 1, "a": "x"]) == #"{"a":"x","b":1}"#)
    }

    @Test("neither kind nor data steer the terminal")
    func controls() {
        let kinds = ["a\u{1B}b", "\u{202E}x"]
        for kind in kinds { #expect(!Self.says(kind, ["x": "\u{9B}31m\n"]).contains { $0.isNewline }) }
        let event = ContextEvent(
            contextId: "\u{1B}[2J", kind: "\u{1B}", payload: ["type": "x", "data": "\u{1B}\n\r"])
        let line = EventLine(style: Style(colours: false)).text(event, at: Moment())
        #expect(!line.unicodeScalars.contains(where: String.isControl))
    }

    @Test("bytes are JSON, text or hexadecimal, and not endless")
    func data() {
        #expect(EventLine.datum(Data(#" {"n": 18446744073709551615} "#.utf8)) == #"{"n":18446744073709551615}"#)
        #expect(EventLine.datum(Data("hi \u{7}".utf8)) == #""hi \u0007""#)
        #expect(EventLine.datum(Data([0xFF, 0x00])) == "0xff00")
        #expect(EventLine.datum(Data()) == "")
        #expect(EventLine.datum(Data(repeating: 0xFF, count: 10_000)).count == 243)
    }

    @Test("times")
    func moments() {
        #expect(Moment(Date(timeIntervalSince1970: 1_700_000_000.0625)).utc == "2023-11-14T22:13:20.062Z")
        #expect(Moment(Date(timeIntervalSince1970: 0)).utc == "1970-01-01T00:00:00.000Z")
        #expect(Moment().local.count == 12)
    }
}
