import Foundation
import MeroKit

/// The applications of a dev node.
///
/// A dev node runs contracts written in Swift. Which one runs in place of an application is decided when it is installed:
/// the one that its bundle names (``DevBundle``); else the one whose name is the service's, the package's, or the
/// package's last word (`com.example.probe` runs ``ProbeContract``); else ``KeyValueContract``.
///
/// ```swift
/// let id = try node.applications.install(KeyValueContract(), package: "com.example.chat", version: "1.2.0")
/// // POST /admin-api/contexts {"applicationId": id, "groupId": …, "initializationParams": []}
/// ```
public struct DevApplications: Sendable {
    let core: NodeCore

    /// Installs a contract as a release of a package, and returns the application's id (64 hex), which is the same for
    /// every version. Throws ``DevNodeError``.
    @discardableResult
    public func install(_ contract: any DevContract, package: String, version: String = "1.0.0") throws -> String {
        core.applications.shelf.learnIfNew(contract)
        let id = try put(try DevBundle(package: package, version: version, contract: contract).data)
        core.applications.learn(contract, ofApplication: id, version: version)
        core.contexts.applicationChanged(id)
        return id
    }

    /// Installs an `.mpk` file's content, and returns the application's id (64 hex). Throws ``DevNodeError``.
    @discardableResult
    public func install(_ bundle: Data) throws -> String {
        let id = try put(bundle)
        core.contexts.applicationChanged(id)
        return id
    }

    private func put(_ bundle: Data) throws -> String {
        do {
            return try core.applications.install(bundle, source: "memory")
        } catch let damage as ApplicationBundle.Damage {
            throw DevNodeError.invalidBundle("\(damage)")
        }
    }

    /// Removes an application in every version. Its contexts answer `ApplicationNotInstalled` until it is installed again.
    /// Throws ``DevNodeError``.
    public func uninstall(_ id: String) throws {
        guard try core.applications.uninstall(id.lowercased()) else { throw DevNodeError.unknownApplication(id) }
        core.contexts.applicationChanged(id.lowercased())
    }

    /// Puts a release of a contract into the registry that `POST /admin-api/install-application` fetches from. Every
    /// contract is there already as a package of its own name in version 1.0.0.
    public func publish(_ contract: any DevContract, package: String, version: String) {
        core.relay.catalog.publish(contract, package: package, version: version)
    }

    /// The ids of what was installed, in the order of installation.
    public var ids: [String] { core.applications.all.map(\.id) }

    /// The versions of an application that are installed, in the order of installation; nil for one that is not here.
    public func versions(of id: String) -> [String]? { core.applications[id]?.releases.map(\.version) }

    /// The id of an application's bytecode, 64 hex: what `releaseBytecodeId` is.
    ///
    /// - Parameters:
    ///   - id: the application, 64 hex.
    ///   - version: the newest unless given.
    public func bytecodeId(of id: String, version: String? = nil) -> String? {
        core.applications.target(ofApplication: id, version: version)?.bytecodeId
    }
}

extension DevNode {
    /// What is installed on the node.
    public var applications: DevApplications { DevApplications(core: core) }
}
