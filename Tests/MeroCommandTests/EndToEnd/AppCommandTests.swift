import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero app and mero alias", .serialized)
struct AppCommandTests {
    private static let package = "com.example.notes"

    @Test("install, look at and remove an application")
    func life() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.applications.publish(KeyValueContract(), package: Self.package, version: "1.2.0")
            bench.node.applications.publish(KeyValueContract(), package: Self.package, version: "1.3.0")

            let none = try await bench.mero("app", "packages")
            #expect(none.status == 0 && !none.output.contains(Self.package), "\(none.errors)")
            let installed = try await bench.mero("app", "install", Self.package, "1.2.0", "--json")
            #expect(installed.status == 0, "\(installed.errors)")
            let id = try #require(installed.document?["applicationId"]?.stringValue)
            #expect(bench.node.applications.versions(of: id) == ["1.2.0"])
            let people = try await bench.mero("app", "install", Self.package, "1.3.0")
            #expect(people.output == "application  \(id)\n")

            let listed = try await bench.mero("app", "list")
            #expect(listed.output.contains(id) && listed.output.contains(Self.package), "\(listed.output)")
            let documents = try await bench.mero("app", "list", "--json").document?["applications"]?.arrayValue
            #expect(documents?.compactMap { $0["applicationId"]?.stringValue }.contains(id) == true)

            let shown = try await bench.mero("app", "show", id)
            #expect(shown.output.contains("package") && shown.output.contains("1.3.0"), "\(shown.output)")
            #expect(try await bench.mero("app", "show", id, "--json").document?["version"] == "1.3.0")
            let versions = try await bench.mero("app", "versions", id, "--json").document?["versions"]?.arrayValue
            #expect(Set(versions?.compactMap { $0["version"]?.stringValue } ?? []) == ["1.2.0", "1.3.0"])
            #expect(try await bench.mero("app", "versions", id).output.contains("1.2.0"))

            #expect(try await bench.mero("app", "packages").output.contains(Self.package))
            let package = try await bench.mero("app", "packages", Self.package, "--json")
            #expect(package.document?["latest"] == "1.3.0" && package.document?["applicationId"] == .string(id))
            let unknown = try await bench.mero("app", "packages", "com.example.nothing")
            #expect(unknown.status == ExitCode.refused.rawValue && unknown.isOneErrorLine)

            let abi = try await bench.mero("app", "abi", id)
            #expect(abi.status == 0, "\(abi.errors)")
            #expect(abi.document?["methods"] != nil, "\(abi.output)")

            let refused = try await bench.mero("app", "remove", id)
            #expect(refused.status == ExitCode.usage.rawValue && refused.isOneErrorLine)
            #expect(bench.node.applications.ids.contains(id))
            let removed = try await bench.mero("app", "remove", id, "--yes", "--json")
            #expect(removed.document?["removed"] == true, "\(removed.errors)")
            #expect(!bench.node.applications.ids.contains(id))
            let gone = try await bench.mero("app", "show", id, "--json")
            #expect(gone.status == ExitCode.refused.rawValue && gone.error?["status"]?.intValue == 404)
        }
    }

    @Test("a bundle on the node's disk, and what is none")
    func bundle() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let bundle = try DevBundle(package: Self.package, version: "2.0.0", contract: KeyValueContract())
            let file = bench.folder.file("notes.mpk")
            try bundle.data.write(to: file)
            let installed = try await bench.mero("app", "install", "--file", file.path, "--json")
            #expect(installed.document?["applicationId"] == .string(bundle.applicationId), "\(installed.errors)")

            try Data("no bundle".utf8).write(to: file)
            let damaged = try await bench.mero("app", "install", "--file", file.path, "--retry", "never")
            #expect(damaged.status == ExitCode.refused.rawValue && damaged.isOneErrorLine)
            let missing = try await bench.mero("app", "install", Self.package, "9.9.9", "--json", "--retry", "never")
            #expect(missing.status == ExitCode.refused.rawValue && missing.error?["status"]?.intValue == 502)
            for words in [["app", "install"], ["app", "install", "a"], ["app", "install", "a", "1", "--file", "b"]] {
                let outcome = try await bench.start(words).outcome()
                #expect(outcome.status == ExitCode.usage.rawValue && outcome.isOneErrorLine, "\(words)")
            }
            // What answers there is no registry.
            let available = try await bench.mero("app", "available", Self.package, "--registry", bench.url)
            #expect(available.status == ExitCode.refused.rawValue, "\(available.errors)")
            #expect(available.errors.contains(Self.package))
            let unnamed = try await bench.mero("app", "available", Self.package)
            #expect(unnamed.status == ExitCode.usage.rawValue)
        }
    }

    @Test("names for ids")
    func aliases() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let empty = try await bench.mero("alias", "list")
            #expect(empty.status == 0 && empty.output.isEmpty && empty.errors.contains("No aliases"))
            for (kind, id) in [("context", bench.store), ("app", bench.probe), ("device", bench.node.deviceId)] {
                let added = try await bench.mero("alias", "add", kind, "notes", id)
                #expect(added.status == 0, "\(added.errors)")
                #expect(try await bench.mero("alias", "show", kind, "notes").output == id + "\n")
            }
            let taken = try await bench.mero("alias", "add", "context", "notes", bench.probe, "--json")
            #expect(taken.status == ExitCode.refused.rawValue && taken.error?["status"]?.intValue == 409)
            let all = try await bench.mero("alias", "list", "--json").document?["aliases"]?.arrayValue
            #expect(all?.count == 3)
            let contexts = try await bench.mero("alias", "list", "context")
            #expect(contexts.output.contains(bench.store) && !contexts.output.contains(bench.probe))
            for kind in ["context", "app", "device"] {
                let removed = try await bench.mero("alias", "remove", kind, "notes", "--json")
                #expect(removed.document?["removed"] == true, "\(removed.errors)")
                let gone = try await bench.mero("alias", "show", kind, "notes")
                #expect(gone.status == ExitCode.refused.rawValue && gone.isOneErrorLine)
            }
            let unknown = try await bench.mero("alias", "show", "group", "notes")
            #expect(unknown.status == ExitCode.usage.rawValue)
        }
    }
}
