import Foundation
import MeroKit

/// The applications that are installed on a node.
///
/// Which contract runs in place of an application is decided when it is installed: the one that its manifest names
/// (`devContract`); else the one whose name is the service's, the package's, or the package's last word; else
/// `KeyValueContract`.
///
/// Spec: 20, sections 5.4 and 5.5.
final class ApplicationStore: Sendable {
    private struct State {
        var applications: [String: InstalledApplication] = [:]
        var nextOrder = 0
        var journal: Journal?
    }

    let shelf: ContractShelf
    private let blobs: BlobStore
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(shelf: ContractShelf, blobs: BlobStore, directory: DataDirectory?) throws {
        self.shelf = shelf
        self.blobs = blobs
        var state = State()
        if let directory {
            let (journal, entries) = try directory.open("node-applications")
            state.journal = journal
            for (id, tree) in entries { state.applications[id] = InstalledApplication(id: id, tree) }
            state.nextOrder = (state.applications.values.map(\.order).max() ?? -1) + 1
        }
        self.state = Locked(state)
    }

    // MARK: - Reading

    /// In the order of installation.
    var all: [InstalledApplication] { state.withLock { $0.applications.values.sorted { $0.order < $1.order } } }

    subscript(id: String) -> InstalledApplication? { state.withLock { $0.applications[id.lowercased()] } }

    /// The contract that stands for an application itself, without having been installed.
    func bareContract(ofApplication id: String) -> (any DevContract)? {
        shelf.all.first { ContextBox.applicationId(ofContract: $0.name) == id.lowercased() }
    }

    /// What runs in place of an application; nil when it is not here.
    ///
    /// - Parameters:
    ///   - version: the newest unless given.
    ///   - service: of an application with several.
    func contract(ofApplication id: String, version: String? = nil, service: String? = nil) -> (any DevContract)? {
        guard let application = self[id] else { return bareContract(ofApplication: id) }
        guard let release = application.release(version) ?? application.newest else { return nil }
        if let service = service.flatMap({ release.service($0) }) { return shelf[service.contract] }
        return shelf.contract(bytecodeId: release.blobId) ?? shelf[release.contract]
    }

    /// What runs in place of a release from now on, also where another contract of the same name is known. Nothing where
    /// the release names another contract.
    func learn(_ contract: any DevContract, ofApplication id: String, version: String) {
        guard let release = self[id]?.releases.first(where: { $0.version == version }),
            release.contract == contract.name
        else { return }
        shelf.learn(contract, bytecodeId: release.blobId)
    }

    /// What a context of an application is made to run; nil when the application is not here.
    func target(ofApplication id: String, version: String? = nil) -> GroupTarget? {
        if let application = self[id] {
            guard let release = application.release(version) else { return nil }
            return GroupTarget(
                applicationId: application.id, bytecodeId: release.blobId, package: application.package,
                version: release.version)
        }
        guard let contract = bareContract(ofApplication: id) else { return nil }
        let target = ReleaseCatalog.firstRelease(ofContract: contract.name)
        return version == nil || version == target.version ? target : nil
    }

    // MARK: - Installing

    /// Installs what is in an `.mpk` file, of which `data` is the content. Throws `ApplicationBundle.Damage` and
    /// `DevNodeError`.
    func install(_ data: Data, source: String) throws -> String {
        let bundle = try ApplicationBundle(Array(data))
        let id = ApplicationRegistry.applicationIdForBundle(package: bundle.package, signerId: bundle.signerId)
        let holder = "\(id)@\(bundle.version)"
        let blob = try blobs.put(data, release: holder)
        var release = InstalledRelease(
            version: bundle.version, blobId: blob.id, size: blob.size, source: source,
            contract: contractName(bundle.contract, [bundle.package]))
        release.metadata = bundle.metadata
        release.abi = bundle.abi
        release.services = try bundle.services.map { service in
            InstalledService(
                name: service.name, blobId: try blobs.put(Data(service.bytecode), release: holder).id,
                contract: contractName(service.contract, [service.name, bundle.package]), abi: service.abi)
        }
        let dropped = try state.withLock { state -> [String] in
            var application =
                state.applications[id]
                ?? InstalledApplication(
                    id: id, package: bundle.package, signerId: bundle.signerId, order: state.nextOrder)
            let old = application.release(release.version)
            if let index = application.releases.firstIndex(where: { $0.version == release.version }) {
                application.releases[index] = release
            } else {
                application.releases.append(release)
            }
            let applications = state.applications
            try state.journal?.record([(id, application.tree)]) { applications.mapValues(\.tree) }
            state.applications[id] = application
            state.nextOrder = max(state.nextOrder, application.order + 1)
            return Self.blobs(of: old).filter { !Self.blobs(of: release).contains($0) }
        }
        for blob in dropped { try blobs.release(blob, from: holder) }
        return id
    }

    private static func blobs(of release: InstalledRelease?) -> [String] {
        release.map { [$0.blobId] + $0.services.map(\.blobId) } ?? []
    }

    private func contractName(_ named: String?, _ names: [String]) -> String {
        if let named, shelf[named] != nil { return named }
        let candidates = names.flatMap { name in [name, name.split(separator: ".").last.map(String.init) ?? name] }
        return candidates.first { shelf[$0] != nil } ?? KeyValueContract().name
    }

    /// False when there is no such application. Throws `DevNodeError`.
    func uninstall(_ id: String) throws -> Bool {
        let gone = try state.withLock { state -> InstalledApplication? in
            guard let application = state.applications[id] else { return nil }
            let applications = state.applications
            try state.journal?.record([(id, nil)]) { applications.mapValues(\.tree) }
            state.applications[id] = nil
            return application
        }
        for release in gone?.releases ?? [] {
            for blob in Self.blobs(of: release) { try blobs.release(blob, from: "\(id)@\(release.version)") }
        }
        return gone != nil
    }
}
