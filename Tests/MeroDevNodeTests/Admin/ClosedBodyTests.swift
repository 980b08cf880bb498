import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Bodies that are not what a route takes.
@Suite struct ClosedBodyTests {
    private static let id = SomeId.first

    /// Handlers that check by themselves: a body, and what its refusal names.
    static let checked: [(path: String, body: String, part: String)] = {
        let creation = #""applicationId":"\#(id)","groupId":"\#(id)","initializationParams":[]"#
        var rows: [(String, String, String)] = []
        for (path, known) in [
            ("/install-application", #""package":"p","version":"1""#), ("/install-dev-application", #""path":"/x""#),
            ("/contexts", creation),
            ("/contexts/\(id)/application", #""applicationId":"\#(id)","executorPublicKey":"\#(id)""#),
            ("/contexts/\(id)/resync", #""force":true"#), ("/tee/attest", #""nonce":"\#(id)""#),
            ("/tee/registration-attest", #""nonce":"\#(id)""#), ("/tee/fleet-join", #""groupId":"\#(id)""#),
        ] {
            rows.append((path, "{\(known),\"surplus\":1}", "surplus: unknown field `surplus`"))
            rows.append((path, "{", "JSON syntax error: "))
            rows.append((path, "[]", "Invalid JSON data: "))
            rows.append((path, "", "JSON syntax error: "))
        }
        let values: [(String, String, String)] = [
            ("/install-application", #"{"package":"p"}"#, "missing field `version`"),
            ("/install-application", #"{"package":7,"version":"1"}"#, "expected a string"),
            ("/install-application", #"{"package":"","version":"1"}"#, "Field 'package' is required but was empty"),
            ("/install-dev-application", #"{"path":""}"#, "Field 'path' is required but was empty"),
            ("/install-dev-application", #"{"path":"/tmp/../x.mpk"}"#, ".."),
            (
                "/install-dev-application", #"{"path":"\#(String(repeating: "/", count: 4097))"}"#,
                "Field 'path' exceeds maximum length of 4096 characters (got 4097)"
            ),
            ("/contexts", #"{"applicationId":"\#(id)","groupId":"\#(id)"}"#, "missing field `initializationParams`"),
            (
                "/contexts", #"{"applicationId":"\#(id)","groupId":"\#(id)","initializationParams":[256]}"#,
                "expected u8"
            ),
            (
                "/contexts", #"{"applicationId":"\#(id)","groupId":"\#(id)","initializationParams":"AA=="}"#,
                "expected a sequence"
            ),
            (
                "/contexts", #"{"applicationId":"111","groupId":"\#(id)","initializationParams":[]}"#,
                "applicationId: invalid value"
            ),
            (
                "/contexts", "{\(creation),\"contextSeed\":\"zz\"}", "contextSeed: invalid value"
            ),
            (
                "/contexts", #"{"applicationId":"\#(id)","groupId":"group","initializationParams":[]}"#,
                "Invalid group_id: expected hex-encoded 32 bytes"
            ),
            (
                "/contexts", #"{"applicationId":"\#(id)","groupId":"abcd","initializationParams":[]}"#,
                "Invalid group_id: must be exactly 32 bytes"
            ),
            (
                "/contexts", "{\(creation),\"identitySecret\":\"secret\"}",
                "Invalid identity_secret: expected hex-encoded 32 bytes"
            ),
            (
                "/contexts", "{\(creation),\"identitySecret\":\"00\"}",
                "Invalid identity_secret: must be exactly 32 bytes"
            ),
            (
                "/contexts", "{\(creation),\"name\":\"\(String(repeating: "n", count: 65))\"}",
                "Field 'name' exceeds maximum length of 64 characters (got 65)"
            ),
            ("/contexts/\(id)/resync", #"{"force":"yes"}"#, "expected a boolean"),
            ("/contexts/\(id)/application", #"{"applicationId":"\#(id)"}"#, "missing field `executorPublicKey`"),
            ("/tee/registration-attest", #"{"nonce":"zz"}"#, "Field 'nonce' contains invalid hex encoding"),
            ("/tee/registration-attest", #"{"nonce":"00"}"#, "Field 'nonce' must be exactly 64 characters (got 2)"),
            ("/tee/fleet-join", #"{"groupId":"x"}"#, "groupId: invalid value"),
            (
                "/tee/fleet-join",
                #"{"groupId":"\#(id)","admitterAddrs":[\#(Array(repeating: "\"/x\"", count: 65).joined(separator: ","))]}"#,
                "maximum of 64 entries (got 65)"
            ),
            (
                "/tee/fleet-join",
                #"{"groupId":"\#(id)","admitterAddrs":["\#(String(repeating: "/", count: 513))"]}"#,
                "exceeds maximum length of 512 characters (got 513)"
            ),
        ]
        return rows + values
    }()

    @Test func handlersThatCheckAnswer400WithJson() async throws {
        try await withNode { fixture async throws in
            for row in Self.checked {
                let answer = try await fixture.admin("POST", row.path, row.body)
                answer.expectError(400)
                #expect(answer.error?.contains(row.part) == true, "\(row.path) \(row.body.prefix(80)): \(answer.text)")
            }
            let untyped = try await fixture.call(
                "POST", "/admin-api/install-application", token: fixture.token("admin"))
            untyped.expectError(400)
        }
    }

    @Test func everyProblemIsNamed() async throws {
        try await withNode { fixture async throws in
            let (package, version) = (String(repeating: "p", count: 129), String(repeating: "1", count: 65))
            let answer = try await fixture.admin(
                "POST", "/install-application", #"{"package":"\#(package)","version":"\#(version)"}"#)
            answer.expectError(
                400,
                "Validation errors: Field 'package' exceeds maximum length of 128 characters (got 129); Field 'version' "
                    + "exceeds maximum length of 64 characters (got 65)")
        }
    }

    @Test func tooManyParametersAreCounted() async throws {
        try await withNode { fixture async throws in
            let list = Array(repeating: "0", count: (1 << 20) + 1).joined(separator: ",")
            let answer = try await fixture.admin(
                "POST", "/contexts",
                #"{"applicationId":"\#(Self.id)","groupId":"\#(Self.id)","initializationParams":[\#(list)]}"#)
            answer.expectError(
                400, "Field 'initializationParams' exceeds maximum size of 1048576 bytes (got 1048577)")
        }
    }

    /// Where the framework answers.
    @Test(arguments: [
        ("/alias/create/context", "{", 400), ("/alias/create/context", "{}", 422),
        ("/alias/create/context", #"{"alias":"main"}"#, 422),
        ("/alias/create/context", #"{"alias":"main","contextId":"\#(id)","surplus":1}"#, 422),
        ("/alias/create/context", #"{"alias":"main","applicationId":"\#(id)"}"#, 422),
        ("/alias/create/application", #"{"alias":"main","applicationId":"short"}"#, 422),
        ("/alias/create/device", #"{"alias":"","deviceId":"\#(id)"}"#, 422),
        ("/alias/create/device", #"{"alias":"a b","deviceId":"\#(id)"}"#, 422),
        ("/alias/create/device", #"{"alias":"ä","deviceId":"\#(id)"}"#, 422),
        ("/alias/create/device", #"{"alias":7,"deviceId":"\#(id)"}"#, 422),
        ("/alias/create/device", #"{"alias":"\#(String(repeating: "a", count: 51))","deviceId":"\#(id)"}"#, 422),
        ("/alias/lookup/context/main", #"{"surplus":1}"#, 422), ("/alias/delete/context/main", "[]", 422),
        ("/contexts/sync", #"{"surplus":1}"#, 422), ("/contexts/sync/\(id)", "{", 400),
        ("/contexts/\(id)/join", #"{"surplus":1}"#, 422), ("/identity/context", #"{"surplus":1}"#, 422),
    ])
    func handlersThatDoNotCheckAnswerText(path: String, body: String, status: Int) async throws {
        try await withNode { fixture async throws in
            try await fixture.admin("POST", path, body).expectText(status)
        }
    }

    @Test func aBodyWithoutATypeIs415() async throws {
        try await withNode { fixture async throws in
            for path in ["/alias/create/context", "/alias/lookup/context/main", "/contexts/sync", "/identity/context"] {
                let answer = try await fixture.send(
                    "POST", "/admin-api" + path, headers: [("Authorization", "Bearer \(fixture.token("admin"))")],
                    body: Data("{}".utf8))
                answer.expectText(415)
            }
        }
    }

    @Test(arguments: ["nope", "%2F", "a%2Fb", "%00", "%25", "%C3%A9", String(repeating: "1", count: 63), "..%2F"])
    func idsThatAreNone(id: String) async throws {
        try await withNode { fixture async throws in
            for path in [
                "/contexts/\(id)", "/contexts/\(id)/identities", "/contexts/\(id)/identities-owned",
                "/contexts/\(id)/group", "/contexts/for-application/\(id)",
                "/contexts/with-executors/for-application/\(id)", "/applications/\(id)",
                "/applications/\(id)/versions", "/applications/\(id)/abi",
            ] {
                try await fixture.admin("GET", path).expectText(400)
            }
            try await fixture.admin("GET", "/contexts/\(id)/storage").expectError(400, "Invalid context ID format")
            try await fixture.admin("DELETE", "/contexts/\(id)").expectError(400, "Invalid context id")
            try await fixture.admin("GET", "/blobs/\(id)").expectError(400)
            try await fixture.admin("DELETE", "/blobs/\(id)").expectError(400)
            try await fixture.admin("DELETE", "/applications/\(id)").expectText(400)
            for path in ["/contexts/\(id)/join", "/contexts/\(id)/leave", "/contexts/sync/\(id)"] {
                try await fixture.admin("POST", path, "{}").expectText(400)
            }
        }
    }
}
