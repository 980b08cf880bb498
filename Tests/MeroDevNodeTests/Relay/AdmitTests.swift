import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct AdmitTests {
    private struct Joining {
        let invitation: JsonTree
        let op: MemberJoinOp
        let signedOp: String
    }

    private func joining(
        _ relay: RelayFixture, _ invitation: String, as bearer: DevAccount, nonce: UInt64 = 1,
        joinedAt: UInt64? = nil, member: String? = nil
    ) throws -> Joining {
        let tree = try JsonParser.parse(Data(invitation.utf8))
        let signed = try InvitationReader.read(tree)
        let op = try MemberJoinOp(
            namespaceId: signed.body.groupId, signer: try bearer.keys.signPublicKeyBytes, nonce: nonce,
            member: try Hex.id(member ?? bearer.accountId, "member"), invitation: signed,
            joinedAt: joinedAt ?? relay.now, credential: try Hex.decodeUnsized(bearer.credential, label: "credential"))
        let signature = try bearer.keys.sign(op.message)
        return Joining(invitation: tree, op: op, signedOp: Hex.encode(op.bytes(signature: signature)))
    }

    private func admit(
        _ relay: RelayFixture, _ joining: Joining, namespace: String? = nil, op: String? = nil,
        invitation: JsonTree? = nil
    ) async throws -> Answer {
        try await relay.fixture.post(
            "/admin-api/namespaces/\(namespace ?? relay.namespace)/admit",
            ["invitation": invitation ?? joining.invitation, "signedOp": .string(op ?? joining.signedOp)])
    }

    @Test func whoIsInvitedJoinsAndWrites() async throws {
        try await withRelay { relay async throws in
            let bob = try DevAccount()
            let tap = try await relay.fixture.listen(
                groups: [relay.namespace], token: relay.node.mintTokens().accessToken)
            let invitation = try relay.node.createInvitation(namespace: relay.namespace, role: .member)
            let answer = try await admit(relay, try joining(relay, invitation, as: bob))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json == ["data": ["published": true]])
            #expect(relay.node.members(group: relay.namespace)?[bob.accountId] == .member)
            #expect(await tap.has(frames: 2))
            #expect(tap.types == ["MemberJoined"])
            #expect(tap.events.first?.result["data"]?["memberAccount"] == .string(bob.accountId))
            #expect(try await relay.write(as: bob).status == 200)
            let again = try await admit(relay, try joining(relay, invitation, as: bob, nonce: 2))
            #expect(again.status == 200)
            let replayed = try await admit(relay, try joining(relay, invitation, as: bob))
            #expect(replayed.status == 400)
            #expect(replayed.error == "signed_op was refused on apply: the op has been applied already")
        }
    }

    @Test func invitationsOfEveryRoleAndWithoutEnd() async throws {
        try await withRelay { relay async throws in
            for role in [DevRole.admin, .readOnly] {
                let bob = try DevAccount()
                let invitation = try relay.node.createInvitation(
                    namespace: relay.namespace, role: role, validFor: nil)
                let joining = try joining(relay, invitation, as: bob)
                #expect(joining.op.joinedAt == nil)
                #expect(try await admit(relay, joining).status == 200)
                #expect(relay.node.members(group: relay.namespace)?[bob.accountId] == role)
            }
        }
    }

    @Test func aMemberInvites() async throws {
        try await withRelay(capabilities: 6) { relay async throws in
            let bob = try DevAccount()
            func invitation(by inviter: DevAccount) throws -> String {
                let body = try InvitationBody(
                    inviterIdentity: inviter.keys.signPublicKeyBytes, groupId: Hex.id(relay.namespace, "ns"),
                    expirationTimestamp: relay.now + 60, nonce: randomBytes(32), invitedRole: 1,
                    admitters: [Hex.id(relay.node.accountId, "admitter")])
                func numbers(_ data: Data) -> JsonTree { .array(data.map { JsonTree($0) }) }
                let tree: JsonTree = [
                    "invitation": [
                        "inviter_identity": numbers(body.inviterIdentity), "group_id": numbers(body.groupId),
                        "expiration_timestamp": JsonTree(body.expirationTimestamp), "secret_salt": numbers(body.nonce),
                        "invited_role": 1, "admitters": [.string(relay.node.accountId)],
                    ], "inviter_signature": .string(Hex.encode(try inviter.keys.sign(body.hash))),
                ]
                return tree.text
            }
            let unknown = try await admit(relay, try joining(relay, invitation(by: relay.ada), as: bob))
            #expect(unknown.status == 403)
            #expect(unknown.error == "invitation rejected: the inviter's key is bound to no account here")
            try relay.node.enrol(credential: relay.ada.credential)
            #expect(try await admit(relay, try joining(relay, invitation(by: relay.ada), as: bob)).status == 200)
            let eve = try DevAccount()
            try relay.node.enrol(credential: eve.credential)
            let stranger = try await admit(relay, try joining(relay, invitation(by: eve), as: try DevAccount()))
            #expect(stranger.status == 403)
            #expect(throws: DevNodeError.self) { try relay.node.enrol(credential: flipped(eve.credential, at: 100)) }
        }
    }

    @Test func whatDoesNotFitIsRefused() async throws {
        try await withRelay { relay async throws in
            let bob = try DevAccount()
            let text = try relay.node.createInvitation(namespace: relay.namespace)
            let good = try joining(relay, text, as: bob)
            let elsewhere = try relay.node.createNamespace()
            func expect(_ answer: Answer, _ status: Int, _ text: String) {
                #expect(answer.status == status)
                #expect(answer.error?.hasPrefix(text) == true, "\(answer.text)")
            }
            expect(
                try await admit(relay, good, namespace: elsewhere), 400,
                "invitation group_id does not match namespace_id in path")
            expect(try await admit(relay, good, op: "zz"), 400, "signed_op is not hex: ")
            expect(try await admit(relay, good, op: "00"), 400, "signed_op is not a SignedNamespaceOp: ")
            let body = good.invitation["invitation"] ?? .null
            let edits: [(String, JsonTree)] = [
                ("invited_role", 0), ("admitters", []), ("expiration_timestamp", JsonTree(relay.now + 9)),
            ]
            for (name, value) in edits {
                let edited = good.invitation.replacing("invitation", body.replacing(name, value))
                expect(
                    try await admit(relay, good, invitation: edited), 400,
                    "the invitation is not the one that signed_op carries")
            }
            #expect(
                try await admit(relay, good, invitation: good.invitation.replacing("inviter_signature", nil)).status
                    == 422)
            let foreign = try relay.node.createInvitation(
                namespace: relay.namespace, admitters: [relay.ada.accountId])
            expect(
                try await admit(relay, try joining(relay, foreign, as: bob)), 403,
                "this node's account is not among the invitation's admitters")
            expect(
                try await admit(relay, try joining(relay, text, as: bob, member: relay.ada.accountId)), 400,
                "signed_op was refused on apply: ")
            relay.node.clock.advance(by: 86_401)
            expect(
                try await admit(relay, try joining(relay, text, as: bob)), 403,
                "invitation rejected: the invitation has expired")
            #expect(relay.node.members(group: relay.namespace)?[bob.accountId] == nil)
        }
    }

    @Test func everyByteCounts() async throws {
        try await withRelay { relay async throws in
            let bob = try DevAccount()
            let joining = try joining(
                relay, try relay.node.createInvitation(namespace: relay.namespace), as: bob)
            for index in 0..<(joining.signedOp.count / 2) {
                let answer = try await admit(relay, joining, op: flipped(joining.signedOp, at: index))
                #expect(answer.status == 400, "byte \(index): \(answer.text)")
            }
            #expect(relay.node.members(group: relay.namespace)?.count == 2)
            #expect(try await admit(relay, joining).status == 200)
        }
    }

    @Test func withoutDelegatedAccessOnlyTheOwnerAdmits() async throws {
        try await withRelay(.relay { $0.delegatedAccess = false }) { relay async throws in
            let joining = try joining(
                relay, try relay.node.createInvitation(namespace: relay.namespace), as: try DevAccount())
            #expect(try await admit(relay, joining).status == 401)
        }
    }
}
