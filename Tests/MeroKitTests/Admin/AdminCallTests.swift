import Foundation
import Testing

@testable import MeroKit

/// Every call of the table: what goes out, what comes back, how a refusal looks.
@Suite struct AdminCallTests {
    @Test(arguments: AdminCall.all)
    func sendsExactlyThisAndReturnsExactlyThat(call: AdminCall) async throws {
        let engine = ScriptedEngine { _, _ in .status(200, call.answerHeaders, call.answer) }
        let ids = AdminIds()
        let result = try await call.run(scriptedAdmin(engine), ids)
        #expect(try result == call.expected)

        #expect(engine.requests.count == 1)
        let request = try #require(engine.requests.first)
        #expect(request.line == "\(call.method) \(ids.url(call.target))")
        #expect(request.header("Accept") == "application/json")
        #expect(request.header("Authorization") == "Bearer token")
        #expect(request.inactivityTimeout == call.timeout ?? 10)
        switch call.body {
        case .none:
            #expect(request.json == nil && request.header("Content-Type") == nil)
            guard case .none = request.body else { return #expect(Bool(false), "a body") }
        case .json(let text):
            #expect(request.header("Content-Type") == "application/json")
            let body = try MeroJSON.decode(JSONValue.self, from: Data(ids.json(text).utf8))
            #expect(request.json == body)
        case .bytes(let text):
            #expect(request.header("Content-Type") == "application/octet-stream")
            guard case .bytes(let data) = request.body else { return #expect(Bool(false), "no bytes") }
            #expect(String(decoding: data, as: UTF8.self) == text)
        }
    }

    /// Those of spec 20, section 1.9, and spec 30, section 1.5.
    private static let statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 501, 502, 503, 504]

    @Test(arguments: AdminCall.all)
    func surfacesEveryRefusal(call: AdminCall) async throws {
        for status in Self.statuses {
            let body = #"{"error":"no \#(status)","type":"FunctionCallError","data":{"n":1}}"#
            let engine = ScriptedEngine { _, _ in .status(status, ["x-a": "b"], body) }
            let error = await meroError { _ = try await call.run(scriptedAdmin(engine), AdminIds()) }
            guard case .http(let http) = error else {
                return #expect(Bool(false), "\(status): \(String(describing: error))")
            }
            #expect(http.status == status && http.headers["x-a"] == "b")
            #expect(error?.refusal == ErrorRefusal(message: "no \(status)", type: "FunctionCallError", data: ["n": 1]))
            #expect(engine.requests.count == 1)
        }
    }

    @Test(arguments: AdminCall.all)
    func surfacesPlainTextAndNothingAtAll(call: AdminCall) async throws {
        for (status, text) in [(422, "unknown field `x`"), (500, "not a signed application bundle: a"), (404, "")] {
            let (admin, _) = scriptedAdmin(answer: text, status: status)
            let error = await meroError { _ = try await call.run(admin, AdminIds()) }
            guard case .http(let http) = error else {
                return #expect(Bool(false), "\(status): \(String(describing: error))")
            }
            #expect(http.status == status && http.refusal == nil && http.bodyText == (text.isEmpty ? nil : text))
        }
    }

    @Test(arguments: AdminCall.all)
    func isRepeatedAfterATransientFailure(call: AdminCall) async throws {
        let engine = ScriptedEngine { _, number in
            number == 0 ? .status(503, [:], "{}") : .status(200, call.answerHeaders, call.answer)
        }
        let result = try await call.run(scriptedAdmin(engine, policy: .documented), AdminIds())
        #expect(try result == call.expected && engine.requests.count == 2)
    }

    /// A 2xx that has no data, where data was due. What needs none is not in here.
    @Test(arguments: AdminCall.all.filter { if case .data = $0.result { true } else { false } })
    func aMissingPayloadIsNoAnswer(call: AdminCall) async throws {
        // Those that take the object itself as well.
        let flat: Set = [
            "listPackages", "listPackageVersions", "reparentGroup", "issueNamespaceOwnershipProof",
            "getContextsWithExecutorsForApplication",
        ]
        let (admin, _) = scriptedAdmin(answer: "{}")
        if call.methodName == "listSubgroups" {
            #expect(try await call.run(admin, AdminIds()) == [])
            return
        }
        let error = await meroError { _ = try await call.run(admin, AdminIds()) }
        switch error {
        case .emptyResponse(let text): #expect(text == call.methodName && !flat.contains(call.methodName))
        case .decoding: #expect(flat.contains(call.methodName))
        default: #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test(
        arguments: AdminCall.all.filter {
            if case .nothing = $0.result { return false }
            return !["getBlob", "getBlobInfo", "abortMigration"].contains($0.methodName)
                && !$0.name.hasSuffix("untyped")
        })
    func aBodyOfAnotherKindIsADecodingError(call: AdminCall) async throws {
        for text in ["<html>", #"{"data":7,"members":7,"subgroups":7,"devices":7,"applications":7,"status":7}"#, "[7]"]
        {
            if text != "<html>" && ["getNetworkStatus", "getUsage"].contains(call.methodName) { continue }
            // Anything is an interface, and a package of which nothing is known has neither field.
            let takesAnyObject = ["getApplicationAbi", "getLatestPackageVersion"].contains(call.methodName)
            if text.hasPrefix("{") && takesAnyObject { continue }
            let (admin, _) = scriptedAdmin(answer: text)
            let error = await meroError { _ = try await call.run(admin, AdminIds()) }
            guard case .decoding = error else {
                return #expect(Bool(false), "\(text): \(String(describing: error))")
            }
        }
    }

    @Test(arguments: AdminCall.all)
    func cancellationIsThrown(call: AdminCall) async throws {
        let engine = ScriptedEngine { _, _ in
            try await Task.sleep(nanoseconds: 60_000_000_000)
            return .status(200)
        }
        let task = Task { try await call.run(scriptedAdmin(engine), AdminIds()) }
        try await eventually { !engine.requests.isEmpty }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
