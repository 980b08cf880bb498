import Testing

@testable import MeroKit

@Suite("Paths and tokens")
struct PathTemplateTests {
    @Test(
        "An id is one segment, whatever is in it",
        arguments: [
            ("a1B2", "a1B2"), ("a-b.c_d~e", "a-b.c_d~e"), ("a/b", "a%2Fb"), ("a b", "a%20b"), ("\u{e9}", "%C3%A9"),
            ("a?b#c%", "a%3Fb%23c%25"),
        ])
    func ids(id: String, segment: String) throws {
        #expect(try PathTemplate.fill("/admin-api/blobs/{blobId}", [id]) == "/admin-api/blobs/\(segment)")
        #expect(try PathTemplate.fill("/x/{a}/y/{b}", [id, "2"]) == "/x/\(segment)/y/2")
        #expect(try PathTemplate.fill("/jsonrpc", [id]) == "/jsonrpc")
    }

    @Test("An id that would be another route is none", arguments: ["", ".", "..", "sync"])
    func routes(id: String) {
        #expect(throws: MeroError.self) { try PathTemplate.fill("/admin-api/contexts/{contextId}/x", [id]) }
    }

    @Test(
        "A token of white space is none",
        arguments: [
            ("", true), (" ", true), ("\n\t", true), ("\u{a0}\u{2003}", true), ("a", false), (" a", false),
            ("\u{e9}", false), ("\u{301}", false),
        ])
    func blank(text: String, isBlank: Bool) { #expect(text.isBlank == isBlank) }
}
