import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// How far an account's session reaches, also on routes that only a proxy asks about.
@Suite struct AccountScopeTests {
    private static let id = String(repeating: "7", count: 64)

    private func verdict(_ relay: RelayFixture, _ method: String, _ path: String, _ token: String?) async throws -> Int
    {
        try await relay.fixture.call(
            "GET", "/auth/validate", token: token,
            headers: [("X-Forwarded-Method", method), ("X-Forwarded-Uri", "/admin-api" + path)]
        ).status
    }

    @Test(arguments: [
        ("POST", "/namespaces"), ("DELETE", "/namespaces/\(id)"), ("POST", "/namespaces/\(id)/invite"),
        ("POST", "/groups"), ("DELETE", "/groups/\(id)"), ("POST", "/groups/\(id)/members"),
        ("PUT", "/groups/\(id)/members/\(id)/role"), ("PUT", "/groups/\(id)/metadata"),
        ("POST", "/contexts"), ("DELETE", "/contexts/\(id)"), ("POST", "/contexts/\(id)/join"),
        ("GET", "/namespaces/for-application/\(id)"), ("GET", "/contexts/for-application/\(id)"),
        ("PUT", "/blobs"), ("GET", "/applications"), ("GET", "/identity"), ("GET", "/usage"),
    ])
    func changesAndWhatIsNotItsOwnAreRefused(method: String, path: String) async throws {
        try await withRelay(adminRole: true) { relay async throws in
            #expect(try await verdict(relay, method, path, relay.session()) == 403)
            #expect(try await verdict(relay, method, path, relay.node.mintTokens().accessToken) == 200)
        }
    }

    @Test(arguments: [
        ("GET", "/namespaces"), ("GET", "/namespaces/\(id)"), ("GET", "/groups/\(id)/members"), ("GET", "/contexts"),
        ("GET", "/contexts/\(id)"), ("POST", "/contexts/\(id)/query"), ("GET", "/groups/\(id)/members/\(id)/metadata"),
    ])
    func readsOfItsOwnPass(method: String, path: String) async throws {
        try await withRelay { relay async throws in
            #expect(try await verdict(relay, method, path, relay.session()) == 200)
        }
    }

    @Test func aSessionHearsWhatItsDeviceMay() async throws {
        try await withRelay { relay async throws in
            let token = try await relay.session()
            let foreign = try relay.node.createContext(KeyValueContract())
            let tap = try await relay.fixture.listen(contexts: [relay.context, foreign], token: token)
            #expect(try await relay.write().status == 200)
            #expect(await tap.has(frames: 2))
            // A device that is revoked hears nothing more.
            try relay.node.setRevoked(true, device: relay.ada.deviceId, namespace: relay.namespace)
            relay.node.emit(.syncStatus(.idle), context: relay.context)
            try relay.node.setRevoked(false, device: relay.ada.deviceId, namespace: relay.namespace)
            let again = try await relay.fixture.subscription(tap.sessionId, contexts: [relay.context], token: token)
            #expect(again.status == 200)
            relay.node.emit(.syncStatus(.idle), context: relay.context)
            #expect(await tap.has(frames: 3))
            #expect(tap.types == ["StateMutation", "SyncStatus"])
        }
    }

    @Test func ofEqualChangesAtOnceOneApplies() async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let op = try GovernanceOps.memberAdded(member: Self.id, role: "Member")
            let body: JsonTree = [
                "warrant": .string(try relay.governanceWarrant(op, nonce: 1)),
                "authorProof": .string(relay.ada.credential), "op": .string(Hex.encode(op.bytes)),
            ]
            let path = "/admin-api/groups/\(relay.namespace)/governance-intents"
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await relay.fixture.post(path, body).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1 && statuses.filter { $0 == 403 }.count == 5)
        }
    }

    @Test func faultsStrikeTheseRoutesToo() async throws {
        try await withRelay { relay async throws in
            let route = DevRouteMatch("GET", relay.path)
            relay.node.inject(.delay(0.05), on: route)
            relay.node.inject(.status(503, body: Data(#"{"error":"busy"}"#.utf8)), on: route)
            let busy = try await relay.fixture.call("GET", relay.path)
            #expect(busy.status == 503 && busy.error == "busy")
            #expect(relay.node.handlerRuns("GET", relay.path) == 0)
            #expect(try await relay.fixture.call("GET", relay.path).status == 200)
            relay.node.inject(.cutMidBody(after: 5), on: route)
            await #expect(throws: (any Error).self) {
                let answer = try await relay.fixture.call("GET", relay.path)
                if answer.json == .null { throw CancellationError() }
            }
        }
    }
}
