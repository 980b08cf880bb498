import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// How attested machines come into a namespace. Spec: 20, section 6.10; 30, section 8.1.
@Suite struct TeeAdmissionTests {
    private static let zeros = String(repeating: "0", count: 96)
    private static let mrtd = String(repeating: "ab", count: 48)
    private static let image = "merotee-ubuntu-questing-25-10-locked-read-only-2-3-87"

    /// A namespace of ada's, and a machine that is nothing there yet.
    private func machine(
        _ tee: DevTee? = DevTee(osImage: image, mrtd: mrtd),
        _ body: (DevNetwork, _ ada: Owner, _ machine: Owner, _ namespace: String) async throws -> Void
    ) async throws {
        try await withOwners(2, .with { $0.tee = tee }) { network, owners async throws in
            try await body(network, owners[0], owners[1], try await owners[0].namespace())
        }
    }

    private func measured(_ mrtd: String = mrtd, mock: Bool = true, mode: String = "replica") -> JsonTree {
        [
            "allowedMrtd": [.string(mrtd)], "allowedRtmr0": [], "allowedRtmr1": [.string(Self.zeros)],
            "allowedRtmr2": [.string(Self.zeros)], "allowedRtmr3": [.string(Self.zeros)],
            "allowedTcbStatuses": ["UpToDate"], "acceptMock": .bool(mock), "mode": .string(mode),
        ]
    }

    private func released(_ profile: String, min: String? = nil, mode: String = "relay") -> JsonTree {
        var release: JsonTree = ["allowedProfiles": [.string(profile)]]
        if let min { release = release.replacing("minReleaseVersion", .string(min)) }
        return [
            "allowedMrtd": [], "allowedRtmr0": [], "allowedRtmr1": [], "allowedRtmr2": [], "allowedRtmr3": [],
            "allowedTcbStatuses": [], "acceptMock": true, "mode": .string(mode), "signedRelease": release,
        ]
    }

    private func set(_ policy: JsonTree, _ ada: Owner, _ id: String) async throws {
        let answer = try await ada.put("/groups/\(id)/settings/tee-admission-policy", policy)
        #expect(answer.json == [:], "\(answer.text)")
    }

    private func join(_ machine: Owner, _ id: String) async throws -> JsonTree {
        let answer = try await machine.post("/tee/fleet-join", ["groupId": .string(id)])
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json
    }

    @Test func aPolicyLetsInWhatItNames() async throws {
        try await machine { _, ada, machine, id async throws in
            let context = try ada.node.createContext(KeyValueContract(), inGroup: id)
            #expect(try await join(machine, id)["admitted"] == false, "without a policy nobody comes in")
            for policy in [
                measured(Self.zeros), measured(mock: false), released("other-profile"),
                released("locked-read-only", min: "2.3.88"), released("locked-read-only", min: "3.0.0"),
            ] {
                try await set(policy, ada, id)
                let answer = try await join(machine, id)
                #expect(answer["status"] == "announced" && answer["admitted"] == false)
                #expect(answer["contexts_joined"] == [])
                #expect(try await ada.roles(in: id)[machine.account] == nil)
            }
            try await set(measured(), ada, id)
            let answer = try await join(machine, id)
            #expect(
                answer.names == [
                    "status", "group_id", "namespace_id", "public_key", "account", "admitted", "auto_follow_enabled",
                    "contexts_joined",
                ])
            #expect(answer["status"] == "joined" && answer["admitted"] == true)
            #expect(answer["namespace_id"] == .string(id) && answer["account"] == .string(machine.account))
            #expect(answer["contexts_joined"] == [.string(context)])
            #expect(try await ada.roles(in: id)[machine.account] == "ReadOnlyTee")
            #expect(try await machine.execute(context, "len").output == 0, "it holds a copy")
            // Another mode changes who is in already, and a second announcement nothing.
            try await set(released("locked-read-only", min: "2.3.72"), ada, id)
            #expect(try await ada.roles(in: id)[machine.account] == "RelayTee")
            #expect(try await join(machine, id)["status"] == "joined")
            let byHand = try await ada.put("/groups/\(id)/members/\(machine.account)/role", ["role": "Member"])
            #expect(byHand.status == 403, "no hand changes the role of a TEE")
        }
    }

    @Test func aRelayComesInToo() async throws {
        try await machine { network, ada, machine, id async throws in
            try await set(released("locked-read-only", min: "2.3.87"), ada, id)
            network.isolate(machine.node)
            #expect(try await join(machine, id)["admitted"] == false, "nobody heard it")
            network.heal()
            let tap = try await ada.fixture.listen(groups: [id], token: ada.token)
            #expect(try await join(machine, id)["admitted"] == true)
            #expect(try await ada.roles(in: id)[machine.account] == "RelayTee")
            #expect(await tap.has(frames: 2))
            #expect(tap.events.first?.result["type"] == "MemberJoined")
        }
    }

    /// Who was put out stays out; who proves nothing was never in.
    @Test func policiesDoNotBringBack() async throws {
        try await machine { _, ada, machine, id async throws in
            try await set(measured(), ada, id)
            #expect(try await join(machine, id)["admitted"] == true)
            let remove: JsonTree = ["members": [.string(machine.account)]]
            #expect(try await ada.post("/groups/\(id)/members/remove", remove).status == 200)
            #expect(try await join(machine, id)["admitted"] == false)
        }
        try await machine(nil) { _, ada, machine, id async throws in
            try await set(measured(), ada, id)
            #expect(try await join(machine, id)["admitted"] == false)
        }
        try await machine { _, ada, machine, id async throws in
            try await set(measured(), ada, id)
            machine.node.setAttestation(.unsupported)
            #expect(try await join(machine, id)["admitted"] == false)
        }
    }

    @Test func whatAnAnnouncementRefuses() async throws {
        try await machine { _, _, machine, id async throws in
            try await expectClosedBody(
                machine, "POST", "/tee/fleet-join", ["groupId": .string(id)], required: ["groupId"])
            let many = JsonTree.array(Array(repeating: "/ip4/10.0.0.7/tcp/2428/p2p/12D3KooW", count: 65))
            let long = JsonTree.array([.string(String(repeating: "x", count: 513))])
            for addresses in [many, long] {
                let answer = try await machine.post(
                    "/tee/fleet-join", ["groupId": .string(id), "admitterAddrs": addresses])
                #expect(answer.status == 400 && answer.error?.contains("admitterAddrs") == true, "\(answer.text)")
            }
        }
    }

    @Test func theSignedReleaseIsServedByteForByte() async throws {
        let release = DevTee.Release(
            version: "2.3.87", publishedMrtds: "{\n  \"role\" : \"node\"\n}\n", bundle: "{\"a\":1.0}")
        try await withNode(.with { $0.tee = DevTee(mrtd: Self.mrtd, release: release) }) { fixture async throws in
            let answer = try await fixture.call("GET", "/admin-api/tee/release")
            #expect(
                answer.json == [
                    "data": [
                        "version": "2.3.87", "publishedMrtds": .string(release.publishedMrtds),
                        "bundle": .string(release.bundle),
                    ]
                ])
        }
        try await withNode { fixture async throws in
            #expect(try await fixture.call("GET", "/admin-api/tee/release").status == 404)
        }
    }

    @Test func attestationMayBeUnsupportedOrFail() async throws {
        try await machine { _, ada, _, _ async throws in
            let body: JsonTree = ["nonce": .string(Owner.unknown)]
            for (attestation, status) in [(DevAttestation.unsupported, 501), (.failing, 500), (.mock, 200)] {
                ada.node.setAttestation(attestation)
                for path in ["/tee/attest", "/tee/registration-attest"] {
                    #expect(try await ada.post(path, body).status == status, "\(path)")
                }
                #expect(try await ada.get("/tee/info").status == (attestation == .unsupported ? 500 : 200))
            }
        }
    }
}
