import Foundation
import MeroKit

/// The releases that the node could fetch, and what it knows of each.
///
/// Every contract is published as a package of its own name in version 1.0.0; a test publishes more.
final class ReleaseCatalog: Sendable {
    static let firstVersion = "1.0.0"

    /// The contract's name by package and version.
    private let published = Locked<[String: String]>([:])
    private let contexts: ContextRuntime

    init(contexts: ContextRuntime) { self.contexts = contexts }

    func publish(package: String, version: String, contract name: String) {
        published.withLock { $0["\(package)@\(version)"] = name }
    }

    /// Nil when there is no such release, or it is another application's.
    func resolve(package: String, version: String, applicationId: String) -> GroupTarget? {
        let listed = published.withLock { $0["\(package)@\(version)"] }
        let name = listed ?? (version == Self.firstVersion ? package : nil)
        guard let name, contexts.contracts.contains(where: { $0.name == name }),
            ContextBox.applicationId(ofContract: name) == applicationId
        else { return nil }
        return GroupTarget(
            applicationId: applicationId, bytecodeId: Self.bytecodeId(package: package, version: version),
            package: package, version: version)
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
