import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct InvitationTests {
    @Test func anInvitationIsComplete() async throws {
        try await withOwner { owner async throws in
            owner.node.clock.freeze(at: Date(timeIntervalSince1970: 1_790_000_000))
            let id = try await owner.namespace(named: "home")
            let answer = try await owner.post("/namespaces/\(id)/invite")
            #expect(answer.status == 200)
            #expect(answer.data?.names == ["invitation", "groupName"])
            #expect(answer.data?["groupName"] == "home")
            let signed = try #require(answer.data?["invitation"])
            #expect(
                signed.names == [
                    "invitation", "inviter_signature", "inviter_account", "admitter_addrs", "application_id", "app_key",
                ])
            let body = try #require(signed["invitation"])
            #expect(
                body.names == [
                    "inviter_identity", "group_id", "expiration_timestamp", "secret_salt", "invited_role", "admitters",
                ])
            #expect(body["expiration_timestamp"] == 1_790_086_400)
            #expect(body["invited_role"] == 1)
            #expect(body["admitters"] == [.string(owner.account)])
            #expect(signed["inviter_account"] == .string(owner.account))
            let address = signed["admitter_addrs"]?.strings.first ?? ""
            #expect(address.contains("/p2p/12D3KooW"))
            let read = try InvitationReader.read(signed)
            #expect(read.isSigned)
            #expect(Hex.encode(read.body.groupId) == id)
            #expect(read.applicationId.map { Hex.encode($0) } == Owner.application)
        }
    }

    @Test func theTimestampOfTheRequestIsADuration() async throws {
        try await withOwner { owner async throws in
            owner.node.clock.freeze(at: Date(timeIntervalSince1970: 1_790_000_000))
            let id = try await owner.namespace()
            for (asked, wanted) in [(60, 1_790_000_060), (1_790_000_000, 1_790_086_400), (0, 1_790_000_000)] {
                let invitation = try await owner.invitation(to: id, ["expirationTimestamp": JsonTree(asked)])
                #expect(invitation["invitation"]?["expiration_timestamp"] == JsonTree(wanted))
            }
        }
    }

    @Test func admittersAndAddressesAreTakenAsGiven() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let invitation = try await owner.invitation(
                to: id, ["admitters": [.string(Owner.unknown)], "admitterAddrs": ["/ip4/10.0.0.7/tcp/1/p2p/x"]])
            #expect(invitation["invitation"]?["admitters"] == [.string(Owner.unknown)])
            #expect(invitation["admitter_addrs"] == ["/ip4/10.0.0.7/tcp/1/p2p/x"])
            let refused = try await owner.post("/namespaces/\(id)/invite", ["admitters": ["0xab"]])
            #expect(refused.status == 400)
            #expect(refused.error == "Field 'admitters[]' must be exactly 64 characters (got 4)")
        }
    }

    @Test func recursiveInvitationsNameEveryGroup() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id, named: "room")
            let answer = try await owner.post("/namespaces/\(id)/invite", ["recursive": true])
            #expect(answer.data?.names == ["invitations"])
            let entries = answer.data?["invitations"]?.arrayValue ?? []
            #expect(entries.map { $0["groupId"] } == [.string(id), .string(group)])
            #expect(entries.last?.names == ["groupId", "invitation", "groupName"])
            #expect(entries.first?.names == ["groupId", "invitation"])
            for entry in entries { #expect(try InvitationReader.read(try #require(entry["invitation"])).isSigned) }
        }
    }

    @Test func whoMayNotInvite() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            try await expectClosedBody(owner, "POST", "/namespaces/\(id)/invite", [:])
            #expect(
                try await owner.post("/namespaces/\(group)/invite").error
                    == "namespace_id must reference a root group (namespace)")
            #expect(try await owner.post("/namespaces/\(Owner.unknown)/invite").status == 404)
            #expect(try await owner.post("/groups/\(group)/invite").status == 200)
            let foreign = try owner.node.createNamespace(founder: try DevAccount().accountId, isRelay: false)
            let refused = try await owner.post("/namespaces/\(foreign)/invite")
            #expect(refused.status == 403)
            #expect(refused.error?.contains("CAN_INVITE_MEMBERS is not set") == true)
            try owner.node.setCapabilities(2, of: owner.account, group: foreign)
            #expect(try await owner.post("/namespaces/\(foreign)/invite").status == 200)
        }
    }

    // MARK: - Joining

    @Test func aNodeJoins() async throws {
        try await withOwners { _, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace(named: "home")
            #expect(try await bob.get("/groups/\(id)").status == 404)
            let answer = try await bob.join(id, try await ada.invitation(to: id))
            #expect(answer.status == 200)
            #expect(
                answer.json == [
                    "data": [
                        "namespaceId": .string(id), "memberIdentity": .string(bob.node.nodeKey),
                        "memberAccount": .string(bob.account),
                    ]
                ])
            for owner in owners {
                #expect(try await owner.roles(in: id) == [ada.account: "Admin", bob.account: "Member"])
            }
            #expect(try await bob.get("/namespaces/\(id)").data?["name"] == "home")
            let devices = try await ada.get("/groups/\(id)/member-devices")
            let keys = (devices.json["members"]?.arrayValue ?? []).compactMap {
                $0["devices"]?.arrayValue?.first?["signingKey"]?.stringValue
            }
            #expect(Set(keys) == [ada.node.nodeKey, bob.node.nodeKey])
            #expect(
                try await ada.get("/groups/\(id)").data?["groupStateHash"]
                    == (try await bob.get("/groups/\(id)").data?["groupStateHash"]))
        }
    }

    @Test func joiningASubgroupTheOldWay() async throws {
        try await withOwners { _, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace()
            let group = try await ada.subgroup(of: id)
            let answer = try await ada.post("/groups/\(group)/invite")
            let invitation = try #require(answer.data?["invitation"])
            let joined = try await bob.post("/groups/join", ["invitation": invitation, "groupName": "mine"])
            #expect(
                joined.json == [
                    "data": [
                        "groupId": .string(group), "memberIdentity": .string(bob.node.nodeKey),
                        "memberAccount": .string(bob.account),
                    ]
                ])
            #expect(try await bob.roles(in: group)[bob.account] == "Member")
            #expect(try await bob.get("/groups/\(id)").status == 403, "the root is another matter")
        }
    }

    @Test func whatAJoinRefuses() async throws {
        try await withOwners { network, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace()
            let invitation = try await ada.invitation(to: id, ["expirationTimestamp": 60])
            try await expectClosedBody(bob, "POST", "/namespaces/\(id)/join", ["invitation": invitation])
            #expect(
                try await bob.post("/namespaces/\(id)/join").error?.contains("missing field `invitation`") == true)
            let elsewhere = try await bob.join(Owner.unknown, invitation)
            #expect(elsewhere.status == 400)
            #expect(elsewhere.error == "invitation group_id does not match namespace_id in path")
            let body = try #require(invitation["invitation"])
            let forged = invitation.replacing("invitation", body.replacing("invited_role", 0))
            let refused = try await bob.join(id, forged)
            #expect(refused.status == 400)
            #expect(refused.error == "invalid invitation signature")
            for name in ["invitation", "inviter_signature"] {
                #expect(try await bob.join(id, invitation.replacing(name, nil)).status == 400)
            }
            network.setKeyDelivery(false)
            let keyless = try await bob.join(id, invitation)
            #expect(keyless.status == 503)
            #expect(keyless.error == "join key delivery timed out")
            network.setKeyDelivery(true)
            bob.node.clock.advance(by: 61)
            let late = try await bob.join(id, invitation)
            #expect(late.status == 409)
            #expect(late.error?.contains("expired") == true)
        }
    }

    @Test func theAdmittersOwnClockCounts() async throws {
        try await withOwners { _, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace()
            let invitation = try await ada.invitation(to: id)
            ada.node.clock.advance(by: 86_401)
            #expect(try await bob.join(id, invitation).status == 409)
        }
    }

    @Test func nobodyAnswersOrNobodyWhoMayAdmit() async throws {
        try await withOwners(3) { network, owners async throws in
            let (ada, bob, cleo) = (owners[0], owners[1], owners[2])
            let id = try await ada.namespace()
            let invitation = try await ada.invitation(to: id)
            network.isolate(ada.node)
            let alone = try await bob.join(id, invitation)
            #expect(alone.status == 504)
            network.heal()
            #expect(try await cleo.join(id, invitation).status == 200)
            network.isolate(ada.node)
            let answered = try await bob.join(id, invitation)
            #expect(answered.status == 503, "cleo is a peer, but no admitter")
            network.heal()
            #expect(try await bob.join(id, invitation).status == 200)
        }
    }

    @Test func withoutANetworkNobodyAnswers() async throws {
        try await withOwner { ada async throws in
            try await withOwner { bob async throws in
                let id = try await ada.namespace()
                let invitation = try await ada.invitation(to: id)
                #expect(try await bob.join(id, invitation).status == 504)
                #expect(try await ada.join(id, invitation).status == 200, "a member is one already")
            }
        }
    }

    @Test func theInviterHasToBeAllowed() async throws {
        try await withOwners(3) { _, owners async throws in
            let (ada, bob, cleo) = (owners[0], owners[1], owners[2])
            let id = try await ada.namespace()
            #expect(try await bob.join(id, try await ada.invitation(to: id)).status == 200)
            let path = "/groups/\(id)/members/\(bob.account)/capabilities"
            #expect(try await ada.put(path, ["capabilities": 2]).status == 200)
            let invitation = try await bob.invitation(to: id)
            #expect(try await ada.put(path, ["capabilities": 0]).status == 200)
            let refused = try await cleo.join(id, invitation)
            #expect(refused.status == 400)
            #expect(refused.error?.contains("CAN_INVITE_MEMBERS is not set") == true)
            #expect(try await ada.put(path, ["capabilities": 2]).status == 200)
            #expect(try await cleo.join(id, invitation).status == 200, "an admin admits whom a member invited")
        }
    }

    @Test func whoWasRemovedIsKeptOut() async throws {
        try await withOwners { _, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace()
            let invitation = try await ada.invitation(to: id)
            #expect(try await bob.join(id, invitation).status == 200)
            #expect(try await bob.join(id, invitation).status == 200, "joining twice is joining once")
            #expect(
                try await ada.post("/groups/\(id)/members/remove", ["members": [.string(bob.account)]]).status == 200)
            for again in [invitation, try await ada.invitation(to: id)] {
                let refused = try await bob.join(id, again)
                #expect(refused.status == 409)
                #expect(refused.error?.contains("re-entry is blocked") == true)
            }
            #expect(try await ada.add(bob.account, to: id).status == 200)
            #expect(try await bob.get("/groups/\(id)").status == 200)
            #expect(try await bob.post("/namespaces/\(id)/leave").status == 200)
            let consumed = try await bob.join(id, invitation)
            #expect(consumed.status == 409)
            #expect(consumed.error == "the invitation has already been consumed")
            #expect(try await bob.join(id, try await ada.invitation(to: id)).status == 200)
        }
    }

    @Test func invitationsForOne() async throws {
        try await withOwners(3, .with { $0.singleUseInvitations = true }) { _, owners in
            let id = try await owners[0].namespace()
            let invitation = try await owners[0].invitation(to: id)
            #expect(try await owners[1].join(id, invitation).status == 200)
            #expect(try await owners[2].join(id, invitation).status == 409)
        }
    }

    @Test func unknownKeysSurviveTheWayToTheAdmitter() async throws {
        try await withOwners { _, owners async throws in
            let id = try await owners[0].namespace()
            let invitation = try await owners[0].invitation(to: id)
            let extended = invitation.replacing("admitter_hints", [["kind": "x", "n": 255]])
                .replacing("admitter_addrs", nil)
            #expect(try await owners[1].join(id, extended).status == 200)
        }
    }
}
