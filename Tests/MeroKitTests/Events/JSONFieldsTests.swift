import Foundation
import Testing

@testable import MeroKit

@Suite struct JSONFieldsTests {
    @Test func readsMembersOfAnyKind() {
        read(#"{"s":"x\u0079","i":-5,"u":18446744073709551615,"t":true,"f":false,"z":null,"o":{"a":"b"}}"#) { fields in
            #expect(fields.string("s") == "xy")
            #expect(fields.integer("i", as: Int.self) == -5)
            #expect(fields.integer("i", as: UInt64.self) == nil)
            #expect(fields.integer("u", as: UInt64.self) == .max)
            #expect(fields.integer("u", as: Int.self) == nil)
            #expect(fields.isTrue("t") && !fields.isTrue("f") && !fields.isTrue("z") && !fields.isTrue("none"))
            #expect(fields.has("f") && !fields.has("z") && !fields.has("none"))
            #expect(fields.object("o")?.string("a") == "b")
            #expect(fields.string("i") == nil && fields.string("z") == nil && fields.string("o") == nil)
            #expect(fields.object("s") == nil && fields.integer("s", as: Int.self) == nil)
        }
    }

    @Test func ofARepeatedMemberTheFirstCounts() {
        read(#"{"a":1,"\u0061":2,"a":"x"}"#) { #expect($0.integer("a", as: Int.self) == 1) }
    }

    @Test(arguments: [
        ("-9223372036854775808", Int64.min), ("9223372036854775807", .max), ("0", 0), ("-0", 0),
        ("9223372036854775808", nil),
        ("-9223372036854775809", nil), ("1.0", nil), ("1e2", nil), ("\"1\"", nil), ("[1]", nil),
    ])
    func integersAreExactOrNone(_ text: String, _ value: Int64?) {
        read("{\"n\":\(text)}") { #expect($0.integer("n") == value) }
    }

    @Test(
        arguments: [
            ("[]", []), ("[ ]", []), ("[0]", [0]), ("[255]", [255]),
            ("[1,22,133,4,0,0,0,9]", [1, 22, 133, 4, 0, 0, 0, 9]),
            ("[ 1 ,\n22 , 255\t,0 ]", [1, 22, 255, 0]), ("[123,34,107,34,58,49,125]", Array("{\"k\":1}".utf8)),
        ] as [(String, [UInt8])])
    func readsArraysOfBytes(_ text: String, _ bytes: [UInt8]) {
        read("{\"b\":\(text)}") { #expect($0.bytes("b") == Data(bytes)) }
    }

    @Test(arguments: [
        "[256]", "[-1]", "[1.0]", "[1e1]", "[\"1\"]", "[null]", "[[1]]", "[1,2,256]", "[256,1,2]", "[999,1,1,1]",
        "[1000,1,1,1]",
        "[1,true]", "[{}]", "{}", "\"AQI=\"", "null", "1", "[1,[2,3],4]", "[1,\"2,3\",4]", "[65536]", "[1, 2, 300, 4]",
        "[1.5,2,3]",
        "[-0,1,2,3]",
    ])
    func anArrayOfAnythingElseIsNone(_ text: String) {
        read("{\"b\":\(text)}") { #expect($0.bytes("b") == nil) }
    }

    @Test func everyByteAtEveryPlaceIsRead() {
        var random = RandomJSON()
        for length in 0...300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let text = "[" + bytes.map(String.init).joined(separator: ",") + "]"
            read("{\"b\":\(text)}") { #expect($0.bytes("b") == Data(bytes), "seed \(random.seed)") }
            read("{\"b\":\(text)}".replacing(",", with: " ,")) {
                #expect($0.bytes("b") == Data(bytes), "seed \(random.seed)")
            }
        }
    }

    @Test func takesTheObjectsOfAnArray() {
        read(#"{"l":[{"a":"1"},2,[{"a":"no"}],null,{"b":1},{"a":"3"}],"e":[],"s":"x"}"#) { fields in
            #expect(fields.objects("l").map { $0.string("a") } == ["1", nil, "3"])
            #expect(fields.objects("e").isEmpty && fields.objects("s").isEmpty && fields.objects("none").isEmpty)
        }
    }

    private func read(_ text: String, _ body: (JSONFields) -> Void) {
        Array(text.utf8).withUnsafeBytes { body(JSONFields(JSONCursor($0))) }
    }
}
