import Testing

@testable import MeroDevNode

@Suite("Bearer tokens")
struct BearerTokenTests {
    @Test(
        "any case, blanks around it",
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER \t abc \t", "abc"), ("Bearer a b", "a b"),
            ("Bearer ", nil), ("Bearer   \t", nil), ("Bearer", nil), ("", nil), ("Basic abc", nil),
            ("Bearerx abc", nil), ("Bearer\tabc", nil),
        ] as [(String, String?)])
    func forms(header: String, token: String?) {
        #expect(DevHttpRequest.bearerToken(in: header) == token)
    }
}
