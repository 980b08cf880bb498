import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero context", .serialized)
struct ContextCommandTests {
    @Test("create, look at, join, leave, delete")
    func life() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let application = try bench.node.applications.install(KeyValueContract(), package: "com.example.notes")
            let namespace = try bench.node.createNamespace()
            let made = try await bench.mero(
                "context", "create", namespace, "--application", application, "--name", "notes", "--init", "{}",
                "--json")
            #expect(made.status == 0, "\(made.errors)")
            let id = try #require(made.document?["contextId"]?.stringValue)
            #expect(made.document?["groupId"] == .string(namespace))
            #expect(bench.node.contexts.contains(id))

            let listed = try await bench.mero("context", "list")
            for context in [id, bench.store, bench.probe] { #expect(listed.output.contains(context)) }
            let filtered = try await bench.mero("context", "list", "--application", application, "--json")
            #expect(
                filtered.document?["contexts"]?.arrayValue?.compactMap { $0["contextId"]?.stringValue } == [id],
                "\(filtered.output)\(filtered.errors)")

            let shown = try await bench.mero("context", "show", id)
            #expect(shown.output.contains(namespace) && shown.output.contains("1.0.0"), "\(shown.output)")
            #expect(try await bench.mero("context", "show", id, "--json").document?["groupId"] == .string(namespace))

            let members = try await bench.mero("context", "identities", id, "--json")
            #expect(members.document?["identities"]?.arrayValue?.isEmpty == false, "\(members.errors)")
            let own = try await bench.mero("context", "identities", id, "--own")
            #expect(own.status == 0 && own.output.split(separator: "\n").count == 1, "\(own.output)\(own.errors)")

            #expect(try await bench.mero("context", "sync", id).status == 0)
            #expect(try await bench.mero("context", "sync", "--json").document?["started"] == true)
            let left = try await bench.mero("context", "leave", id, "--json")
            #expect(left.document?["left"] == true, "\(left.errors)")
            let joined = try await bench.mero("context", "join", id, "--json")
            #expect(joined.document?["contextId"] == .string(id), "\(joined.errors)")
            #expect(try await bench.mero("context", "join", id).output.contains(id))

            let refused = try await bench.mero("context", "delete", id, "--json")
            #expect(refused.status == ExitCode.usage.rawValue && refused.error?["kind"] == "usage")
            #expect(bench.node.contexts.contains(id))
            #expect(try await bench.mero("context", "delete", id, "--yes").output == "Deleted context \(id).\n")
            #expect(!bench.node.contexts.contains(id))
            let gone = try await bench.mero("context", "show", id, "--json")
            #expect(gone.status == ExitCode.refused.rawValue && gone.error?["status"]?.intValue == 404)
        }
    }

    @Test("resync, update and what is refused")
    func changes() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let application = try bench.node.applications.install(KeyValueContract(), package: "com.example.notes")
            let namespace = try bench.node.createNamespace()
            let context = try bench.node.createContext(KeyValueContract(), inGroup: namespace)
            let unneeded = try await bench.mero("context", "resync", context, "--yes", "--json")
            #expect(unneeded.status == ExitCode.refused.rawValue && unneeded.error?["status"]?.intValue == 409)
            let forced = try await bench.mero("context", "resync", context, "--yes", "--force", "--json")
            #expect(forced.document?["started"] == true, "\(forced.errors)")
            let updated = try await bench.mero("context", "update", context, application, "--yes")
            #expect(updated.status == 0, "\(updated.errors)")
            let now = try await bench.mero("context", "show", context, "--json").document
            #expect(now?["applicationId"] == .string(application))

            let seed = try await bench.mero("context", "create", namespace, "--seed", "abc")
            #expect(seed.status == ExitCode.usage.rawValue && seed.isOneErrorLine)
            let json = try await bench.mero("context", "create", namespace, "--init", "{")
            #expect(json.status == ExitCode.usage.rawValue && json.errors.contains("--init"))
            let nowhere = try await bench.mero(
                "context", "create", String(repeating: "0", count: 64), "--application", application, "--json")
            #expect(nowhere.status == ExitCode.refused.rawValue, "\(nowhere.errors)")
        }
    }

    @Test("a listing has all pages")
    func pages() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            for _ in 0..<Pages.length { _ = try bench.node.createContext(KeyValueContract()) }
            let listed = try await bench.mero("context", "list", "--json")
            let ids = listed.document?["contexts"]?.arrayValue?.compactMap { $0["contextId"]?.stringValue } ?? []
            #expect(Set(ids) == Set(bench.node.contexts))
            #expect(ids.count == Pages.length + 2)
            #expect(bench.node.requestCount("GET", "/admin-api/contexts") == 2)
        }
    }

    @Test("what a node says cannot do more to a terminal than be read")
    func controlCharacters() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let application = try bench.node.applications.install(KeyValueContract(), package: "com.example.notes")
            let namespace = try bench.node.createNamespace()
            let name = "a\u{1B}[31mb"
            let made = try await bench.mero(
                "context", "create", namespace, "--application", application, "--name", name)
            #expect(made.status == 0, "\(made.errors)")
            let listed = try await bench.mero("context", "list")
            #expect(!listed.output.contains("\u{1B}") && listed.output.contains("\\u{1b}[31m"))
        }
    }
}
