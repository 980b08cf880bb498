import Foundation
import Testing

@testable import MeroKit

@Suite("Session claims")
struct SessionClaimsTests {
    static func token(_ payload: String) -> String {
        "eyJhbGciOiJIUzI1NiJ9.\(Base64URL.encode(Array(payload.utf8))).c2lnbmF0dXJl"
    }

    private let fallback = Date(timeIntervalSince1970: 7)

    @Test("The expiry of a token is its exp, in seconds")
    func expiry() {
        let date = expiresAtFromJWT(Self.token(#"{"exp":1796000000}"#), fallback: fallback)
        #expect(date == Date(timeIntervalSince1970: 1_796_000_000))
        #expect(expiresAtFromJWT(Self.token(#"{"exp":1.5}"#), fallback: fallback).timeIntervalSince1970 == 1.5)
    }

    @Test("Padded and standard base64 are read as well")
    func otherAlphabets() {
        let payload = Data(#"{"exp":1796000000,"x":"??>>~~"}"#.utf8)
        for encoded in [payload.base64EncodedString(), Base64URL.encode(Array(payload))] {
            #expect(expiresAtFromJWT("h.\(encoded).s", fallback: fallback).timeIntervalSince1970 == 1_796_000_000)
        }
    }

    @Test(
        "Whatever is no token gives the fallback",
        arguments: [
            "", "not-a-jwt", "a.b.c", "a.b", "..", "a.b.c.d", token("[1]"), token("{"), token("{}"),
            token(#"{"exp":"1796000000"}"#), token(#"{"exp":null}"#), token(#"{"exp":1e300}"#),
            token(#"{"exp":true}"#), "h.\u{E9}.s", token(#"{"exp":1796000000}"#) + ".x",
        ])
    func fallbacks(token: String) {
        #expect(expiresAtFromJWT(token, fallback: fallback) == fallback)
    }

    @Test("Claims are read as the node writes them")
    func claims() throws {
        let claims = try #require(
            SessionClaims(
                token: Self.token(
                    """
                    {"sub":"u","key_id":"k","iss":"calimero-auth","exp":1796000000,"token_type":"access",
                     "permissions":["admin",7,"blob"],"node_url":"https://n.example","device":"ab"}
                    """)))
        #expect(claims.subject == "u" && claims.keyId == "k" && claims.tokenType == "access")
        #expect(claims.nodeUrl == "https://n.example" && claims.device == "ab")
        #expect(claims.permissions == ["admin", "blob"])
        #expect(claims.expiresAt == Date(timeIntervalSince1970: 1_796_000_000))
    }

    @Test("Claims that are missing or of another kind are nil, the permissions empty")
    func missingClaims() throws {
        let claims = try #require(SessionClaims(token: Self.token(#"{"sub":1,"permissions":"admin","exp":"x"}"#)))
        #expect(claims.subject == nil && claims.keyId == nil && claims.nodeUrl == nil && claims.device == nil)
        #expect(claims.tokenType == nil && claims.permissions == [] && claims.expiresAt == nil)
        #expect(!claims.grants("context:subscribe"))
        #expect(SessionClaims(token: "a.b.c") == nil && SessionClaims(token: Self.token("[]")) == nil)
    }

    @Test("A session grants what its permissions cover")
    func grants() throws {
        let token = Self.token(#"{"permissions":["context:subscribe","context:execute[C]"]}"#)
        let claims = try #require(SessionClaims(token: token))
        #expect(claims.grants("context:subscribe") && claims.grants("context:execute[C,,set]"))
        #expect(!claims.grants("context:execute") && !claims.grants("admin"))
    }
}

@Suite("Permission scopes")
struct PermissionScopeTests {
    @Test(
        "What a permission covers",
        arguments: [
            ("admin", "context:execute"), ("admin", "keys"), ("admin", "admin"), ("admin", "context:list[A]"),
            ("context:execute", "context:execute"), ("context:execute", "context:execute[A]"),
            ("context:execute", "context:execute[A,u,set]"), ("context:execute[A]", "context:execute[A,u,set]"),
            ("context:execute[A,,set]", "context:execute[A,,set]"),
            ("context:execute[,,set]", "context:execute[A,u,set]"),
            ("context:execute[]", "context:execute"), ("context:execute[,,]", "context:execute[B]"),
            ("application", "application:install"), ("package", "package:list-packages"), ("blob", "blob:add:stream"),
            ("blob:add", "blob:add:file"), ("namespace", "namespace:manage[N]"), ("group", "group:list"),
            ("context:alias", "context:alias:create:context"), ("keys", "keys:permissions:update"),
            ("keys:delete", "keys:revoke"), ("keys:revoke", "keys:delete[K]"), ("blob[B]", "blob:get[B]"),
            ("something:new", "something:new"),
        ])
    func covers(held: String, wanted: String) {
        #expect(PermissionScope.grants(["other", held], wanted))
    }

    @Test(
        "What it does not cover",
        arguments: [
            ("context", "context:execute"), ("context:execute", "context:list"), ("context:execute", "admin"),
            ("context:list[A]", "context:list"), ("context:list[A]", "context:list[B]"),
            ("context:list[A]", "context:list[a]"), ("context:execute[A,,set]", "context:execute[A]"),
            ("context:execute[A,,set]", "context:execute[A,,get]"), ("context:execute[A,u]", "context:execute[A]"),
            ("application:install", "application"), ("blob:add:stream", "blob:add"), ("blob:get", "blob:list"),
            ("keys:permissions", "keys:permissions:get"), ("context:alias:create", "context:alias:create:context"),
            ("context[A]", "context"), ("context[A]", "context[A]"),
            ("application-binding[P]", "application-binding[P]"),
            ("admin[A]", "blob"), ("Admin", "blob"), ("", ""), ("blob:", "blob:get"), ("blob[", "blob:get"),
            ("blob[A", "blob:get[A]"), ("blob]", "blob:get"), ("blob[A]]", "blob:get[A]"), ("blob[[A]", "blob:get[A]"),
            ("blob[A,b,c,d]", "blob:get[A,b,c]"), ("a:b:c:d:e", "a:b:c:d:e"), ("blob", "blob:get["), ("admin", ""),
            ("admin", ":"), ("applications", "application:list"), ("blob", "blobs"),
        ])
    func coversNot(held: String, wanted: String) {
        #expect(!PermissionScope.grants([held], wanted))
    }

    @Test("A bound key stays within its context, its identity and its application, ignoring case")
    func bindings() {
        let held = ["context[Ctx,Id]", "application-binding[App]", "context:execute", "application:list", "blob"]
        #expect(PermissionScope.grants(held, "context:execute"))
        #expect(PermissionScope.grants(held, "context:execute[ctx,ID,set]"))
        #expect(!PermissionScope.grants(held, "context:execute[Other]"))
        #expect(!PermissionScope.grants(held, "context:execute[Ctx,other]"))
        #expect(PermissionScope.grants(held, "application:list[APP]"))
        #expect(!PermissionScope.grants(held, "application:list[Other]"))
        #expect(PermissionScope.grants(held, "blob:get[anything]"))
        #expect(!PermissionScope.grants(["application-binding[A]", "admin"], "application:list[B]"))
        // The first binding of a kind counts.
        #expect(!PermissionScope.grants(["context[A]", "context[B]", "context:execute"], "context:execute[B]"))
    }

    @Test("An account session may read and watch, not execute")
    func accountSession() {
        let held = ["context:intent", "context:list-own", "context:query", "context:subscribe", "namespace:list-own"]
        #expect(PermissionScope.grants(held, "context:subscribe") && PermissionScope.grants(held, "context:query[C]"))
        #expect(!PermissionScope.grants(held, "context:execute") && !PermissionScope.grants(held, "namespace:list"))
    }
}
