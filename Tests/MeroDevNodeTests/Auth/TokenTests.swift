import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Tokens made by hand, each with one thing wrong with it.
@Suite struct TokenTests {
    private static func breakages(_ good: JsonTree, secret: [UInt8]) -> [(String, String)] {
        let none = #"{"alg":"none","typ":"JWT"}"#
        let body = Base64URL.encode(good.bytes)
        let signed = forge(good, secret: secret)
        let parts = signed.split(separator: ".").map(String.init)
        var list = [
            ("other secret", forge(good, secret: secret.reversed())),
            ("empty secret", forge(good, secret: [])),
            ("no signature", "\(parts[0]).\(parts[1])."),
            ("two parts", "\(parts[0]).\(parts[1])"),
            ("four parts", signed + ".x"),
            ("signature cut", String(signed.dropLast(2))),
            ("payload of another", "\(parts[0]).\(Base64URL.encode(good.replacing("sub", "root").bytes)).\(parts[2])"),
            ("alg none", Base64URL.encode(Array(none.utf8)) + ".\(body)."),
            ("alg none, signed", forge(good, secret: secret, header: none)),
            ("alg HS512", forge(good, secret: secret, header: #"{"alg":"HS512"}"#)),
            ("alg RS256", forge(good, secret: secret, header: #"{"alg":"RS256"}"#)),
            ("no alg", forge(good, secret: secret, header: "{}")),
            ("header is no JSON", forge(good, secret: secret, header: "alg=HS256")),
            ("payload is an array", forge([1], secret: secret)),
            ("refresh token", forge(good.replacing("token_type", "refresh"), secret: secret)),
            ("unknown type", forge(good.replacing("token_type", "id"), secret: secret)),
            ("no key_id", forge(good.replacing("key_id", nil), secret: secret)),
            ("null key_id", forge(good.replacing("key_id", .null), secret: secret)),
            ("number key_id", forge(good.replacing("key_id", 7), secret: secret)),
            ("no sub", forge(good.replacing("sub", nil), secret: secret)),
            ("no jti", forge(good.replacing("jti", nil), secret: secret)),
            ("no iat", forge(good.replacing("iat", nil), secret: secret)),
            ("no exp", forge(good.replacing("exp", nil), secret: secret)),
            ("text exp", forge(good.replacing("exp", "99999999999"), secret: secret)),
            ("fraction exp", forge(good.replacing("exp", .number("99999999999.5")), secret: secret)),
            ("huge exp", forge(good.replacing("exp", .number("9223372036854775807")), secret: secret)),
            ("no permissions", forge(good.replacing("permissions", nil), secret: secret)),
            ("text permissions", forge(good.replacing("permissions", "admin"), secret: secret)),
            ("other issuer", forge(good.replacing("iss", "someone"), secret: secret)),
            ("no issuer", forge(good.replacing("iss", nil), secret: secret)),
            ("other audience", forge(good.replacing("aud", "someone"), secret: secret)),
            ("unknown key", forge(good.replacing("key_id", "0000"), secret: secret)),
            ("other host", forge(good.replacing("node_url", "https://other.example"), secret: secret)),
        ]
        list.append(("standard base64", signed.replacingOccurrences(of: ".", with: "+.")))
        return list
    }

    @Test func everyBrokenTokenIsRefusedEverywhere() async throws {
        try await withNode { fixture in
            let secret = fixture.node.core.auth.vault.secret
            let good = claims(fixture.node.mintTokens().accessToken)
            #expect(
                try await fixture.call("GET", "/admin-api/identity", token: forge(good, secret: secret)).status == 200,
                "the unbroken one must be good")
            for (name, token) in Self.breakages(good, secret: secret) {
                let guarded = try await fixture.call("GET", "/admin-api/identity", token: token)
                #expect(guarded.status == 401, "\(name)")
                #expect(guarded.authError == nil, "\(name)")
                #expect(guarded.body.isEmpty, "\(name)")
                let admin = try await fixture.call("GET", "/admin/identity", token: token)
                #expect(admin.status == 401, "\(name)")
                #expect(admin.authError == "invalid_token", "\(name)")
                #expect(admin.body.isEmpty, "\(name)")
            }
        }
    }

    @Test func theSignatureIsHmacSha256OfTheSecret() throws {
        // RFC 7515, appendix A.1: the same construction over a published key and message.
        let key = try #require(
            Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let message =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        #expect(
            Base64URL.encode(Digest.hmacSHA256(key: key, Array(message.utf8)))
                == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    @Test func generationsSurviveTheRoundTripThroughTheTokenId() {
        let mint = TokenMint(secret: [1, 2, 3])
        for generation in [0, 1, 77, UInt32.max] {
            let id = mint.newTokenId(generation: generation)
            #expect(mint.generation(ofTokenId: id) == generation)
            #expect(UUID(uuidString: id) != nil)
        }
        #expect(mint.newTokenId(generation: 0) != mint.newTokenId(generation: 0))
    }
}
