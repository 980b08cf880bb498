import Foundation
import MeroKit

/// What the commands of `mero app` do.
enum AppActs {
    static func list(_ run: AdminRun) async throws {
        let apps = try await run.admin.listApplications().apps
        try run.list(
            "applications", ["Application", "Package", "Version", "Size"],
            apps.map { [$0.id, $0.package, $0.version, Bytes.text($0.size)] }, apps.map(document))
    }

    static func show(_ run: AdminRun) async throws {
        let id = try run.id("application")
        guard let app = try await run.admin.getApplication(id).application else {
            throw Failure(
                code: .refused, message: "The node has no application \(id)",
                hint: "\"mero app list\" shows what is installed")
        }
        try run.show(
            [
                ("application", app.id), ("package", app.package), ("version", app.version),
                ("size", Bytes.text(app.size)), ("source", app.source), ("signed by", app.signerId),
                ("blob", app.blob.bytecode),
            ], document(app))
    }

    static func install(_ run: AdminRun) async throws {
        let answer: InstallApplicationResponseData
        switch (run.arguments.operand("package"), run.arguments.operand("version"), run.arguments.text(.bundleFile)) {
        case (let package?, let version?, nil):
            answer = try await Self.install(package, version, run)
        case (nil, nil, let file?):
            let path = URL(fileURLWithPath: file).standardizedFileURL.path
            answer = try await run.admin.installDevApplication(InstallDevApplicationRequest(path: path))
        default:
            throw Failure(
                code: .usage, message: "\"mero app install\" needs either <package> and <version>, or --file FILE",
                hint: "Nothing was sent")
        }
        try run.show(
            [("application", answer.applicationId)], ["applicationId": .string(answer.applicationId)])
    }

    static func versions(_ run: AdminRun) async throws {
        let versions = try await run.admin.listApplicationVersions(try run.id("application"))
        try run.list(
            "versions", ["Version", "Package", "Size", "Blob"],
            versions.map { [$0.version, $0.package, Bytes.text($0.size), $0.blobId] },
            try versions.map { try Report.encoding($0) })
    }

    static func available(_ run: AdminRun) async throws {
        let package = try run.text("package")
        guard let registry = run.arguments.text(.registry).flatMap(NodeAddress.init) else {
            throw Failure(code: .usage, message: "No registry is named", hint: "Add --registry URL")
        }
        // Not through the session: a registry is no node, and needs none.
        let profile = try Connection.profile(run.invocation)
        let connection = try Connection(
            run.invocation, profile: profile, settings: profile.loadSettings(), node: registry)
        let versions: [String]
        do {
            versions = try await connection.anonymous().admin.getRegistryVersions(
                registryUrl: registry.text, packageName: package)
        } catch MeroError.emptyResponse(let text) {
            throw Failure(code: .refused, message: text, hint: "Check the address and the package's name")
        }
        try names("versions", versions, run)
    }

    static func packages(_ run: AdminRun) async throws {
        guard run.arguments.operand("package") != nil else {
            return try names("packages", try await run.admin.listPackages().packages, run)
        }
        let package = try run.text("package")
        let admin = try await run.admin
        let versions = try await admin.listPackageVersions(package).versions
        let latest = try await admin.getLatestPackageVersion(package)
        guard latest.version != nil || !versions.isEmpty else {
            throw Failure(code: .refused, message: "The node knows no package \(package)")
        }
        try run.show(
            [
                ("package", package), ("application", latest.applicationId), ("latest", latest.version),
                ("versions", versions.joined(separator: " ")),
            ],
            [
                "package": .string(package), "applicationId": .optional(latest.applicationId),
                "latest": .optional(latest.version), "versions": .strings(versions),
            ])
    }

    static func abi(_ run: AdminRun) async throws {
        let abi = try await run.admin.getApplicationAbi(
            try run.id("application"), serviceName: run.arguments.text(.service))
        let text = try ExactJSON(jsonBytes: MeroJSON.encode(abi))
        let isForPeople = run.invocation.surroundings.outputIsTerminal && !run.console.json
        try run.console.answer(isForPeople ? text.pretty(style: run.console.style) : text.compact)
    }

    static func remove(_ run: AdminRun) async throws {
        let id = try run.id("application")
        try await run.confirm("Remove application \(id) in all its versions?")
        let answer = try await run.admin.uninstallApplication(id)
        try run.say(
            "Removed application \(answer.applicationId).",
            ["applicationId": .string(answer.applicationId), "removed": true])
    }

    // MARK: - Details

    /// A package that a node's registry does not have is a 502, like a registry out of reach. Neither gets better within a
    /// second: one try, unless the line says otherwise.
    private static func install(
        _ package: String, _ version: String, _ run: AdminRun
    ) async throws -> InstallApplicationResponseData {
        let admin = try await Connection(run.invocation).signedIn(
            retry: run.arguments.has(.retry) ? nil : .onlyIfUnsent
        ).admin
        do {
            return try await admin.installApplication(InstallApplicationRequest(package: package, version: version))
        } catch MeroError.http(let answer) where answer.status == 502 {
            var failure = Failure(describing: MeroError.http(answer))
            failure.hint =
                "The registry in the node's configuration has to have this package and version. \"mero dev\" prints what "
                + "its node can install; --file installs a signed bundle from the node's disk"
            throw failure
        }
    }

    private static func names(_ what: String, _ names: [String], _ run: AdminRun) throws {
        for name in names { try run.console.line(name.printable) }
        if names.isEmpty { try run.console.remark("No \(what).") }
        try run.console.document(.object([.init(name: what, value: .strings(names))]))
    }

    private static func document(_ app: Application) -> Report {
        [
            "applicationId": .string(app.id), "package": .string(app.package), "version": .string(app.version),
            "size": .whole(app.size), "source": .string(app.source), "signerId": .string(app.signerId),
            "bytecodeId": .string(app.blob.bytecode),
        ]
    }
}
