import Foundation
import MeroKit

/// The releases that the node could fetch: what a registry is to a real one.
///
/// Every contract is published as a package of its own name in version 1.0.0; a test publishes more. As an application a
/// release goes by the id of its contract, or, once a node has fetched it, by that of its package and publisher.
final class ReleaseCatalog: Sendable {
    struct Release: Sendable {
        var target: GroupTarget
        var contract: any DevContract
    }

    static let firstVersion = "1.0.0"

    /// In the order of publication.
    private let releases: Locked<[Release]>
    private let applications: ApplicationStore

    init(applications: ApplicationStore, published: [Release] = []) {
        self.applications = applications
        releases = Locked(published)
    }

    /// What was published by name. Outlives the node.
    var published: [Release] { releases.withLock { $0 } }

    /// Replaces an earlier one of the same package and version.
    func publish(_ contract: any DevContract, package: String, version: String) {
        let target = GroupTarget(
            applicationId: ContextBox.applicationId(ofContract: contract.name),
            bytecodeId: Self.bytecodeId(package: package, version: version), package: package, version: version)
        applications.shelf.learn(contract, bytecodeId: target.bytecodeId)
        releases.withLock { releases in
            releases.removeAll { $0.target.bytecodeId == target.bytecodeId }
            releases.append(Release(target: target, contract: contract))
        }
    }

    /// Nil when there is no such release.
    private func contract(package: String, version: String) -> (any DevContract)? {
        let listed = published.first { $0.target.package == package && $0.target.version == version }?.contract
        return listed ?? (version == Self.firstVersion ? applications.shelf[package] : nil)
    }

    /// Fetches a release and installs it; nil when there is none. Throws `DevNodeError`.
    func install(package: String, version: String) throws -> String? {
        guard let contract = contract(package: package, version: version) else { return nil }
        let bundle = try DevBundle(package: package, version: version, contract: contract)
        do {
            let id = try applications.install(bundle.data, source: "registry:\(package)@\(version)")
            applications.learn(contract, ofApplication: id, version: version)
            return id
        } catch let damage as ApplicationBundle.Damage {
            throw DevNodeError.invalidBundle("\(damage)")
        }
    }

    /// Nil when there is no such release, or it is another application's.
    func resolve(package: String, version: String, applicationId: String) -> GroupTarget? {
        func known() -> GroupTarget? {
            releases(of: applicationId).map(\.target).first { $0.package == package && $0.version == version }
        }
        if let target = known() { return target }
        guard let contract = contract(package: package, version: version) else { return nil }
        let bundle = try? DevBundle(package: package, version: version, contract: contract)
        guard bundle?.applicationId == applicationId, (try? install(package: package, version: version)) != nil else {
            return nil
        }
        return known()
    }

    /// All releases of an application that is here: what was installed of it, or what was published of its contract.
    func releases(of applicationId: String) -> [Release] {
        if let application = applications[applicationId] {
            return application.releases.compactMap { release in
                guard let target = applications.target(ofApplication: application.id, version: release.version),
                    let contract = applications.contract(ofApplication: application.id, version: release.version)
                else { return nil }
                return Release(target: target, contract: contract)
            }
        }
        var releases = published.filter { $0.target.applicationId == applicationId.lowercased() }
        if let contract = applications.bareContract(ofApplication: applicationId) {
            let first = Self.firstRelease(ofContract: contract.name)
            if !releases.contains(where: { $0.target.bytecodeId == first.bytecodeId }) {
                releases.insert(Release(target: first, contract: contract), at: 0)
            }
        }
        return releases
    }

    /// The release with the highest version; of two the later one.
    func latest(of applicationId: String) -> Release? {
        releases(of: applicationId).reversed()
            .max { SemanticVersion($0.target.version) < SemanticVersion($1.target.version) }
    }

    func release(of target: GroupTarget) -> Release? {
        releases(of: target.applicationId).first { $0.target.bytecodeId == target.bytecodeId }
    }

    static func bytecodeId(package: String, version: String) -> String {
        Hex.encode(Digest.sha256(Array("dev-release:\(package)@\(version)".utf8)))
    }

    /// What runs where nobody chose anything else.
    static func firstRelease(ofContract name: String) -> GroupTarget {
        GroupTarget(
            applicationId: ContextBox.applicationId(ofContract: name),
            bytecodeId: bytecodeId(package: name, version: firstVersion), package: name, version: firstVersion)
    }
}
