import Foundation
import MeroKit

/// Applications and packages.
///
/// Beside what was installed, an application is here when a context or a group runs its contract: contracts of this
/// process need no installation.
/// Spec: 20, sections 5.4 and 5.5.
struct ApplicationService: Sendable {
    let applications: ApplicationStore
    let catalog: ReleaseCatalog
    let contexts: ContextRuntime
    let groups: GroupRegistry
    /// Where dev installs are confined to; nil for nowhere.
    let devInstallRoot: URL?
    let bodyLimit: Int

    private static let largestBundle = 64 << 20
    private static let longestPackage = 128
    private static let longestVersion = 64
    private static let longestPath = 4096
    private static let notFound = NodeRefusal(404, "Application not found")
    private static let zeros = String(repeating: "0", count: 64)

    // MARK: - Installing

    func install(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let body = try AdminBody.read(call.request, ["package", "version"], limit: bodyLimit)
            let (package, version) = try body { (try $0.string("package"), try $0.string("version")) }
            var checks = BodyCheck()
            checks.text("package", package, max: Self.longestPackage)
            checks.text("version", version, max: Self.longestVersion)
            try checks.finish()
            let id = try await Blocking.run { [catalog] in try catalog.install(package: package, version: version) }
            guard let id else {
                throw NodeRefusal(502, "this node could not resolve \(package)@\(version) from its registry")
            }
            contexts.applicationChanged(id)
            return .json(200, ["data": ["applicationId": .string(id)]])
        }
    }

    func installDev(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let body = try AdminBody.read(call.request, ["path"], limit: bodyLimit)
            let path = try body { try $0.string("path") }
            var checks = BodyCheck()
            checks.text("path", path, max: Self.longestPath)
            try checks.finish()
            guard !path.split(separator: "/").contains("..") else {
                throw NodeRefusal(400, "Field 'path' must not contain '..'")
            }
            guard isAllowed(path) else {
                throw NodeRefusal(
                    403, "dev installs are confined to a directory of this node, and this path is not there")
            }
            let id: String
            do {
                id = try await Blocking.run { [applications] in
                    try applications.install(try Self.read(path), source: "file://\(path)")
                }
            } catch is ApplicationBundle.Damage {
                throw EarlyReply(.text(500, "not a signed application bundle: \(path)"))
            } catch {
                throw EarlyReply(.text(500, "failed to install \(path): \(error.localizedDescription)"))
            }
            contexts.applicationChanged(id)
            return .json(200, ["data": ["applicationId": .string(id)]])
        }
    }

    private func isAllowed(_ path: String) -> Bool {
        guard let devInstallRoot else { return true }
        let root = devInstallRoot.resolvingSymlinksInPath().path
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return file.hasPrefix(root + "/") && FileManager.default.fileExists(atPath: file)
    }

    private static func read(_ path: String) throws -> Data {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        let data = try handle.read(upToCount: largestBundle + 1) ?? Data()
        guard data.count <= largestBundle else {
            throw DevNodeError.invalidBundle("over \(largestBundle) bytes")
        }
        return data
    }

    // MARK: - What is here

    /// A contract that runs here without having been installed.
    private struct Bare {
        let target: GroupTarget
        let contract: any DevContract
    }

    private var bare: [Bare] {
        var used = Set(contexts.ids.compactMap { contexts[$0]?.applicationId })
        used.formUnion(groups.read { $0.groups.entries.values.compactMap { $0.target?.applicationId } })
        return used.compactMap { id -> Bare? in
            guard applications[id] == nil, let contract = applications.bareContract(ofApplication: id) else {
                return nil
            }
            return Bare(target: ReleaseCatalog.firstRelease(ofContract: contract.name), contract: contract)
        }.sorted { $0.contract.name < $1.contract.name }
    }

    private func bare(_ id: String) -> Bare? { bare.first { $0.target.applicationId == id } }

    func list(_ call: RouteCall) async -> DevHttpResponse {
        // A contract that runs without having been installed is the same release as one that the registry gave.
        let releases = applications.all.flatMap { application in
            application.releases.map { [application.package, $0.version] }
        }
        let installed = applications.all.compactMap(Self.row)
        let others = bare.filter { !releases.contains([$0.target.package, $0.target.version]) }
        return .json(200, ["data": ["apps": .array(installed + others.map(Self.row))]])
    }

    func get(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("application")
            guard let row = applications[id].flatMap(Self.row) ?? bare(id).map(Self.row) else { throw Self.notFound }
            return .json(200, ["data": ["application": row]])
        }
    }

    private static func blob(_ id: String) -> JsonTree { ["bytecode": .string(id), "compiled": .string(zeros)] }

    private static func row(_ application: InstalledApplication) -> JsonTree? {
        guard let release = application.newest else { return nil }
        var members: [JsonMember] = [
            JsonMember(name: "id", value: .string(application.id)),
            JsonMember(name: "blob", value: blob(release.blobId)),
            JsonMember(name: "size", value: JsonTree(release.size)),
            JsonMember(name: "source", value: .string(release.source)),
            JsonMember(name: "metadata", value: .array(Array((release.metadata ?? "").utf8).map { JsonTree($0) })),
            JsonMember(name: "signer_id", value: .string(application.signerId)),
            JsonMember(name: "package", value: .string(application.package)),
            JsonMember(name: "version", value: .string(release.version)),
        ]
        if !release.services.isEmpty {
            let services = release.services.map { JsonMember(name: $0.name, value: blob($0.blobId)) }
            members.append(JsonMember(name: "services", value: .object(services)))
        }
        return .object(members)
    }

    /// Nobody signed it.
    private static func row(_ bare: Bare) -> JsonTree {
        [
            "id": .string(bare.target.applicationId), "blob": blob(bare.target.bytecodeId), "size": 0,
            "source": .string("dev-contract:\(bare.contract.name)"), "metadata": [],
            "package": .string(bare.target.package), "version": .string(bare.target.version),
        ]
    }

    func versions(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("application")
            func row(_ version: String, _ blob: String, _ size: UInt64, _ package: String) -> JsonTree {
                [
                    "version": .string(version), "blobId": .string(blob), "size": JsonTree(size),
                    "package": .string(package),
                ]
            }
            if let application = applications[id] {
                let rows = application.releases.map { row($0.version, $0.blobId, $0.size, application.package) }
                return .json(200, ["data": .array(rows)])
            }
            guard let target = bare(id)?.target else { throw Self.notFound }
            return .json(200, ["data": [row(target.version, target.bytecodeId, 0, target.package)]])
        }
    }

    func uninstall(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("application")
            let isGone: Bool
            do {
                isGone = try await Blocking.run { [applications] in try applications.uninstall(id) }
            } catch {
                throw EarlyReply(.text(500, "failed to uninstall: \(error.localizedDescription)"))
            }
            guard isGone else {
                let name = applications.bareContract(ofApplication: id)?.name
                throw EarlyReply(
                    .text(500, name.map { "\($0) is part of this node" } ?? "application \(id) is not installed"))
            }
            contexts.applicationChanged(id)
            return .json(200, ["data": ["applicationId": .string(id)]])
        }
    }

    // MARK: - Interfaces

    func abi(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("application")
            let service = call.request.query.first { $0.0 == "service_name" }.map { $0.1 ?? "" }
            if let release = applications[id]?.newest {
                return .json(200, ["data": try abi(release, service)])
            }
            guard let bare = bare(id) else { throw Self.notFound }
            guard service == nil else { throw Self.noServices }
            return .json(200, ["data": Self.abi(of: bare.contract)])
        }
    }

    private static let noServices = NodeRefusal(400, "this application has no services")

    private func abi(_ release: InstalledRelease, _ service: String?) throws -> JsonTree {
        var (text, name) = (release.abi, release.contract)
        let services = release.services.map(\.name).joined(separator: ", ")
        if let service {
            guard !release.services.isEmpty else { throw Self.noServices }
            guard let found = release.service(service) else {
                throw NodeRefusal(400, "no such service: \(service); there are \(services)")
            }
            (text, name) = (found.abi, found.contract)
        } else if let only = release.services.first {
            guard release.services.count == 1 else {
                throw NodeRefusal(400, "this application has several services, name one of \(services)")
            }
            (text, name) = (only.abi, only.contract)
        }
        if let text {
            guard let abi = try? JsonParser.parse(text.utf8) else { throw NodeRefusal(400, "no usable ABI") }
            return abi
        }
        guard let contract = applications.shelf[name] else {
            throw NodeRefusal(404, "the bytecode of this application is not on this node")
        }
        return Self.abi(of: contract)
    }

    /// What can be told of a contract in Swift: its methods by name.
    private static func abi(of contract: any DevContract) -> JsonTree {
        let methods = contract.methods.sorted { $0.key < $1.key }.map { method -> JsonTree in
            ["name": .string(method.key), "params": [], "mutates": .bool(method.value.isMutating)]
        }
        return ["schema_version": "wasm-abi/1", "types": [:], "methods": .array(methods), "events": []]
    }

    // MARK: - Packages

    /// Application and version by package.
    private var releases: [(package: String, version: String, application: String)] {
        applications.all.flatMap { application in
            application.releases.map { (application.package, $0.version, application.id) }
        } + bare.map { ($0.target.package, $0.target.version, $0.target.applicationId) }
    }

    func packages(_ call: RouteCall) async -> DevHttpResponse {
        .json(200, ["packages": JsonTree(Set(releases.map(\.package)).sorted())])
    }

    /// The newest first.
    func packageVersions(_ call: RouteCall) async -> DevHttpResponse {
        let versions = Set(releases.filter { $0.package == call.parameters["package"] }.map(\.version))
        return .json(200, ["versions": JsonTree(versions.sorted { SemanticVersion($1) < SemanticVersion($0) })])
    }

    func latest(_ call: RouteCall) async -> DevHttpResponse {
        let newest = releases.filter { $0.package == call.parameters["package"] }
            .max { SemanticVersion($0.version) < SemanticVersion($1.version) }
        return .json(
            200,
            [
                "applicationId": newest.map { .string($0.application) } ?? .null,
                "version": newest.map { .string($0.version) } ?? .null,
            ])
    }
}
