import Foundation
import Testing

@testable import MeroKit

/// Ids and names from anywhere: each is one segment of the path, or nothing is sent. Spec: 00, ruling 16.
@Suite struct AdminIdTests {
    private static let calls = AdminCall.all.filter(\.takesIds)

    @Test(arguments: calls, ["", ".", ".."])
    func whatWouldNameAnotherRouteIsNotSent(call: AdminCall, id: String) async throws {
        let (admin, engine) = scriptedAdmin(answer: call.answer)
        let error = await meroError { _ = try await call.run(admin, AdminIds(all: id)) }
        guard case .network(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text.hasPrefix("Invalid URL: /admin-api/"))
        #expect(engine.requests.isEmpty)
    }

    private static let texts = [
        "a/b", "../../admin/keys", "a b", "100%", "%2F", "%2e%2e", "a?b=c", "a#b", "a;b", "a&b=c", "+", "\\", "\"'`",
        "...", "~", "é", "e\u{301}", "日本語", "\u{1F600}", "\u{202E}", "\u{0}", "\r\nX: y", "\t",
        "12D3KooW:/ip4/1.2.3.4",
    ]

    @Test(arguments: calls)
    func anyTextIsOneSegment(call: AdminCall) async throws {
        for text in Self.texts { try await expectOneSegment(text, call) }
    }

    /// One call of each area: 64 KiB are slow to look at.
    @Test(
        arguments: [
            AdminCall.applications, AdminCall.contexts, AdminCall.aliases, AdminCall.namespaces, AdminCall.settings,
        ]
        .compactMap { $0.first(where: \.takesIds) })
    func evenOneOf64KiB(call: AdminCall) async throws {
        for text in [String(repeating: "n", count: 65_536), String(repeating: "é/", count: 21_846)] {
            try await expectOneSegment(text, call)
        }
    }

    private func expectOneSegment(_ text: String, _ call: AdminCall) async throws {
        let engine = ScriptedEngine { _, _ in .status(200, call.answerHeaders, call.answer) }
        let ids = AdminIds(all: text)
        _ = try await call.run(scriptedAdmin(engine), ids)
        let request = try #require(engine.requests.first)
        // Compared outside of the macro, which would print all of it.
        let isExact = request.line == "\(call.method) \(ids.url(call.target))"
        #expect(isExact, "\(text.prefix(80).debugDescription)")
        let path = request.line.prefix { $0 != "?" }
        let segments = path.split(separator: "/").count
        #expect(segments == call.path.split(separator: "/").count + 1)
        let isPlain = request.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        #expect(isPlain)
    }

    /// Words of the routes themselves: whatever is sent leads to the route of the call.
    @Test(arguments: calls)
    func wordsOfRoutesLeadNowhereElse(call: AdminCall) async throws {
        var words: Set<String> = []
        for endpoint in AdminEndpoints.all {
            for word in endpoint.template.split(separator: "/") where word.first != "{" { words.insert(String(word)) }
        }
        let own = try #require(AdminEndpoints.all.first { matches($0, call.method, call.path) { $0 == "$" } })
        for word in words {
            let engine = ScriptedEngine { _, _ in .status(200, call.answerHeaders, call.answer) }
            do {
                _ = try await call.run(scriptedAdmin(engine), AdminIds(all: word))
            } catch MeroError.network(let text) {
                #expect(text.hasPrefix("Invalid URL: ") && engine.requests.isEmpty)
                continue
            }
            let path = AdminIds(all: word).url(call.path)
            // A router prefers words to ids, from the left.
            let best = AdminEndpoints.all.filter { matches($0, call.method, path) { _ in false } }
                .max { rank($0).lexicographicallyPrecedes(rank($1)) }
            #expect(best?.template == own.template, "\(word)")
        }
    }

    /// 1 for each word of the route and 0 for each id.
    private func rank(_ endpoint: any EndpointDescription) -> [Int] {
        endpoint.template.split(separator: "/").map { $0.first == "{" ? 0 : 1 }
    }

    private func matches(
        _ endpoint: any EndpointDescription, _ method: String, _ path: String, isId: (Character) -> Bool
    ) -> Bool {
        let template = endpoint.template.split(separator: "/")
        let path = path.split(separator: "/")
        guard endpoint.method.rawValue == method, template.count == path.count else { return false }
        return zip(template, path).allSatisfy { part, segment in
            let isPlaceholder = part.first == "{"
            if let first = segment.first, isId(first) { return isPlaceholder }
            return isPlaceholder || part == segment
        }
    }

    @Test func inputThatNoNodeTakesIsNotSent() async throws {
        let (admin, engine) = scriptedAdmin(answer: "{}")
        let cases: [(String, () async throws -> Void)] = [
            ("offset", { _ = try await admin.getContexts(offset: -1, limit: 1) }),
            ("limit", { _ = try await admin.listNamespaces(offset: 0, limit: -1) }),
            ("limit", { _ = try await admin.listGroupMembers("g", offset: 0, limit: Int.min) }),
            ("offset", { _ = try await admin.listMemberDevices("g", offset: -5) }),
            (
                "initializationParams",
                {
                    _ = try await admin.createContext(
                        CreateContextRequest(applicationId: "a", groupId: "g", initializationParams: [1, 256]))
                }
            ),
            (
                "capabilities",
                {
                    try await admin.setMemberCapabilities(
                        "g", identity: "a", request: SetMemberCapabilitiesRequest(capabilities: -1))
                }
            ),
            (
                "defaultCapabilities",
                {
                    try await admin.setDefaultCapabilities(
                        "g", request: SetDefaultCapabilitiesRequest(defaultCapabilities: 1 << 32))
                }
            ),
            ("rootProof", { try await admin.ownerDeleteGroup("g", request: RootGuardedOpRequest(rootProof: "")) }),
            (
                "rootProof",
                {
                    try await admin.transferOwnership(
                        "g", request: TransferOwnershipRequest(newOwner: "a", rootProof: ""))
                }
            ),
            (
                "rootProof",
                { try await admin.disableTeeAuthoringPolicy("g", request: RootGuardedOpRequest(rootProof: "")) }
            ),
            (
                "proof",
                { _ = try await admin.revokeDevice("n", request: RevokeDeviceRequest(deviceId: "d", proof: "")) }
            ),
        ]
        for (field, work) in cases {
            let error = await meroError(work)
            guard case .network(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(text.hasPrefix("\(field) "), "\(text)")
        }
        #expect(engine.requests.isEmpty)
    }
}
