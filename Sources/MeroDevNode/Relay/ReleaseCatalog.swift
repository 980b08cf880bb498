import Foundation
import MeroKit

/// The releases that the node could fetch, and what it knows of each.
///
/// Every contract is published as a package of its own name in version 1.0.0; a test publishes more.
final class ReleaseCatalog: Sendable {
    struct Release: Sendable {
        var target: GroupTarget
        var contract: any DevContract
    }

    static let firstVersion = "1.0.0"

    /// In the order of publication.
    private let published = Locked<[Release]>([])
    private let contexts: ContextRuntime

    init(contexts: ContextRuntime) { self.contexts = contexts }

    /// Replaces an earlier one of the same package and version.
    func publish(_ contract: any DevContract, package: String, version: String) {
        let target = GroupTarget(
            applicationId: ContextBox.applicationId(ofContract: contract.name),
            bytecodeId: Self.bytecodeId(package: package, version: version), package: package, version: version)
        published.withLock { published in
            published.removeAll { $0.target.bytecodeId == target.bytecodeId }
            published.append(Release(target: target, contract: contract))
        }
    }

    /// Nil when there is no such release, or it is another application's.
    func resolve(package: String, version: String, applicationId: String) -> GroupTarget? {
        releases(of: applicationId).map(\.target).first { $0.package == package && $0.version == version }
    }

    /// All releases of an application that is installed.
    func releases(of applicationId: String) -> [Release] {
        var releases = published.withLock { $0 }.filter { $0.target.applicationId == applicationId.lowercased() }
        if let contract = contexts.contract(ofApplication: applicationId) {
            let first = Self.firstRelease(ofContract: contract.name)
            if !releases.contains(where: { $0.target.bytecodeId == first.bytecodeId }) {
                releases.insert(Release(target: first, contract: contract), at: 0)
            }
        }
        return releases
    }

    /// The release with the highest version.
    func latest(of applicationId: String) -> Release? {
        releases(of: applicationId).enumerated()
            .max { (Self.numbers($0.1), $0.0) < (Self.numbers($1.1), $1.0) }?.element
    }

    func release(of target: GroupTarget) -> Release? {
        releases(of: target.applicationId).first { $0.target.bytecodeId == target.bytecodeId }
    }

    /// A version's numbers as one text that sorts like them.
    private static func numbers(_ release: Release) -> String {
        release.target.version.split { !$0.isNumber }.map { number in
            String(repeating: "0", count: max(0, 20 - number.count)) + number
        }.joined(separator: ".")
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
