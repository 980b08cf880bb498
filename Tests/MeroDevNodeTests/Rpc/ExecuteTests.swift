import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct ExecuteTests {
    // MARK: - Errors of the table

    private static let conditions: [(DevContextCondition, String, @Sendable (String, String) -> JsonTree?)] = [
        (.unauthorized, "Unauthorized", { ["context_id": .string($0), "public_key": .string($1)] }),
        (.uninitialized, "Uninitialized", { _, _ in nil }),
        (
            .applicationNotInstalled, "ApplicationNotInstalled",
            { _, _ in ["application_id": .string(ContextBox.applicationId(ofContract: "kv-store"))] }
        ),
        (.internalError(kind: "runtime"), "InternalError", { _, _ in ["kind": "runtime"] }),
        (.internalErrorBare, "InternalError", { _, _ in [:] }),
        (.groupKeyPending, "GroupKeyPending", { context, _ in ["context_id": .string(context)] }),
        (.xcallNotPermitted, "XCallNotPermitted", { context, _ in ["context_id": .string(context)] }),
        (.serdeError("bad"), "SerdeError", { _, _ in ["message": "bad"] }),
        (.notMember, "FunctionCallError", { _, _ in "Caller is not a member of this context" }),
        (.noOwnedIdentity, "FunctionCallError", { _, _ in "No owned identity found for this context" }),
        (
            .identityResolutionFailed("why"), "FunctionCallError",
            { _, _ in "Failed to resolve owned identity for this context: why" }
        ),
        (.membershipCheckFailed, "FunctionCallError", { _, _ in "Internal error during membership verification" }),
        (
            .custom(type: "Brandnew", data: #"{"n":18446744073709551615}"#), "Brandnew",
            { _, _ in
                ["n": .number("18446744073709551615")]
            }
        ),
        (.custom(type: "Bare", data: nil), "Bare", { _, _ in nil }),
    ]

    @Test(arguments: conditions.indices)
    func everyConditionHasItsErrorObject(index: Int) async throws {
        let (condition, type, data) = Self.conditions[index]
        try await withNode { fixture in
            let context = try fixture.node.createContext(KeyValueContract())
            let executor = try #require(fixture.node.core.contexts[context]?.executor)
            let token = fixture.node.mintTokens().accessToken
            #expect(fixture.node.setCondition(condition, context: context))
            for method in ["len", "set"] {
                let answer = try await fixture.execute(
                    context, method, ["key": "k", "value": "v"], token: token)
                #expect(answer.status == 200)
                #expect(answer.json.names == ["jsonrpc", "id", "error"])
                #expect(answer.rpcType == type)
                #expect(answer.rpcData == data(context, executor))
            }
            #expect(fixture.node.contextState(context) == [:])
            fixture.node.setCondition(nil, context: context)
            #expect(try await fixture.execute(context, "len", token: token).output == 0)
            #expect(!fixture.node.setCondition(condition, context: "nope"))
        }
    }

    @Test func anUpgradeStopsWritesOnly() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(KeyValueContract())
            let token = fixture.node.mintTokens().accessToken
            for asBytes in [false, true] {
                fixture.node.setCondition(.upgradeInProgress(groupIdAsBytes: asBytes), context: context)
                let write = try await fixture.execute(context, "set", ["key": "k", "value": "v"], token: token)
                #expect(write.rpcType == "UpgradeInProgress")
                let group = try #require(write.rpcData?["group_id"])
                #expect(asBytes ? group.arrayValue?.count == 32 : group.stringValue?.count == 64)
                #expect(try await fixture.execute(context, "len", token: token).output == 0)
            }
        }
    }

    @Test(arguments: [DevRole.readOnly, .readOnlyTee, .relayTee, .member, .admin])
    func readingRolesDiscardWrites(role: DevRole) async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(KeyValueContract(), role: role)
            let token = fixture.node.mintTokens().accessToken
            let write = try await fixture.execute(context, "set", ["key": "k", "value": "v"], token: token)
            if role == .member || role == .admin {
                #expect(write.output == .null)
            } else {
                #expect(write.rpcType == "ReadOnlyWriteRefused")
                #expect(write.rpcData == ["context_id": .string(context)])
                #expect(fixture.node.contextState(context) == [:])
                #expect(fixture.node.contextEvents(context)?.isEmpty == true)
                fixture.node.setRole(.member, context: context)
                #expect(try await fixture.execute(context, "clear", token: token).output == .null)
            }
            #expect(try await fixture.execute(context, "len", token: token).output != nil)
        }
    }

    @Test func unknownContextsAndMethods() async throws {
        try await withNode { fixture async throws in
            let token = fixture.node.mintTokens().accessToken
            let answer = try await fixture.execute(String(repeating: "a", count: 64), "get", token: token)
            #expect(answer.json["error"] == ["type": "ContextNotFound"])
            let context = try fixture.node.createContext(KeyValueContract())
            let missing = try await fixture.execute(context, "nope", token: token)
            #expect(missing.rpcType == "FunctionCallError")
            #expect(missing.rpcData?.stringValue?.contains("nope") == true)
            #expect(try await fixture.execute(context.uppercased(), "len", token: token).output == 0)
        }
    }

    // MARK: - Scopes

    @Test(arguments: [
        ("admin", true), ("context:execute", true), ("context:execute[CTX]", true), ("context:execute[CTX,,len]", true),
        ("context:execute[,,len]", true), ("context:execute[CTX,,get]", false), ("context:execute[OTHER]", false),
        ("context:execute[CTX,someone,len]", false),
    ])
    func theMethodNeedsItsScope(scope: String, isAllowed: Bool) async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            let held = scope.replacingOccurrences(of: "CTX", with: context)
                .replacingOccurrences(of: "OTHER", with: String(repeating: "f", count: 64))
            let token = fixture.node.mintTokens(permissions: [held]).accessToken
            let answer = try await fixture.execute(context, "len", token: token)
            #expect(answer.status == 200)
            if isAllowed {
                #expect(answer.output == 0)
            } else {
                #expect(answer.rpcType == "FunctionCallError")
                #expect(answer.rpcData == "this caller's token does not grant context:execute for this call")
            }
            // Whether the context exists is none of such a caller's business.
            let other = try await fixture.execute(String(repeating: "e", count: 64), "len", token: token)
            let knows = ["admin", "context:execute", "context:execute[,,len]"].contains(scope)
            #expect(other.rpcType == (knows ? "ContextNotFound" : "FunctionCallError"))
        }
    }

    // MARK: - Exactness and rollback

    @Test(arguments: [
        #"{"u":18446744073709551615,"i":-9223372036854775808,"f":0.1,"e":1e5,"z":-0.0}"#,
        #"{"big":123456789012345678901234567890,"order":{"b":1,"a":2},"text":"é😀\n"}"#, "[1,null,true]", "null",
        #""x""#,
        "18446744073709551615",
    ])
    func argumentsComeBackDigitForDigit(args: String) async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(ProbeContract())
            let answer = try await fixture.execute(
                context, "echo", try JsonParser.parse(args.utf8), token: fixture.node.mintTokens().accessToken)
            #expect(answer.status == 200)
            #expect(answer.text.contains("\"output\":\(args)}"))
        }
    }

    @Test func aFailedRunLeavesNoTrace() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(ProbeContract())
            let token = fixture.node.mintTokens().accessToken
            #expect(try await fixture.execute(context, "increment", ["by": 40], token: token).output == 40)
            let root = fixture.node.core.contexts[context]?.read { $0.root }
            let failed = try await fixture.execute(context, "increment_and_fail", ["message": "no"], token: token)
            #expect(failed.json["error"] == ["type": "FunctionCallError", "data": "no"])
            #expect(fixture.node.contextState(context) == ["count": 40])
            #expect(fixture.node.contextEvents(context)?.map(\.kind) == ["Incremented"])
            #expect(fixture.node.core.contexts[context]?.read { $0.root } == root)
            let overflow = try await fixture.execute(
                context, "increment", ["by": .number("18446744073709551615")], token: token)
            #expect(overflow.rpcData == "panicked: attempt to add with overflow")
            #expect(try await fixture.execute(context, "increment", token: token).output == 41)
        }
    }

    @Test func everyEndOfAProbe() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(ProbeContract())
            let token = fixture.node.mintTokens().accessToken
            func run(_ method: String, _ args: JsonTree = [:]) async throws -> Answer {
                try await fixture.execute(context, method, args, token: token)
            }
            #expect(try await run("nothing").json == ["jsonrpc": "2.0", "id": 1, "result": ["output": .null]])
            #expect(try await run("fail", ["message": "no such post"]).rpcData == "no such post")
            #expect(try await run("panic", ["message": "nope"]).rpcData == "panicked: nope")
            #expect(try await run("bytes", ["count": 100_000]).output?.stringValue?.count == 100_000)
            #expect(try await run("text", ["json": #"{"a":[1]}"#]).output == ["a": [1]])
            let serde = try await run("text", ["json": "{"])
            #expect(serde.rpcType == "SerdeError")
            #expect(serde.rpcData?.names == ["message"])
            #expect(serde.rpcData?["message"]?.stringValue?.isEmpty == false)
            #expect(try await run("sleep", ["ms": 1]).output == .null)
            #expect(try await run("executor").output?.stringValue?.count == 64)
            for args in [[:], ["message": 5], "x"] as [JsonTree] {
                let wrong = try await run("fail", args)
                #expect(wrong.rpcType == "FunctionCallError")
                #expect(
                    wrong.rpcData?.stringValue?.hasPrefix("panicked: Failed to deserialize input from JSON: ") == true)
            }
            #expect(try await run("count").output == 0)
        }
    }

    @Test func aWaitingMethodHoldsUpNobody() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(ProbeContract())
            let token = fixture.node.mintTokens().accessToken
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await fixture.execute(context, "sleep", ["ms": 600_000], token: token) }
                let hasArrived = await eventually { fixture.node.requestCount("POST", "/jsonrpc") == 1 }
                #expect(hasArrived)
                let answer = try await fixture.execute(context, "increment", token: token)
                #expect(answer.output == 1)
                // Stopping ends the sleeper, too.
                await fixture.node.stop()
                _ = await group.nextResult()
            }
        }
    }

    @Test func incrementsFromManyCallersAllCount() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(ProbeContract())
            let token = fixture.node.mintTokens().accessToken
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { _ = try await fixture.execute(context, "increment", token: token) } }
                try await group.waitForAll()
            }
            #expect(try await fixture.execute(context, "count", token: token).output == 50)
        }
    }

    // MARK: - Contracts

    @Test func theKeyValueStore() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(KeyValueContract())
            let token = fixture.node.mintTokens(permissions: ["context:execute"]).accessToken
            func run(_ method: String, _ args: JsonTree = [:]) async throws -> Answer {
                try await fixture.execute(context, method, args, token: token)
            }
            #expect(try await run("get", ["key": "a"]).output == .null)
            #expect(try await run("set", ["key": "a", "value": "1"]).output == .null)
            #expect(try await run("set", ["key": "b", "value": "é"]).output == .null)
            #expect(try await run("set", ["key": "a", "value": "2"]).output == .null)
            #expect(try await run("get", ["key": "a"]).output == "2")
            #expect(try await run("get_result", ["key": "a"]).output == "2")
            #expect(try await run("get_unchecked", ["key": "b"]).output == "é")
            #expect(try await run("get_result", ["key": "k"]).rpcData == "key not found: k")
            #expect(try await run("get_unchecked", ["key": "k"]).rpcData?.stringValue?.hasPrefix("panicked: ") == true)
            #expect(try await run("len").output == 2)
            #expect(try await run("entries").output == ["a": "2", "b": "é"])
            #expect(try await run("remove", ["key": "a"]).output == "2")
            #expect(try await run("remove", ["key": "a"]).output == .null)
            #expect(fixture.node.contextState(context) == ["b": "é"])
            #expect(try await run("clear").output == .null)
            #expect(try await run("len").output == 0)
            let events = try #require(fixture.node.contextEvents(context))
            #expect(events.map(\.kind) == ["Inserted", "Inserted", "Updated", "Removed", "Cleared"])
            #expect(try JsonParser.parse(events[0].data) == ["key": "a", "value": "1"])
            #expect(try await run("set", ["key": "a", "value": 1]).rpcType == "FunctionCallError")
            #expect(try await run("set", ["key": "a"]).rpcType == "FunctionCallError")
        }
    }

    @Test func idsAreCheckedAndUnique() async throws {
        try await withNode { fixture in
            let id = String(repeating: "A1", count: 32)
            #expect(try fixture.node.createContext(KeyValueContract(), id: id) == id.lowercased())
            #expect(throws: DevNodeError.invalidId("x")) { try fixture.node.createContext(KeyValueContract(), id: "x") }
            #expect(throws: DevNodeError.self) { try fixture.node.createContext(ProbeContract(), id: id) }
            let fresh = try fixture.node.createContext(KeyValueContract())
            #expect(fixture.node.contexts == [id.lowercased(), fresh])
            #expect(fixture.node.contextState("nope") == nil)
        }
    }
}
