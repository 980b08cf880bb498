import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// The admin API against nodes over real HTTP: every endpoint answers, and every refusal that is listed happens.
@Suite("Admin API on a node") struct AdminLiveTests {
    @Test(arguments: LiveStory.all)
    func aStoryGoesAsItShould(story: LiveStory) async throws {
        _ = try await told(story)
    }

    /// Tells a story to two new nodes; what they were asked, and what they answered.
    private func told(_ story: LiveStory) async throws -> [DevRequestRecord] {
        let world = try await LiveWorld.start { options in
            options.delegatedAccess = story.isRelay
            options.relay.servesWarrantNonce = story.isRelay
        }
        do {
            try await story.run(world)
        } catch {
            Issue.record("\(story.name): \(error)")
        }
        let records = world.ada.node.requests + world.bob.node.requests
        await world.stop()
        return records
    }

    @Test func everyEndpointAnswersAndEveryListedRefusalHappens() async throws {
        var coverage = LiveCoverage()
        for story in LiveStory.all { coverage.add(try await told(story)) }
        let documented = AdminRoutes.nodes.union(AdminRoutes.groups)
        let all = documented.union(AdminRoutes.delegated).union(AdminRoutes.newer)
        let silent = all.filter { !coverage.answered($0) }.sorted()
        #expect(silent.isEmpty, "never answered by a node: \(silent)")
        #expect(coverage.strangers.isEmpty, "\(coverage.strangers)")
        #expect(documented.count == 119 && all.count == 129)
        let strays = Set(LiveRefusals.listed.keys).subtracting(all)
        #expect(strays.isEmpty, "\(strays)")
        for (route, statuses) in LiveRefusals.listed.sorted(by: { $0.key < $1.key }) {
            let missing = statuses.subtracting(coverage.statuses[route] ?? [])
            #expect(missing.isEmpty, "\(route) never refused with \(missing.sorted())")
        }
        let refusals = LiveRefusals.listed.values.reduce(0) { $0 + $1.count }
        print("Admin API on a node: \(all.count) endpoints answered, \(refusals) listed refusals seen")
    }

    /// Refusals that nothing in a dev node brings about look like all others.
    @Test func refusalsByFaultReachTheCaller() async throws {
        let world = try await LiveWorld.start()
        for (route, statuses) in LiveRefusals.onlyByFault {
            let calls = AdminCall.all.filter { Self.route(of: $0) == route }
            let call = try #require(calls.first, "\(route)")
            for status in statuses {
                world.ada.node.inject(
                    .status(status, body: Data(#"{"error":"as listed"}"#.utf8)),
                    on: DevRouteMatch(call.method, AdminIds().url(call.path)))
                await refused(status, "as listed") { _ = try await call.run(world.ada.admin, AdminIds()) }
            }
        }
        await world.stop()
    }

    private static let publicRoutes: Set<String> = [
        "GET /admin-api/health", "GET /admin-api/ready", "GET /admin-api/is-authed", "GET /admin-api/tee/info",
        "POST /admin-api/tee/attest",
    ]

    private static func route(of call: AdminCall) -> String {
        let path = call.path.split(separator: "/").map { $0.first == "$" ? "{}" : String($0) }
        return "\(call.method) /\(path.joined(separator: "/"))"
    }

    /// Every call of the table, by nobody and by somebody who may do nothing.
    @Test func everyCallButThePublicOnesNeedsACredential() async throws {
        let world = try await LiveWorld.start()
        let nobody = try LiveNode.admin(of: world.ada.node, token: nil)
        let anybody = try world.ada.admin(scopes: ["context:subscribe"])
        var guarded: Set<String> = []
        for call in AdminCall.all {
            let route = Self.route(of: call)
            if Self.publicRoutes.contains(route) { continue }
            guarded.insert(route)
            for (admin, status) in [(nobody, 401), (anybody, 403)] {
                let error = await meroError { _ = try await call.run(admin, AdminIds()) }
                #expect(error?.httpStatus == status, "\(call.name): \(String(describing: error))")
            }
        }
        #expect(guarded.count == 119 - Self.publicRoutes.count)
        await world.stop()
    }

    private static let texts = [
        "a/b", "../../admin/keys", "a b", "100%", "%2F", "%2e%2e", "a?b=c", "a#b", "a;b", "+", "\\", "e\u{301}",
        "日本語", "\u{1F600}", "\u{202E}", "\u{0}", "\r\nX: y", String(repeating: "n", count: 4096),
    ]

    /// Whatever stands in the place of an id: the node sees one segment of the call's own route, and says what is wrong
    /// with it.
    @Test func oddIdsNeverReachAnotherRoute() async throws {
        let world = try await LiveWorld.start()
        let calls = AdminCall.all.filter(\.takesIds)
        var seen = 0
        for call in calls {
            for text in Self.texts {
                world.ada.node.clearRequests()
                let ids = AdminIds(all: text)
                _ = try? await call.run(world.ada.admin, ids)
                let records = world.ada.node.requests
                let path = ids.url(String(call.target.prefix { $0 != "?" }))
                #expect(records.count == 1 && records.first?.path == path, "\(call.name) \(text.debugDescription)")
                let status = records.first?.status ?? 0
                #expect(
                    (400...422).contains(status) && status != 405 || Self.takesAnyText(call),
                    "\(call.name) \(text.debugDescription): \(status)")
                seen += 1
            }
        }
        #expect(seen == calls.count * Self.texts.count && calls.count > 100)
        await world.stop()
    }

    /// A package is a text like any other, and one that nobody knows is no error.
    private static func takesAnyText(_ call: AdminCall) -> Bool { call.target.contains("/packages/$package") }

    /// Segments of 64 KiB are too long for the node's reader, or an id like any other; never another route.
    @Test func idsOf64KiBAreRefused() async throws {
        let world = try await LiveWorld.start()
        for call in [AdminCall.applications, AdminCall.contexts, AdminCall.settings].compactMap({
            $0.first { $0.takesIds && $0.method == "GET" }
        }) {
            let error = await meroError {
                _ = try await call.run(world.ada.admin, AdminIds(all: String(repeating: "n", count: 65_536)))
            }
            #expect([400, 404, 414, 431].contains(error?.httpStatus), "\(call.name): \(String(describing: error))")
        }
        await world.stop()
    }
}

extension LiveStory: CustomTestStringConvertible {
    var testDescription: String { name }
}
