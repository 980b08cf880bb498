extension NodeCore {
    private static let api = "/admin-api"

    static func applicationRoutes(_ service: ApplicationService) -> [NodeRoute] {
        [
            guarded("POST", "\(api)/install-application") { await service.install($0) },
            guarded("POST", "\(api)/install-dev-application") { await service.installDev($0) },
            guarded("GET", "\(api)/applications") { await service.list($0) },
            guarded("GET", "\(api)/applications/{application}") { await service.get($0) },
            guarded("DELETE", "\(api)/applications/{application}") { await service.uninstall($0) },
            guarded("GET", "\(api)/applications/{application}/abi") { await service.abi($0) },
            guarded("GET", "\(api)/applications/{application}/versions") { await service.versions($0) },
            guarded("GET", "\(api)/packages") { await service.packages($0) },
            guarded("GET", "\(api)/packages/{package}/versions") { await service.packageVersions($0) },
            guarded("GET", "\(api)/packages/{package}/latest") { await service.latest($0) },
        ]
    }

    static func blobRoutes(_ service: BlobService) -> [NodeRoute] {
        [
            guarded("PUT", "\(api)/blobs") { await service.upload($0) },
            guarded("GET", "\(api)/blobs") { await service.list($0) },
            guarded("GET", "\(api)/blobs/{id}") { await service.download($0) },
            guarded("DELETE", "\(api)/blobs/{id}") { await service.delete($0) },
        ]
    }

    static func contextRoutes(_ service: ContextService) -> [NodeRoute] {
        [
            guarded("GET", "\(api)/contexts") { await service.list($0) },
            guarded("POST", "\(api)/contexts") { await service.create($0) },
            guarded("GET", "\(api)/contexts/for-application/{application}") { await service.listForApplication($0) },
            guarded("GET", "\(api)/contexts/with-executors/for-application/{application}") {
                await service.listWithExecutors($0)
            },
            guarded("POST", "\(api)/contexts/sync") { await service.syncAll($0) },
            guarded("POST", "\(api)/contexts/sync/{context}") { await service.sync($0) },
            guarded("GET", "\(api)/contexts/{context}") { await service.get($0) },
            guarded("DELETE", "\(api)/contexts/{context}") { await service.delete($0) },
            guarded("GET", "\(api)/contexts/{context}/group") { await service.group($0) },
            guarded("GET", "\(api)/contexts/{context}/storage") { await service.storage($0) },
            guarded("GET", "\(api)/contexts/{context}/identities") { await service.memberIdentities($0) },
            guarded("GET", "\(api)/contexts/{context}/identities-owned") { await service.ownedIdentities($0) },
            guarded("POST", "\(api)/contexts/{context}/application") { await service.changeApplication($0) },
            guarded("POST", "\(api)/contexts/{context}/join") { await service.join($0) },
            guarded("POST", "\(api)/contexts/{context}/leave") { await service.leave($0) },
            guarded("POST", "\(api)/contexts/{context}/resync") { await service.resync($0) },
            guarded("POST", "\(api)/identity/context") { await service.makeIdentity($0) },
        ]
    }

    static func aliasRoutes(_ service: AliasService) -> [NodeRoute] {
        AliasBook.Kind.allCases.flatMap { kind in
            [
                guarded("POST", "\(api)/alias/create/\(kind.rawValue)") { await service.create(kind, $0) },
                guarded("POST", "\(api)/alias/lookup/\(kind.rawValue)/{name}") { await service.lookUp(kind, $0) },
                guarded("POST", "\(api)/alias/delete/\(kind.rawValue)/{name}") { await service.delete(kind, $0) },
                guarded("GET", "\(api)/alias/list/\(kind.rawValue)") { _ in service.list(kind) },
            ]
        }
    }

    static func teeRoutes(_ service: AttestationService) -> [NodeRoute] {
        [
            guarded("GET", "\(api)/tee/info") { _ in service.info() },
            guarded("GET", "\(api)/tee/release") { _ in service.release() },
            guarded("POST", "\(api)/tee/attest") { await service.attest($0) },
            guarded("POST", "\(api)/tee/registration-attest") { await service.registrationAttest($0) },
            guarded("POST", "\(api)/tee/fleet-join") { await service.fleetJoin($0) },
        ]
    }
}
