import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

extension LiveStory {
    static func node(_ world: LiveWorld) async throws {
        let (ada, admin) = (world.ada, world.ada.admin)
        #expect(try await admin.healthCheck().status == "alive")
        #expect(try await admin.readinessCheck().status == "ready")
        #expect(try await admin.isAuthed().data.status == "alive")
        let identity = try await admin.getNodeIdentity()
        #expect(identity.accountId == ada.account && identity.deviceId == ada.node.deviceId)
        #expect(identity.publicKey == ada.node.nodeKey && identity.holdsAccountRoot && identity.deviceCertified)
        #expect(identity.revokedFrom == nil && identity.accountNamespaceId.map(Hex.is32) == true)
        #expect(try await admin.getPeersCount().count == 1)
        world.network.isolate(world.bob.node)
        #expect(try await admin.getPeersCount().count == 0)
        world.network.heal()
        let network = try await admin.getNetworkStatus()
        #expect(network["localPeerId"]?.stringValue?.hasPrefix("12D3KooW") == true)
        #expect(network["autonat"]?["reachability"]?.stringValue == "unknown")
        let namespace = try await world.namespace()
        let usage = try await admin.getUsage()
        #expect(usage["namespaces"]?.arrayValue?.first?["namespaceId"]?.stringValue == namespace)
        #expect(usage["namespaces"]?.arrayValue?.first?["bytes"]?["total"]?.doubleValue ?? 0 > 0)
        ada.node.setStorageAvailable(false)
        await refused(503, "store_unavailable") { _ = try await admin.healthCheck() }
        await refused(503, "store_unavailable") { _ = try await admin.readinessCheck() }
        ada.node.setStorageAvailable(true)
        ada.node.setReadiness(.starting)
        await refused(503, "starting") { _ = try await admin.readinessCheck() }
        #expect(try await admin.healthCheck().status == "alive")
        ada.node.setReadiness(.ready)
    }

    static func attestation(_ world: LiveWorld) async throws {
        let (ada, admin) = (world.ada, world.ada.admin)
        let nonce = String(repeating: "ab", count: 32)
        let info = try await admin.getTeeInfo()
        #expect(info.cloudProvider == "gcp" && info.osImage == "image-1" && info.mrtd.count == 96)
        let plain = try await admin.teeAttest(TeeAttestRequest(nonce: nonce))
        #expect(plain.quote.body.reportdata == nonce + String(repeating: "0", count: 64))
        #expect(plain.boundPublicKey == nil && plain.transportPublicKey == nil && plain.collateral == nil)
        let bound = try await admin.teeAttest(
            TeeAttestRequest(nonce: nonce, bindNodeKey: true, includeCollateral: true))
        #expect(bound.boundPublicKey == ada.node.nodeKey && bound.collateral == nil)
        let registration = try await admin.teeRegistrationAttest(TeeRegistrationAttestRequest(nonce: nonce))
        let reported = registration.quote.body.reportdata
        #expect(reported.hasPrefix(nonce) && reported != plain.quote.body.reportdata)
        #expect(registration.quoteB64 != plain.quoteB64)
        await refused(400, "'nonce'") { _ = try await admin.teeAttest(TeeAttestRequest(nonce: "00")) }
        await refused(400, "'nonce'") {
            _ = try await admin.teeRegistrationAttest(TeeRegistrationAttestRequest(nonce: "zz"))
        }
        await refused(404, "not found") {
            _ = try await admin.teeAttest(TeeAttestRequest(nonce: nonce, applicationId: LiveWorld.unknown))
        }
        ada.node.setAttestation(.unsupported)
        await refused(501, "TDX") { _ = try await admin.teeAttest(TeeAttestRequest(nonce: nonce)) }
        await refused(501, "TDX") {
            _ = try await admin.teeRegistrationAttest(TeeRegistrationAttestRequest(nonce: nonce))
        }
        await refused(500, "Failed to get TEE info") { _ = try await admin.getTeeInfo() }
        ada.node.setAttestation(.failing)
        await refused(500) { _ = try await admin.teeAttest(TeeAttestRequest(nonce: nonce)) }
        ada.node.setAttestation(.mock)
        #expect(try await admin.teeAttest(TeeAttestRequest(nonce: nonce)).quoteB64 == plain.quoteB64)
    }

    static func applications(_ world: LiveWorld) async throws {
        let (ada, admin) = (world.ada, world.ada.admin)
        let bundle = try DevBundle(package: "com.example.notes", version: "1.2.0", contract: KeyValueContract())
        let file = world.folder.file("notes.mpk")
        try bundle.data.write(to: file)
        let id = try await admin.installDevApplication(InstallDevApplicationRequest(path: file.path)).applicationId
        #expect(id == bundle.applicationId)
        let listed = try #require(try await admin.listApplications().apps.first { $0.id == id })
        #expect(listed.package == "com.example.notes" && listed.version == "1.2.0" && listed.size > 0)
        #expect(listed.signerId.hasPrefix("did:key:z") && Hex.is32(listed.blob.bytecode))
        #expect(try await admin.getApplication(id).application?.source == "file://\(file.path)")
        ada.node.applications.publish(KeyValueContract(), package: "com.example.notes", version: "1.10.0")
        #expect(
            try await admin.installFromRegistry(packageName: "com.example.notes", version: "1.10.0").applicationId
                == id)
        let versions = try await admin.listApplicationVersions(id)
        #expect(Set(versions.map(\.version)) == ["1.2.0", "1.10.0"] && versions.allSatisfy { Hex.is32($0.blobId) })
        #expect(try await admin.listPackages().packages.contains("com.example.notes"))
        #expect(try await admin.listPackageVersions("com.example.notes").versions == ["1.10.0", "1.2.0"])
        let latest = try await admin.getLatestPackageVersion("com.example.notes")
        #expect(latest.applicationId == id && latest.version == "1.10.0")
        let methods = try await admin.getApplicationAbi(id)["methods"]?.arrayValue ?? []
        let names = methods.compactMap { $0["name"]?.stringValue }
        #expect(names.contains("get") && names.contains("set"))
        let several = try DevBundle(
            package: "com.example.several", version: "1.0.0",
            services: ["chat": KeyValueContract(), "probe": ProbeContract()])
        let many = try ada.node.applications.install(several.data)
        let probe = try await admin.getApplicationAbi(many, serviceName: "probe")["methods"]?.arrayValue ?? []
        #expect(probe.contains { $0["name"]?.stringValue == "echo" })

        await refused(400, "several services") { _ = try await admin.getApplicationAbi(many) }
        await refused(400, "no such service") { _ = try await admin.getApplicationAbi(many, serviceName: "x/y") }
        await refused(404) { _ = try await admin.getApplicationAbi(LiveWorld.unknown) }
        await refused(404, "Application not found") { _ = try await admin.getApplication(LiveWorld.unknown) }
        await refused(400) { _ = try await admin.getApplication("x") }
        await refused(404) { _ = try await admin.listApplicationVersions(LiveWorld.unknown) }
        await refused(400) { _ = try await admin.listApplicationVersions("x") }
        await refused(400, "'package' is required") {
            _ = try await admin.installApplication(InstallApplicationRequest(package: "", version: "1.0.0"))
        }
        await refused(502, "registry") {
            _ = try await admin.installApplication(InstallApplicationRequest(package: "none", version: "1.0.0"))
        }
        func install(_ path: String) async throws {
            _ = try await admin.installDevApplication(InstallDevApplicationRequest(path: path))
        }
        await refused(400, "..") { try await install(world.folder.url.path + "/../x") }
        await refused(403) { try await install("/etc/hostname") }
        let bare = world.folder.file("app.wasm")
        try Data("\0asm".utf8).write(to: bare)
        await refused(500, "not a signed application bundle") { try await install(bare.path) }
        await refused(400) { _ = try await admin.uninstallApplication("x") }
        #expect(try await admin.uninstallApplication(id).applicationId == id)
        await refused(500, "not installed") { _ = try await admin.uninstallApplication(id) }
        #expect(try await admin.getLatestPackageVersion("com.example.notes").version == nil)
    }

    static func blobs(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let namespace = try await world.shared()
        let context = try await world.context(in: namespace)
        let content = Data("hello blob\n".utf8)
        let digest = BlobDigest(of: content)
        let stored = try await ada.admin.uploadBlob(
            UploadBlobRequest(data: content, hash: digest.contentHash, contextId: context))
        #expect(stored.blobId == digest.blobId && stored.size == 11)
        #expect(try await ada.admin.listBlobs().blobs.contains { $0.blobId == stored.blobId && $0.size == 11 })
        #expect(try await ada.admin.getBlob(stored.blobId) == content)
        let info = try await ada.admin.getBlobInfo(stored.blobId)
        #expect(info.size == 11 && info.hash == digest.contentHash && info.source == .local)
        // Between nodes: seen only through the context, transferred only by a GET.
        await refused(404) { _ = try await bob.admin.getBlobInfo(stored.blobId) }
        await refused(404) { _ = try await bob.admin.getBlob(stored.blobId) }
        let far = try await bob.admin.getBlobInfo(stored.blobId, contextId: context)
        #expect(far.source == .peer && far.size == 11 && far.hash == nil)
        await refused(404) { _ = try await bob.admin.getBlobInfo(stored.blobId) }
        #expect(try await bob.admin.getBlob(stored.blobId, contextId: context) == content)
        #expect(try await bob.admin.getBlobInfo(stored.blobId).source == .local)

        try await largeBlob(world)
        await refused(500, "hash mismatch") {
            _ = try await ada.admin.uploadBlob(UploadBlobRequest(data: content, hash: LiveWorld.unknown))
        }
        await refused(400, "hash") { _ = try await ada.admin.uploadBlob(UploadBlobRequest(data: content, hash: "x")) }
        await refused(400, "context_id") {
            _ = try await ada.admin.uploadBlob(UploadBlobRequest(data: content, contextId: "x"))
        }
        await refused(400) { _ = try await ada.admin.getBlob("x") }
        await refused(400) { _ = try await ada.admin.getBlobInfo("x") }
        await refused(400) { _ = try await ada.admin.deleteBlob("x") }
        #expect(try await ada.admin.deleteBlob(stored.blobId).deleted)
        await refused(404, "Blob not found") { _ = try await ada.admin.deleteBlob(stored.blobId) }
        let application = try ada.node.applications.install(KeyValueContract(), package: "com.example.kept")
        let bytecode = try #require(ada.node.applications.bytecodeId(of: application))
        await refused(403, "application") { _ = try await ada.admin.deleteBlob(bytecode) }
    }

    /// From file to file: cut off in the middle, damaged on the node's disk, and whole.
    private static func largeBlob(_ world: LiveWorld) async throws {
        let (node, admin) = (world.ada.node, world.ada.admin)
        let (source, copy) = (world.folder.file("source"), world.folder.file("copy"))
        try Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: source)
        let digest = try await BlobDigest(ofFile: source)
        let stored = try await admin.uploadBlob(file: source)
        #expect(stored.blobId == digest.blobId && stored.size == 5_000_000)
        let route = DevRouteMatch("GET", "/admin-api/blobs/\(stored.blobId)")
        let before = Set(world.folder.contents)
        node.inject(.cutMidBody(after: 2_000_000), on: route)
        let cut = await meroError { try await admin.downloadBlob(stored.blobId, to: copy) }
        guard case .network = cut else { return #expect(Bool(false), "\(String(describing: cut))") }
        #expect(Set(world.folder.contents) == before, "nothing is left of it")
        let whole = try await admin.downloadBlob(stored.blobId, to: copy)
        #expect(whole.hash == digest.contentHash)
        #expect(try await BlobDigest(ofFile: copy) == digest)
        // Other content under the same name, as a damaged disk would give it.
        node.inject(.answer(Data("other".utf8), contentType: "application/octet-stream"), on: route)
        let damaged = await meroError {
            try await admin.downloadBlob(stored.blobId, to: copy, hash: digest.contentHash)
        }
        guard case .decoding = damaged else { return #expect(Bool(false), "\(String(describing: damaged))") }
        #expect(try await BlobDigest(ofFile: copy) == digest, "what was there stays")
        #expect(Set(world.folder.contents) == before.union(["copy"]))
    }

    static func aliases(_ world: LiveWorld) async throws {
        let admin = world.ada.admin
        let (id, other) = (String(repeating: "a1", count: 32), String(repeating: "a2", count: 32))
        _ = try await admin.createContextAlias(CreateContextAliasRequest(alias: "main", contextId: id))
        _ = try await admin.createApplicationAlias(CreateApplicationAliasRequest(alias: "main", applicationId: id))
        _ = try await admin.createDeviceAlias(CreateDeviceAliasRequest(alias: "main", deviceId: id))
        for look in [admin.lookupContextAlias, admin.lookupApplicationAlias, admin.lookupDeviceAlias] {
            #expect(try await look("main").value == id)
            #expect(try await look("other").value == nil)
        }
        for list in [admin.listContextAliases, admin.listApplicationAliases, admin.listDeviceAliases] {
            #expect(try await list().entries == ["main": id])
        }
        let creations: [(String) async throws -> Void] = [
            {
                _ = try await admin.createContextAlias(CreateContextAliasRequest(alias: $0, contextId: other))
            },
            {
                _ = try await admin.createApplicationAlias(
                    CreateApplicationAliasRequest(alias: $0, applicationId: other))
            },
            { _ = try await admin.createDeviceAlias(CreateDeviceAliasRequest(alias: $0, deviceId: other)) },
        ]
        for create in creations {
            await refused(409, "alias already exists") { try await create("main") }
            await refused(422) { try await create("no slashes/here") }
            await refused(422) { try await create(String(repeating: "n", count: 51)) }
        }
        for remove in [admin.deleteContextAlias, admin.deleteApplicationAlias, admin.deleteDeviceAlias] {
            _ = try await remove("main")
            _ = try await remove("main")
        }
        #expect(try await admin.listContextAliases().aliases.isEmpty)
    }
}
