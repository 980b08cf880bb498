import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// What hosting does to the nodes that host. Spec: 70, section 3.4; 20, section 6.10.
@Suite struct CloudHostingTests {
    private static let policy: JsonTree = [
        "allowedMrtd": [], "allowedRtmr0": [], "allowedRtmr1": [], "allowedRtmr2": [], "allowedRtmr3": [],
        "allowedTcbStatuses": [], "acceptMock": true, "mode": "relay",
        "signedRelease": ["allowedProfiles": ["locked-read-only"]],
    ]

    /// A namespace of ada's, claimed at a cloud whose relay is a machine that is nothing there yet.
    private func withHost(
        _ body: (CloudFixture, _ ada: Owner, _ machine: Owner, _ namespace: String, _ path: String) async throws -> Void
    ) async throws {
        let image = "merotee-ubuntu-questing-25-10-locked-read-only-2-3-87"
        let options = DevNodeOptions.with { $0.tee = DevTee(osImage: image, mrtd: String(repeating: "ab", count: 48)) }
        try await withOwners(2, options) { _, owners async throws in
            try await withCloud { fixture in
                let id = try await owners[0].namespace()
                fixture.cloud.add(owners[1].node)
                try fixture.cloud.claim(id, for: CloudFixture.email)
                try await body(fixture, owners[0], owners[1], id, "/api/cloud/namespaces/\(id)")
            }
        }
    }

    private func row(_ fixture: CloudFixture, _ id: String) async throws -> JsonTree? {
        let answer = try await fixture.call(
            "GET", "/api/cloud/me/namespaces/\(id)/relays", token: fixture.session())
        return answer.json["relays"]?.arrayValue?.first
    }

    private func allow(_ ada: Owner, _ id: String) async throws {
        let answer = try await ada.put("/groups/\(id)/settings/tee-admission-policy", Self.policy)
        #expect(answer.json == [:], "\(answer.text)")
    }

    @Test func anAssignedRelayComesInWhereThePolicyLetsIt() async throws {
        try await withHost { fixture, ada, machine, id, path in
            let context = try ada.node.createContext(KeyValueContract(), inGroup: id)
            _ = try await ada.execute(context, "set", ["key": "k", "value": "v"])
            let session = fixture.session()
            #expect(try await fixture.post("\(path)/enable-ha", [:], token: session).status == 200)
            // Assigned, and turned away: nobody lets machines in without a policy.
            #expect(try await row(fixture, id)?["status"] == "assigned")
            #expect(machine.node.members(group: id) == nil)
            try await allow(ada, id)
            #expect(try await fixture.post("\(path)/enable-ha", [:], token: session).status == 200)
            #expect(try await ada.roles(in: id)[machine.account] == "RelayTee")
            let active = try #require(try await row(fixture, id))
            #expect(active["status"] == "active" && active["can_execute"] == true)
            #expect(try await machine.execute(context, "len").output == 1, "it holds a copy")
        }
    }

    @Test func endingItTakesEverythingAway() async throws {
        try await withHost { fixture, ada, machine, id, path in
            let context = try ada.node.createContext(KeyValueContract(), inGroup: id)
            _ = try await ada.execute(context, "set", ["key": "k", "value": "v"])
            try await allow(ada, id)
            let session = fixture.session()
            _ = try await fixture.post("\(path)/enable-ha", [:], token: session)
            #expect(machine.node.contextState(context)?["k"] == "v")
            #expect(try await fixture.post("\(path)/disable-ha", [:], token: session).json["status"] == "disabled")
            #expect(machine.node.members(group: id) == nil && machine.node.contextState(context) == nil)
            #expect(machine.node.group(ofContext: context) == nil)
            #expect(try await ada.roles(in: id)[machine.account] == nil, "it has left")
            #expect(try await row(fixture, id) == nil)
            // What is written from now on does not reach it, nor does it bring anything back when the nodes meet again.
            _ = try await ada.execute(context, "set", ["key": "k", "value": "w"])
            #expect(machine.node.members(group: id) == nil)
            #expect(ada.node.contextState(context)?["k"] == "w", "the others keep theirs")
            // Ending it twice is one end.
            #expect(try await fixture.post("\(path)/disable-ha", [:], token: session).status == 200)
            _ = try await fixture.post("\(path)/enable-ha", [:], token: session)
            #expect(machine.node.contextState(context)?["k"] == "w", "and it comes back with what there is then")
            #expect(try await row(fixture, id)?["status"] == "active")
        }
    }

    /// A node that the namespace belongs to is somebody's own.
    @Test func theOwnersNodeKeepsWhatIsItsOwn() async throws {
        try await withNode { node in
            try await withCloud { fixture in
                let id = try node.node.createNamespace()
                let peer = fixture.cloud.add(node.node)
                try fixture.cloud.claim(id, for: CloudFixture.email)
                try fixture.cloud.assign(peer, toNamespace: id)
                let path = "/api/cloud/namespaces/\(id)/disable-ha"
                #expect(try await fixture.post(path, [:], token: fixture.session()).status == 200)
                #expect(node.node.members(group: id) != nil)
                #expect(try await row(fixture, id) == nil)
            }
        }
    }
}
