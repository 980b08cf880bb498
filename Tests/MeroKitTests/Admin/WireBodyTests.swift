import Foundation
import Testing

@testable import MeroKit

/// Bodies recorded from real nodes, and those that the node's own types make. They are not part of this package.
@Suite struct WireBodyTests {
    /// A body, nil and a word about it when the recordings are not beside this checkout.
    private func body(_ name: String) -> String? {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../shared/vectors/wire").standardized
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else {
            print("not checked: \(name) of the recorded wire bodies is not beside this checkout")
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func reply(_ name: String, _ work: (AdminApi) async throws -> Void) async throws {
        guard let text = body(name) else { return }
        try await work(scriptedAdmin(answer: text).0)
    }

    @Test func identities() async throws {
        try await reply("rc32-node-identity.json") { admin in
            let identity = try await admin.getNodeIdentity()
            #expect(identity.accountId.hasPrefix("96c8a9") && identity.deviceId?.hasPrefix("2143f6") == true)
            #expect(identity.holdsAccountRoot && !identity.deviceCertified && identity.accountNamespaceId == nil)
        }
        try await reply("core/identity/node_identity.res.json") { admin in
            let identity = try await admin.getNodeIdentity()
            #expect(identity.deviceCertified && identity.accountNamespaceId?.hasPrefix("66") == true)
        }
    }

    @Test func accounts() async throws {
        try await reply("rc32-account-devices.json") { admin in
            let device = try #require(try await admin.listAccountDevices().first)
            #expect(device.isSelf && !device.revoked && device.label == nil && device.namespaces.count == 1)
        }
        try await reply("rc32-alias-list-device.json") { admin in
            let names = try await admin.listDeviceAliases().aliases.map(\.name)
            #expect(names == ["laptop"])
        }
    }

    @Test func refusals() async throws {
        guard let text = body("rc32-install-application-url-refused.json") else { return }
        let (admin, _) = scriptedAdmin(answer: text, status: 400)
        let error = await meroError { _ = try await admin.installFromRegistry(packageName: "p", version: "1") }
        #expect(error?.httpStatus == 400 && error?.refusal?.message?.contains("unknown field `url`") == true)
    }

    @Test func namespacesAndInvitations() async throws {
        try await reply("rc32-namespaces.json") { admin in
            let namespace = try #require(try await admin.listNamespaces().first)
            #expect(namespace.createdAt == 1_788_952_388 && namespace.appVersion == "3.1.1" && namespace.name == nil)
        }
        guard let text = body("rc32-namespace-invitation.json") else { return }
        let (admin, _) = scriptedAdmin(answer: text)
        guard case .single(let answer) = try await admin.createNamespaceInvitation("n") else {
            return #expect(Bool(false), "not a single one")
        }
        let whole = try MeroJSON.decode(JSONValue.self, from: Data(text.utf8))
        #expect(try asJSON(answer.invitation) == whole["data"]?["invitation"])
        #expect(answer.invitation.passthrough.isEmpty && answer.invitation.invitation.passthrough.isEmpty)
        let signed = try SignedInvitation(answer.invitation)
        #expect(signed.isSigned && signed.body.admitters.count == 1)
        #expect(try asJSON(SignedGroupOpenInvitation(signed)) == whole["data"]?["invitation"])
    }

    @Test func groups() async throws {
        try await reply("core/groups/members.res.json") { admin in
            let roles = try await admin.listGroupMembers("g").members.map(\.role)
            #expect(roles == ["Admin", "ReadOnlyTee", "RelayTee"])
        }
        try await reply("core/groups/tee_admission_policy.res.json") { admin in
            let policy = try await admin.getTeeAdmissionPolicy("g")
            #expect(policy.enabled == true && policy.mode == .relay && policy.allowedTcbStatuses == ["UpToDate"])
            #expect(
                policy.signedRelease
                    == SignedReleaseTeePolicy(allowedProfiles: ["locked-read-only"], minReleaseVersion: "2.3.72"))
        }
        try await reply("core/groups/migration_status.res.json") { admin in
            let status = try await admin.getMigrationStatus("n")
            #expect(status.members.map(\.state) == [.migrated, .failed, .unknown])
            #expect(status.members[1].report?.migrationFailed == .applyFailed && status.members[2].report == nil)
            #expect(status.fleetCompletedAt == 1_700_000_200 && status.rollup.membersPendingSignature == 1)
            #expect(status.cohortPinnedAtHlc == "1700000000000000-0" && status.members[0].account != nil)
        }
        try await reply("core/groups/upgrade_status.res.json") { admin in
            let status = try #require(try await admin.getGroupUpgradeStatus("g"))
            #expect(status.total == 3 && status.completed == 1 && status.failed == 0 && status.completedAt == nil)
            #expect(status.status == "pending" && status.initiatedAt == 100)
        }
    }

    @Test func contexts() async throws {
        if let text = body("core/contexts/create_context.req.json") {
            let request = try MeroJSON.decode(CreateContextRequest.self, from: Data(text.utf8))
            #expect(request.groupId == "default-group" && request.initializationParams == [])
            #expect(request.contextSeed == nil && request.identitySecret == nil)
        }
        guard let text = body("core/contexts/create_context.res.json") else { return }
        let (admin, _) = scriptedAdmin(answer: #"{"data":\#(text)}"#)
        let context = try await admin.createContext(CreateContextRequest(applicationId: "a", groupId: "g"))
        #expect(
            context.groupCreated == false && context.groupId == nil
                && context.contextId == String(repeating: "1", count: 32))
    }
}
