import Foundation
import MeroKit
import Testing

// Programs written for the published package, as they stand: nodes, applications, blobs, contexts, aliases, TEE.

@Suite struct AdminNodeTests {
    @Test func node() async {
        let calls: [(AdminApi) async throws -> Void] = [
            { let _: HealthStatus = try await $0.healthCheck() },
            { let _: HealthStatus = try await $0.readinessCheck() },
            { let _: AdminAuthStatus = try await $0.isAuthed() },
            { let _: NodeIdentity = try await $0.getNodeIdentity() },
            { let _: PeersCountResponseData = try await $0.getPeersCount() },
            { let _: JSONValue = try await $0.getNetworkStatus() },
            { let _: JSONValue = try await $0.getUsage() },
            { let _: TeeInfoResponseData = try await $0.getTeeInfo() },
            { let _: TeeAttestResponseData = try await $0.teeAttest(TeeAttestRequest(nonce: "00")) },
            {
                let _: TeeAttestResponseData = try await $0.teeRegistrationAttest(
                    TeeRegistrationAttestRequest(nonce: "00"))
            },
        ]
        #expect(await RefusingClient.count(calls) == calls.count)
    }

    @Test func applications() async {
        let calls: [(AdminApi) async throws -> Void] = [
            {
                let _: InstallApplicationResponseData = try await $0.installApplication(
                    InstallApplicationRequest(package: "p", version: "v"))
            },
            {
                let _: InstallApplicationResponseData = try await $0.installFromRegistry(
                    packageName: "p", version: "v")
            },
            {
                let _: InstallApplicationResponseData = try await $0.installDevApplication(
                    InstallDevApplicationRequest(path: "/p"))
            },
            {
                let _: [String] = try await $0.getRegistryVersions(
                    registryUrl: "https://apps.example", packageName: "p")
            },
            { let _: UninstallApplicationResponseData = try await $0.uninstallApplication("a") },
            { let _: ListApplicationsResponseData = try await $0.listApplications() },
            { let _: GetApplicationResponseData = try await $0.getApplication("a") },
            { let _: [ApplicationVersionEntry] = try await $0.listApplicationVersions("a") },
            { let _: ApplicationAbi = try await $0.getApplicationAbi("a") },
            { let _: ApplicationAbi = try await $0.getApplicationAbi("a", serviceName: "s") },
            { let _: ApplicationAbi = try await $0.getApplicationAbi("a", serviceName: nil) },
            { let _: ListPackagesResponseData = try await $0.listPackages() },
            { let _: ListVersionsResponseData = try await $0.listPackageVersions("p") },
            { let _: GetLatestVersionResponseData = try await $0.getLatestPackageVersion("p") },
        ]
        #expect(await RefusingClient.count(calls) == calls.count)
        let order: Int = compareSemver("1.10.0", "1.9.0")
        #expect(order > 0)
    }

    @Test func contexts() async {
        let calls: [(AdminApi) async throws -> Void] = [
            {
                let _: CreateContextResponseData = try await $0.createContext(
                    CreateContextRequest(applicationId: "a", groupId: "g"))
            },
            { let _: DeleteContextResponseData = try await $0.deleteContext("c") },
            { let _: DeleteContextResponseData = try await $0.deleteContext("c", request: DeleteContextRequest()) },
            { let _: GetContextsResponseData = try await $0.getContexts() },
            { let _: GetContextsResponseData = try await $0.getContexts(offset: 0, limit: 1) },
            { let _: Context = try await $0.getContext("c") },
            { let _: GetContextsResponseData = try await $0.getContextsForApplication("a") },
            {
                let _: ContextsWithExecutorsResponseData = try await $0.getContextsWithExecutorsForApplication("a")
            },
            { let _: GetContextIdentitiesResponseData = try await $0.getContextIdentities("c") },
            { let _: GetContextIdentitiesResponseData = try await $0.getContextIdentitiesOwned("c") },
            { let _: GenerateContextIdentityResponseData = try await $0.generateContextIdentity() },
            { let _: JoinContextResponseData = try await $0.joinContext("c") },
            { try await $0.leaveContext("c") },
            { try await $0.leaveContext("c", request: ["a": 1]) },
            { let _: ContextGroupResponseData = try await $0.getContextGroup("c") },
            { let _: String? = try await $0.getContextGroup("c") },
            { let _: ContextStorageResponseData = try await $0.getContextStorage("c") },
            { try await $0.syncContext() },
            { try await $0.syncContext("c") },
            { try await $0.syncContext(nil) },
            { let _: ResyncContextResponseData = try await $0.resyncContext("c") },
            {
                let _: ResyncContextResponseData = try await $0.resyncContext(
                    "c", request: ResyncContextRequest(force: true))
            },
            {
                try await $0.updateContextApplication(
                    "c", request: UpdateContextApplicationRequest(applicationId: "a", executorPublicKey: "k"))
            },
        ]
        #expect(await RefusingClient.count(calls) == calls.count)
    }

    @Test func blobsAndAliases() async {
        let file = URL(fileURLWithPath: #filePath)
        let calls: [(AdminApi) async throws -> Void] = [
            { let _: UploadBlobResponseData = try await $0.uploadBlob(UploadBlobRequest(data: Data())) },
            { let _: UploadBlobResponseData = try await $0.uploadBlob(file: file) },
            { let _: ListBlobsResponseData = try await $0.listBlobs() },
            { let _: Data = try await $0.getBlob("b") },
            { let _: Data = try await $0.getBlob("b", contextId: "c") },
            { let _: GetBlobInfoResponseData = try await $0.getBlobInfo("b") },
            { let _: GetBlobInfoResponseData = try await $0.getBlobInfo("b", contextId: "c") },
            { let _: DeleteBlobResponseData = try await $0.deleteBlob("b") },
            {
                let _: CreateAliasResponseData = try await $0.createContextAlias(
                    CreateContextAliasRequest(alias: "n", contextId: "c"))
            },
            {
                let _: CreateAliasResponseData = try await $0.createApplicationAlias(
                    CreateApplicationAliasRequest(alias: "n", applicationId: "a"))
            },
            {
                let _: CreateAliasResponseData = try await $0.createDeviceAlias(
                    CreateDeviceAliasRequest(alias: "n", deviceId: "d"))
            },
            { let _: LookupAliasResponseData = try await $0.lookupContextAlias("n") },
            { let _: LookupAliasResponseData = try await $0.lookupApplicationAlias("n") },
            { let _: LookupAliasResponseData = try await $0.lookupDeviceAlias("n") },
            { let _: DeleteAliasResponseData = try await $0.deleteContextAlias("n") },
            { let _: DeleteAliasResponseData = try await $0.deleteApplicationAlias("n") },
            { let _: DeleteAliasResponseData = try await $0.deleteDeviceAlias("n") },
            { let _: ListAliasesResponseData = try await $0.listContextAliases() },
            { let _: ListAliasesResponseData = try await $0.listApplicationAliases() },
            { let _: ListAliasesResponseData = try await $0.listDeviceAliases() },
        ]
        #expect(await RefusingClient.count(calls) == calls.count)
    }

    @Test func nodeAndApplicationTypes() {
        #expect(HealthStatus(status: "alive").status == "alive")
        #expect(AdminAuthStatus(data: AdminAuthStatus.StatusInner(status: "alive")).data.status == "alive")
        let identity = NodeIdentity(accountId: "a", publicKey: "k", accountRootPublicKey: "r")
        #expect(identity.deviceId == nil && !identity.holdsAccountRoot && identity.revokedFrom == nil)
        let whole = NodeIdentity(
            accountId: "a", deviceId: "d", publicKey: "k", accountRootPublicKey: "r", deviceAgreementKey: "e",
            holdsAccountRoot: true, accountNamespaceId: "n", revokedFrom: RevokedFrom(accountId: "a", deviceId: "d"))
        #expect(whole.revokedFrom == RevokedFrom(accountId: "a", deviceId: "d") && whole.accountNamespaceId == "n")
        #expect(PeersCountResponseData(count: 3).count == 3)
        var install = InstallApplicationRequest(package: "p", version: "v")
        install.version = "w"
        #expect(install.package + install.version == "pw")
        #expect(InstallApplicationResponseData(applicationId: "a").applicationId == "a")
        #expect(UninstallApplicationResponseData(applicationId: "a").applicationId == "a")
        let application = Application(
            id: "a", blob: ApplicationBlob(bytecode: "b", compiled: "c"), size: 1, source: "s", metadata: [0],
            signerId: "did", package: "p", version: "v")
        #expect(ListApplicationsResponseData(apps: [application]).apps.first?.signerId == "did")
        #expect(GetApplicationResponseData(application: application).application?.blob.bytecode == "b")
        let version = ApplicationVersionEntry(version: "v", blobId: "b", size: 1, package: "p")
        #expect(ListApplicationVersionsResponseData(data: [version]).data.first?.blobId == "b")
        #expect(GetLatestVersionResponseData(applicationId: nil, version: nil).version == nil)
        #expect(ListPackagesResponseData(packages: []).packages + ListVersionsResponseData(versions: []).versions == [])
        let manifest = RegistryBundleManifest(
            package: "p", appVersion: "v", migration: BundleMigration(method: "m", toSchemaVersion: 2))
        #expect(
            manifest.migration?.toVersion == nil
                && RegistryBundleManifest(package: "p", appVersion: "v").migration == nil)
        let abi: ApplicationAbi = .object([:])
        #expect(abi == JSONValue.object([:]))
    }

    @Test func contextTypes() {
        let request = CreateContextRequest(
            applicationId: "a", groupId: "g", serviceName: "s", contextSeed: "c", initializationParams: [1],
            identitySecret: "i", name: "n")
        #expect(request.name == "n" && CreateContextRequest(applicationId: "a", groupId: "g").name == nil)
        let created = CreateContextResponseData(
            contextId: "c", memberPublicKey: "k", groupId: "g", groupCreated: true)
        #expect(created.groupCreated == true)
        #expect(CreateContextResponseData(contextId: "c", memberPublicKey: "k").groupId == nil)
        let context = Context(
            id: "c", applicationId: "a", serviceName: "s", contextStateHash: "h", dagHeads: [[1]],
            applicationVersion: "v")
        #expect(context.dagHeads == [[1]])
        let listed = ContextWithGroup(
            id: "c", applicationId: "a", serviceName: nil, contextStateHash: "h", dagHeads: [], applicationVersion: nil,
            groupId: "g")
        #expect(GetContextsResponseData(contexts: [listed]).contexts.first?.groupId == "g")
        let executors: ContextsWithExecutorsResponseData = [ContextWithExecutors(contextId: "c", executors: ["k"])]
        #expect(executors.first?.executors == ["k"])
        let identities = GetContextIdentitiesResponseData(identities: ["k"], identitiesOf: .caller)
        #expect(identities.identitiesOf == IdentitiesOf(rawValue: "caller"))
        #expect(GetContextIdentitiesResponseData(identities: []).identitiesOf == nil)
        #expect([IdentitiesOf.members, .node, .caller].map(\.rawValue) == ["members", "node", "caller"])
        #expect(GenerateContextIdentityResponseData(publicKey: "k").publicKey == "k")
        #expect(JoinContextResponseData(contextId: "c", memberPublicKey: "k").contextId == "c")
        #expect(ContextStorageResponseData(sizeInBytes: 1).sizeInBytes == 1)
        #expect(ResyncContextRequest().force == nil)
        #expect(ResyncContextResponseData(contextId: "c", resyncStarted: true).resyncStarted)
        #expect(DeleteContextResponseData(isDeleted: true).isDeleted)
        let group: ListGroupContextsResponseData = [GroupContextEntry(contextId: "c", name: "n")]
        #expect(group.first?.name == "n" && GroupContextEntry(contextId: "c").name == nil)
    }

    @Test func blobAliasAndTeeTypes() {
        let upload = UploadBlobRequest(data: Data([1]), hash: "h", contextId: "c")
        #expect(upload.contextId == "c" && UploadBlobRequest(data: Data()).hash == nil)
        let blob: UploadBlobResponseData = BlobInfo(blobId: "b", size: 1)
        let same: GetBlobResponseData = blob
        #expect(ListBlobsResponseData(blobs: [same]).blobs.first?.size == 1)
        #expect(DeleteBlobResponseData(blobId: "b", deleted: true).deleted)
        let info = GetBlobInfoResponseData(blobId: "b", size: nil)
        #expect(info.hash == nil && info.mimeType == nil && info.source == nil)
        #expect(
            GetBlobInfoResponseData(blobId: "b", size: 1, hash: "h", mimeType: "m", source: .peer).source
                == BlobSource(rawValue: "peer"))
        let aliases = ListAliasesResponseData(aliases: [AliasEntry(name: "n", value: "v")])
        #expect(aliases.entries == ListAliasesResponseData(entries: ["n": "v"]).entries)
        #expect(aliases.aliases.first?.value == "v" && LookupAliasResponseData().value == nil)
        let created: CreateAliasResponseData = Empty()
        let deleted: DeleteAliasResponseData = created
        _ = deleted
        let attest = TeeAttestRequest(
            nonce: "n", applicationId: "a", bindNodeKey: true, bindTransportKey: true, includeCollateral: true)
        #expect(attest.includeCollateral && !TeeAttestRequest(nonce: "n").bindNodeKey)
        #expect(TeeInfoResponseData(cloudProvider: "c", osImage: "o", mrtd: "m").mrtd == "m")
        let quote = Quote(
            header: QuoteHeader(version: 4, attestationKeyType: 2, teeType: 129, qeVendorId: "q", userData: "u"),
            body: QuoteBody(
                tdxVersion: "1", teeTcbSvn: "t", mrseam: "m", mrsignerseam: "s", seamattributes: "a", tdattributes: "d",
                xfam: "x", mrtd: "r", mrconfigid: "c", mrowner: "o", mrownerconfig: "w", rtmr0: "0", rtmr1: "1",
                rtmr2: "2", rtmr3: "3", reportdata: "p"),
            signature: "s", attestationKey: "k")
        #expect(quote.body.teeTcbSvn2 == nil && quote.certificationData == nil)
        let answer = TeeAttestResponseData(quoteB64: "b", quote: quote)
        #expect(answer.boundPublicKey == nil && answer.transportPublicKey == nil && answer.collateral == nil)
    }
}
