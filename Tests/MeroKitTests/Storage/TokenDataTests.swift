import Foundation
import Testing

@testable import MeroKit

@Suite("TokenData")
struct TokenDataTests {
    private func decode(_ json: String) throws -> TokenData {
        try JSONDecoder().decode(TokenData.self, from: Data(json.utf8))
    }

    private func encodedExpiry(_ date: Date) throws -> NSNumber {
        let data = try JSONEncoder().encode(TokenData(accessToken: "a", refreshToken: "r", expiresAt: date))
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(Set(object.keys) == ["access_token", "refresh_token", "expires_at"])
        return try #require(object["expires_at"] as? NSNumber)
    }

    @Test("The expiry is in whole milliseconds, there and back")
    func roundTrip() throws {
        let tokens = try decode(#"{"access_token":"a","refresh_token":"r","expires_at":1700000000123}"#)
        #expect(tokens.accessToken == "a" && tokens.refreshToken == "r")
        #expect(abs(tokens.expiresAt.timeIntervalSince1970 - 1_700_000_000.123) < 1e-6)
        #expect(try encodedExpiry(tokens.expiresAt) == 1_700_000_000_123)
        #expect(try encodedExpiry(Date(timeIntervalSince1970: 1.0006)) == 1001)
        let whole = TokenData(accessToken: "a", refreshToken: "", expiresAt: Date(timeIntervalSince1970: 1_700_000_000))
        #expect(try JSONDecoder().decode(TokenData.self, from: JSONEncoder().encode(whole)) == whole)
    }

    @Test(
        "An expiry that is missing or makes no sense is an hour from now",
        arguments: ["", #","expires_at":null"#, #","expires_at":0"#, #","expires_at":-5"#, #","expires_at":"soon""#])
    func missingExpiry(field: String) throws {
        let before = Date()
        let tokens = try decode(#"{"access_token":"a","refresh_token":"r"\#(field)}"#)
        #expect(tokens.expiresAt >= before.addingTimeInterval(3600))
        #expect(tokens.expiresAt <= Date().addingTimeInterval(3600))
    }

    @Test(
        "Without both tokens it is no session",
        arguments: [#"{"access_token":"a"}"#, #"{"refresh_token":"r"}"#, #"{"access_token":"a","refresh_token":null}"#])
    func missingToken(json: String) {
        #expect(throws: DecodingError.self) { try decode(json) }
    }

    @Test("No date, however odd, traps")
    func oddDates() throws {
        #expect(try encodedExpiry(.distantFuture).int64Value > 0)
        #expect(try encodedExpiry(.distantPast) == 1)
        #expect(try encodedExpiry(Date(timeIntervalSince1970: 1e300)) == 9_007_199_254_740_991)
        #expect(try encodedExpiry(Date(timeIntervalSince1970: .infinity)) == 9_007_199_254_740_991)
        _ = try encodedExpiry(Date(timeIntervalSince1970: .nan))
        #expect(try decode(#"{"access_token":"a","refresh_token":"r","expires_at":1e300}"#).expiresAt > Date())
    }

    @Test("What is over stays over when it is stored and read", arguments: [-1e300, -5, 0, 1e-9, 0.0004, 1])
    func pastExpiries(seconds: TimeInterval) throws {
        let tokens = TokenData(accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSince1970: seconds))
        let again = try MeroJSON.decode(TokenData.self, from: MeroJSON.encode(tokens))
        #expect(again.expiresAt <= Date(timeIntervalSince1970: 1))
    }

    @Test("Printing shows the expiry and neither token")
    func printing() {
        let tokens = TokenData(accessToken: "S3CRET", refreshToken: "S3CRET", expiresAt: Date(timeIntervalSince1970: 0))
        var dumped = ""
        dump(tokens, to: &dumped)
        for text in ["\(tokens)", String(reflecting: tokens), "\([tokens])", "\(tokens as Any?)", dumped] {
            #expect(!text.contains("S3CRET") && text.contains("1970-01-01"), "\(text)")
        }
    }
}
