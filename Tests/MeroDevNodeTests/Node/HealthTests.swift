import Foundation
import Testing

@testable import MeroDevNode

@Suite struct HealthTests {
    @Test func healthFollowsTheStore() async throws {
        try await withNode { fixture async throws in
            let alive = try await fixture.call("GET", "/admin-api/health")
            #expect(alive.status == 200)
            #expect(alive.json == ["data": ["status": "alive"]])
            fixture.node.setStorageAvailable(false)
            let dead = try await fixture.call("GET", "/admin-api/health")
            #expect(dead.status == 503)
            #expect(dead.json == ["data": ["status": "store_unavailable"]])
            #expect(dead.headers["retry-after"] == nil)
        }
    }

    @Test func readiness() async throws {
        try await withNode { fixture async throws in
            func ready() async throws -> (Int, JsonTree) {
                let answer = try await fixture.call("GET", "/admin-api/ready")
                return (answer.status, answer.json)
            }
            #expect(try await ready() == (200, ["data": ["status": "ready"]]))
            fixture.node.setReadiness(.starting)
            #expect(try await ready() == (503, ["data": ["status": "starting"]]))
            fixture.node.setReadiness(.shuttingDown)
            #expect(try await ready() == (503, ["data": ["status": "shutting_down"]]))
            fixture.node.setReadiness(.ready)
            fixture.node.setStorageAvailable(false)
            #expect(try await ready() == (503, ["data": ["status": "store_unavailable"]]))
        }
    }

    @Test func isAuthedProvesNothing() async throws {
        try await withNode { fixture in
            for token in [nil, "nonsense"] {
                let answer = try await fixture.call("GET", "/admin-api/is-authed", token: token)
                #expect(answer.status == 200)
                #expect(answer.json == ["data": ["status": "alive"]])
            }
        }
    }

    @Test func theIdentity() async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens(permissions: ["namespace:list"]).accessToken
            let answer = try await fixture.call("GET", "/admin-api/identity", token: token)
            #expect(answer.status == 200)
            let data = try #require(answer.data)
            #expect(
                data.names == [
                    "accountId", "deviceId", "publicKey", "accountRootPublicKey", "deviceAgreementKey",
                    "accountNamespaceId", "holdsAccountRoot", "deviceCertified",
                ])
            for member in data.members {
                if let text = member.value.stringValue {
                    #expect(text.count == 64)
                    #expect(text.allSatisfy { "0123456789abcdef".contains($0) })
                } else {
                    #expect(member.value.boolValue == true)
                }
            }
            #expect(Set(data.members.compactMap(\.value.stringValue)).count == 6)
            #expect(try await fixture.call("GET", "/admin-api/identity", token: token).json == answer.json)
        }
    }
}
