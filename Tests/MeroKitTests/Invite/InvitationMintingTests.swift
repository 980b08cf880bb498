import Foundation
import Testing

@testable import MeroKit

/// Invitations that somebody can honour. Spec: 70, section 10.1.
@Suite("Minting invitations") struct InvitationMintingTests {
    private static let namespace = String(repeating: "ab", count: 32)
    private static let admin = String(repeating: "ad", count: 32)
    private static let relay = String(repeating: "4e", count: 32)

    private static func mint(
        _ routing: String, status: Int = 200, members: [GroupMember]
    ) async throws -> (invitation: SignedGroupOpenInvitation, signatures: Int) {
        let engine = ScriptedEngine { _, _ in .status(status, [:], routing) }
        let cloud = CloudClient(
            baseURL: try #require(URL(string: "https://cloud.example")), routingCredential: nil, engine: engine)
        let keys = DeviceKeys.generate()
        let signatures = Locked(0)
        let signer = ClosureSigner(signPublicKey: keys.signPublicKey) { message in
            signatures.withLock { $0 += 1 }
            return try keys.sign(message)
        }
        do {
            let invitation = try await GroupInvitations.mint(
                namespaceId: namespace, inviterAccount: admin, signer: signer, members: members, cloud: cloud)
            return (invitation, signatures.withLock { $0 })
        } catch {
            // Refused without a signature.
            #expect(signatures.withLock { $0 } == 0)
            throw error
        }
    }

    private static let members = [
        GroupMember(identity: admin, role: "Admin"), GroupMember(identity: relay.uppercased(), role: "RelayTee"),
        GroupMember(identity: namespace, role: "ReadOnlyTee"),
    ]

    @Test func relaysAreNamedElseAdmins() async throws {
        let served = #"{"admitters":[{"peer_id":"p","account":"\#(Self.relay.uppercased())"}]}"#
        #expect(try await Self.mint(served, members: Self.members).invitation.invitation.admitters == [Self.relay])
        let byAdmin = #"{"admitters":[{"peer_id":"p"},{"peer_id":"q","account":" \#(Self.admin)"}]}"#
        let (invitation, count) = try await Self.mint(byAdmin, members: [Self.members[0]])
        #expect(invitation.invitation.admitters == [Self.admin] && count == 1)
        #expect(try SignedInvitation(invitation).isSigned)
    }

    @Test func whatNobodyCouldHonourIsNotSigned() async throws {
        for (routing, reason) in [
            (#"{"admitters":[]}"#, "not-hosted"),
            (#"{"admitters":[{"peer_id":"p","account":"\#(Self.admin)"}]}"#, "no-named-node"),
            (#"{"admitters":[{"peer_id":"p"}]}"#, "no-named-node"),
        ] {
            #expect(
                await failure(of: { try await Self.mint(routing, members: Self.members) }) as? AccountError
                    == .invitationNotClaimable(namespaceId: Self.namespace, reason: reason))
        }
        // One that anybody could honour is not made, either.
        guard
            case AccountError.invalidInput? = await failure(of: {
                try await Self.mint("", status: 503, members: [Self.members[2]])
            })
        else { return #expect(Bool(false), "made for anybody") }
    }

    @Test(arguments: [(503, ""), (404, ""), (200, "<html>"), (200, "{}")])
    func aCloudThatDoesNotAnswerHindersNothing(status: Int, body: String) async throws {
        let (invitation, count) = try await Self.mint(body, status: status, members: Self.members)
        #expect(count == 1 && invitation.invitation.admitters == [Self.relay])
    }
}
