import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// What has no account form is refused by name, here. Spec: 30, section 12.4; 60, section 10.4.
@Suite("Delegated refusals") struct DelegatedRefusalTests {
    typealias Call = (name: String, run: @Sendable (DelegatedAdmin) async throws -> Void)

    private static let id = String(repeating: "ab", count: 32)

    static let calls: [Call] = upgradesAndSoftware + aliases + others

    private static let upgradesAndSoftware: [Call] = [
        ("upgradeGroup", { _ = try await $0.upgradeGroup(id, request: .init(targetApplicationId: id)) }),
        ("retryGroupUpgrade", { _ = try await $0.retryGroupUpgrade(id) }),
        ("abortMigration", { _ = try await $0.abortMigration(id) }),
        ("installApplication", { _ = try await $0.installApplication(.init(package: "p", version: "1")) }),
        ("installFromRegistry", { _ = try await $0.installFromRegistry(packageName: "p", version: "1") }),
        ("installDevApplication", { _ = try await $0.installDevApplication(.init(path: "/a.mpk")) }),
        ("uninstallApplication", { _ = try await $0.uninstallApplication(id) }),
    ]

    private static let aliases: [Call] = [
        ("createContextAlias", { _ = try await $0.createContextAlias(.init(alias: "a", contextId: id)) }),
        ("createApplicationAlias", { _ = try await $0.createApplicationAlias(.init(alias: "a", applicationId: id)) }),
        ("createDeviceAlias", { _ = try await $0.createDeviceAlias(.init(alias: "a", deviceId: id)) }),
        ("lookupContextAlias", { _ = try await $0.lookupContextAlias("a") }),
        ("lookupApplicationAlias", { _ = try await $0.lookupApplicationAlias("a") }),
        ("lookupDeviceAlias", { _ = try await $0.lookupDeviceAlias("a") }),
        ("deleteContextAlias", { _ = try await $0.deleteContextAlias("a") }),
        ("deleteApplicationAlias", { _ = try await $0.deleteApplicationAlias("a") }),
        ("deleteDeviceAlias", { _ = try await $0.deleteDeviceAlias("a") }),
        ("listContextAliases", { _ = try await $0.listContextAliases() }),
        ("listApplicationAliases", { _ = try await $0.listApplicationAliases() }),
        ("listDeviceAliases", { _ = try await $0.listDeviceAliases() }),
    ]

    private static let others: [Call] = [
        ("generateContextIdentity", { _ = try await $0.generateContextIdentity() }),
        ("deleteContext", { _ = try await $0.deleteContext(id) }),
        ("leaveContext", { try await $0.leaveContext(id) }),
        ("deleteNamespace", { _ = try await $0.deleteNamespace(id) }),
        ("deleteBlob", { _ = try await $0.deleteBlob(id) }),
        ("createGroupInvitation", { _ = try await $0.createGroupInvitation(id) }),
        ("joinGroup", { _ = try await $0.joinGroup(.init(invitation: AdminCall.sampleInvitation())) }),
        (
            "setTeeAdmissionPolicy",
            {
                try await $0.setTeeAdmissionPolicy(
                    id, request: .signedRelease(.init(allowedProfiles: ["p"]), allowedTcbStatuses: []))
            }
        ),
        ("getTeeAdmissionPolicy", { _ = try await $0.getTeeAdmissionPolicy(id) }),
        ("listAccountDevices", { _ = try await $0.listAccountDevices() }),
        ("revokeDevice", { _ = try await $0.revokeDevice(id, request: .init(deviceId: id)) }),
    ]

    /// Spec 30, section 12.4, counted by hand; and what is the same call under another name.
    @Test func allOfTheListAreThere() {
        let listed = """
            upgradeGroup retryGroupUpgrade abortMigration installApplication installDevApplication uninstallApplication
            generateContextIdentity deleteContext leaveContext createContextAlias createApplicationAlias
            createDeviceAlias lookupContextAlias lookupApplicationAlias lookupDeviceAlias deleteContextAlias
            deleteApplicationAlias deleteDeviceAlias listContextAliases listApplicationAliases listDeviceAliases
            deleteNamespace createGroupInvitation joinGroup setTeeAdmissionPolicy getTeeAdmissionPolicy deleteBlob
            listAccountDevices revokeDevice installFromRegistry
            """
        #expect(Set(Self.calls.map(\.name)) == Set(listed.split { $0.isWhitespace }.map(String.init)))
    }

    /// With a relay and without one.
    @Test func eachNamesItselfAndSendsNothing() async throws {
        let fixture = try await RelayNodeFixture.start()
        for relayURL in [fixture.node.url.absoluteString, nil] {
            let account = try DelegatedAccount(
                session: DelegatedSession(
                    credential: DelegatedCredential(
                        account: fixture.ada.accountId, credential: fixture.ada.credential,
                        deviceKey: fixture.ada.keys.signPublicKey),
                    relayURL: relayURL),
                keys: fixture.ada.keys, nonces: fixture.nonces)
            for (name, run) in Self.calls {
                let error = await failure(of: { try await run(account.admin) })
                guard case MeroTransportError.relayHasNo(name, let why)? = error else {
                    Issue.record("\(name): \(String(describing: error))")
                    continue
                }
                #expect(!why.isEmpty && error?.localizedDescription.contains(name) == true)
            }
        }
        #expect(fixture.node.requests.isEmpty && fixture.node.acceptedConnections == 0)
        await fixture.stop()
    }
}
