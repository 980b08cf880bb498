import Foundation
import MeroKit

/// The releases that the node could fetch: what a registry is to a real one.
///
/// Every contract is published as a package of its own name in version 1.0.0; a test publishes more. As an application a
/// release goes by the id of its contract, or, once a node has fetched it, by that of its package and publisher.
final class ReleaseCatalog: Sendable {
    static let firstVersion = "1.0.0"

    /// The contract's name by package and version.
    private let published: Locked<[String: String]>
    private let applications: ApplicationStore

    init(applications: ApplicationStore, published: [String: String] = [:]) {
        self.applications = applications
        self.published = Locked(published)
    }

    /// Outlives the node.
    var releases: [String: String] { published.withLock { $0 } }

    func publish(package: String, version: String, contract name: String) {
        published.withLock { $0["\(package)@\(version)"] = name }
    }

    /// Nil when there is no such release.
    func contract(package: String, version: String) -> (any DevContract)? {
        let listed = published.withLock { $0["\(package)@\(version)"] }
        return (listed ?? (version == Self.firstVersion ? package : nil)).flatMap { applications.shelf[$0] }
    }

    /// Fetches a release and installs it; nil when there is none. Throws `DevNodeError`.
    func install(package: String, version: String) throws -> String? {
        guard let contract = contract(package: package, version: version) else { return nil }
        let bundle = try DevBundle(package: package, version: version, contract: contract)
        do {
            return try applications.install(bundle.data, source: "registry:\(package)@\(version)")
        } catch let damage as ApplicationBundle.Damage {
            throw DevNodeError.invalidBundle("\(damage)")
        }
    }

    /// Nil when there is no such release, or it is another application's.
    func resolve(package: String, version: String, applicationId: String) -> GroupTarget? {
        if let target = applications.target(ofApplication: applicationId, version: version),
            target.package == package
        {
            return target
        }
        guard let contract = contract(package: package, version: version) else { return nil }
        if ContextBox.applicationId(ofContract: contract.name) == applicationId {
            return GroupTarget(
                applicationId: applicationId, bytecodeId: Self.bytecodeId(package: package, version: version),
                package: package, version: version)
        }
        let bundle = try? DevBundle(package: package, version: version, contract: contract)
        guard bundle?.applicationId == applicationId, (try? install(package: package, version: version)) != nil else {
            return nil
        }
        return applications.target(ofApplication: applicationId, version: version)
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
