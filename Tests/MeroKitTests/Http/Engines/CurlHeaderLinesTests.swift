#if canImport(CCurl)
    import Testing

    @testable import MeroKit

    @Suite struct CurlHeaderLinesTests {
        @Test(arguments: [
            ("HTTP/1.1 200 OK\r\n\r\n", [:]),
            ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", ["a": "b"]),
            ("HTTP/2 200 \r\na:b\r\nA:  c \t\r\n\r\n", ["a": "b, c"]),
            (
                "HTTP/1.1 200 OK\nX-Long: one\r\n  two\r\n\tthree\r\nY: z\r\n\r\n",
                ["x-long": "one two three", "y": "z"]
            ),
            ("HTTP/1.1 200 OK\r\nno colon\r\n: no name\r\nEmpty:\r\nC: a:b\r\n", ["empty": "", "c": "a:b"]),
            ("HTTP/1.1 200 OK\r\nX-\u{c9}: \u{e9}\r\n\r\n", ["x-\u{e9}": "\u{e9}"]),
            ("", [:]), ("A: b", [:]),
        ])
        func parse(block: String, headers: [String: String]) {
            #expect(CurlHeaderLines.parse(Array(block.utf8)) == headers)
        }

        @Test func parseSurvivesAnyBytes() {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed of parseSurvivesAnyBytes: \(seed)")
            var random = SeededGenerator(seed: seed)
            let bytes: [UInt8] = [0x0A, 0x0D, 0x20, 0x09, 0x3A, 0x41, 0x7A, 0x00, 0xC3, 0xFF]
            for _ in 0..<5000 {
                let block = (0..<Int.random(in: 0...60, using: &random)).compactMap { _ in
                    bytes.randomElement(using: &random)
                }
                let headers = CurlHeaderLines.parse(block)
                #expect(headers.keys.allSatisfy { !$0.isEmpty && $0 == $0.lowercased() })
            }
        }

        @Test(arguments: [
            ("Accept", true), ("x-a_b.c!#$%&'*+^`|~9", true), ("", false), ("a b", false), ("a:", false),
            ("a\r\nb", false), ("a\u{0}", false), ("\u{e9}", false), ("a;", false), ("(a)", false),
        ])
        func tokens(text: String, isToken: Bool) { #expect(CurlHeaderLines.isToken(text) == isToken) }

        @Test(arguments: [("a b\t\u{e9}", true), ("", true), ("a\rb", false), ("a\nb", false), ("a\u{0}", false)])
        func values(text: String, isValue: Bool) { #expect(CurlHeaderLines.isValue(text) == isValue) }

        @Test(
            "Lines are the same only byte for byte",
            arguments: [
                ("", "", true), ("Bearer a", "Bearer a", true), ("Bearer a", "Bearer b", false), ("a", "", false),
                ("ab", "a", false), ("\u{e9}", "e\u{301}", false),
            ])
        func sameBytes(one: String, other: String, areSame: Bool) {
            #expect(CurlHeaderLines.areSameBytes(one, other) == areSame)
            #expect(CurlHeaderLines.areSameBytes(other, one) == areSame)
        }
    }
#endif
