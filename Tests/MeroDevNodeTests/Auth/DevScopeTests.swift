import Testing

@testable import MeroDevNode

@Suite struct DevScopeTests {
    @Test(arguments: [
        "admin", "application", "application:list", "package:get-latest-version", "blob:add:stream", "namespace:manage",
        "group:create", "context:leave", "context:capabilities:grant", "context:application:update", "context:alias",
        "context:alias:lookup:identity", "context:subscribe", "context:list-own", "keys:permissions:update",
        "context:execute[c,,m]", "context:execute[,u]", "context:list[A]", "context[c,i]", "application-binding[a]",
    ])
    func theTextFormIsKept(text: String) {
        #expect(DevScope(text)?.description == text)
    }

    @Test(arguments: [
        "", "nonsense", "context:nonsense", "admin:x", "blob:add:stream:more", "context:execute[", "context:execute]",
        "context:execute[a]b", "context:execute[a,b,c,d]", "context:execute[[a]]", "context::list", ":admin", "Admin",
        " admin", "context:alias:create", "context:list[a]]",
    ])
    func whatDoesNotParse(text: String) {
        #expect(DevScope(text) == nil)
    }

    @Test func revokeIsAnotherNameOfDelete() { #expect(DevScope("keys:revoke") == DevScope("keys:delete")) }

    @Test(arguments: [
        ("admin", "context:execute[c,,m]", true), ("admin", "keys:list", true),
        ("application", "application:install", true), ("blob", "blob:add:url", true),
        ("blob:add", "blob:add:url", true),
        ("blob:add", "blob:get", false), ("blob:add:url", "blob:add", false),
        ("package", "package:list-versions", true),
        ("namespace", "namespace:list", true), ("group", "group:manage", true), ("group", "namespace:list", false),
        ("context", "context:list", false), ("context[c]", "context:list[c]", false),
        ("context:alias", "context:alias:list:application", true), ("keys", "keys:clients:list", true),
        ("keys:list", "keys:clients:list", false), ("context:list", "context:list[A]", true),
        ("context:list[A]", "context:list", false), ("context:list[A]", "context:list[B]", false),
        ("context:list[A]", "context:list[A]", true), ("context:list[]", "context:list[A]", true),
        ("context:list", "context:list-own", false),
        ("context:execute[c,,m]", "context:execute[c,,m]", true),
        ("context:execute[c,,m]", "context:execute[c,,n]", false),
        ("context:execute[c,,m]", "context:execute[c]", false),
        ("context:execute[c]", "context:execute[c,,m]", true),
        ("context:execute[,,m]", "context:execute[c,,m]", true),
        ("context:execute[c,u,m]", "context:execute[c,,m]", false),
        ("application-binding[a]", "application:list", false), ("admin[x]", "context:list", false),
    ])
    func covering(held: String, required: String, isCovered: Bool) throws {
        let held = try #require(DevScope(held))
        let required = try #require(DevScope(required))
        #expect(held.covers(required) == isCovered)
    }

    @Test func aTokenIsAnUpperBoundOfItsKey() throws {
        let list = try #require(DevScope("context:list"))
        let execute = try #require(DevScope("context:execute[c,,m]"))
        #expect(ScopeSet(token: ["admin"], key: ["context:list"]).allows(list))
        #expect(!ScopeSet(token: ["admin"], key: ["context:list"]).allows(execute))
        #expect(!ScopeSet(token: ["context:list"], key: ["blob"]).allows(list))
        #expect(ScopeSet(token: ["context:list"], key: ["admin"]).effective == ["context:list"])
        #expect(ScopeSet(token: ["admin"], key: ["context:list"]).effective == ["context:list"])
        #expect(ScopeSet(token: ["admin", "blob"], key: ["admin", "blob"]).effective == ["admin", "blob"])
        #expect(ScopeSet(token: ["nonsense"], key: ["nonsense"]).effective == [])
    }

    @Test func someScopeIsEnoughForTheRoute() throws {
        let execute = try #require(DevScope("context:execute"))
        #expect(ScopeSet(token: ["context:execute[c,u,m]"], key: ["admin"]).allowsSome(execute))
        #expect(!ScopeSet(token: ["context:execute[c]"], key: ["blob"]).allowsSome(execute))
        #expect(!ScopeSet(token: ["context[c]"], key: ["context[c]"]).allowsSome(execute))
    }
}
