import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

/// The second version of an application: it says so, and has wrapped what the first one wrote.
private struct NotesTwo: DevContract {
    let name = "notes-two"
    let stateVersion: UInt32 = 2
    let migration: DevMigration? = DevMigration { state in
        for key in state.keys { state[key] = ["v2": state[key] ?? .null] }
    }
    let methods: [String: DevMethod] = [
        "version": .read { _ in .string("2") },
        "get": .read { call in call.state[try call.arg("key")]?["v2"] },
        "set": .mutate { call in
            call.state[try call.arg("key")] = ["v2": .string(try call.arg("value"))]
            return nil
        },
    ]
}

/// Two people with a node each, who have nothing but the command line.
@Suite("Two people on the command line", .serialized)
struct TwoUserStoryTests {
    private struct Person: Sendable {
        let name: String
        let node: DevNode
        let folder: TemporaryFolder

        func start(_ words: [String], input: String = "") throws -> RunningProgram {
            try Program(Program.mero, words).start(
                input: input,
                environment: ["XDG_CONFIG_HOME": folder.file("config").path, "MERO_PROFILE": name], in: folder)
        }

        func mero(_ words: String...) async throws -> Program.Outcome { try await start(words).outcome() }

        /// Runs a command that has to go well, and returns its document.
        func json(_ words: String..., at line: Int = #line) async throws -> JSONValue {
            let outcome = try await start(words + ["--json"]).outcome()
            #expect(outcome.status == 0, "line \(line): \(words) \(outcome.errors)")
            return try #require(outcome.document, "line \(line): \(outcome.output)")
        }

        /// Runs a command that the node has to refuse.
        func refused(_ words: String..., status: Int, at line: Int = #line) async throws {
            let outcome = try await start(words + ["--json"]).outcome()
            #expect(outcome.status == ExitCode.refused.rawValue, "line \(line): \(words) \(outcome.output)")
            #expect(outcome.error?["status"]?.intValue == status, "line \(line): \(words) \(outcome.errors)")
        }

        func login() async throws {
            let words = ["login", "--node", node.url.absoluteString, "--user", name, "--password-stdin"]
            let outcome = try await start(words, input: "correct horse\n").outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        func watch(_ context: String, count: Int) async throws -> RunningProgram {
            let running = try start(["watch", context, "--json", "--count", "\(count)", "--timeout", "50"])
            let isOn = try await eventually {
                running.hasEnded || running.documents.contains { $0["type"] == "status" && $0.isSettledStatus }
            }
            #expect(isOn, "\(running.outputSoFar)\(running.errorsSoFar)")
            return running
        }
    }

    private static func with(_ body: (_ alice: Person, _ bob: Person) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let network = DevNetwork()
        var people: [Person] = []
        for name in ["alice", "bob"] {
            var options = DevNodeOptions()
            options.users = [(name, "correct horse")]
            options.network = network
            let node = try await DevNode.start(options)
            node.applications.publish(KeyValueContract(), package: "com.example.notes", version: "1.0.0")
            node.applications.publish(NotesTwo(), package: "com.example.notes", version: "2.0.0")
            people.append(Person(name: name, node: node, folder: folder))
        }
        let result: Result<Void, any Error>
        do {
            for person in people { try await person.login() }
            result = .success(try await body(people[0], people[1]))
        } catch {
            result = .failure(error)
        }
        for person in people { await person.node.stop() }
        try result.get()
    }

    @Test("from installing an application to leaving, through the command line alone")
    func story() async throws {
        try await Self.with { alice, bob in
            // Alice makes a place to work in.
            let application = try #require(
                try await alice.json("app", "install", "com.example.notes", "1.0.0")["applicationId"]?.stringValue)
            let namespace = try #require(
                try await alice.json("namespace", "create", "--application", application, "--name", "team")[
                    "namespaceId"]?.stringValue)
            let context = try #require(
                try await alice.json("context", "create", namespace, "--name", "notes")["contextId"]?.stringValue)

            // She invites Bob, who joins.
            try await bob.refused("namespace", "show", namespace, status: 404)
            _ = try await bob.json("app", "install", "com.example.notes", "1.0.0")
            let invitation = try await alice.mero("invite", "create", namespace).output
                .trimmingCharacters(in: .newlines)
            #expect(try await bob.json("invite", "show", invitation)["groupId"] == .string(namespace))
            let joined = try await bob.json("invite", "accept", invitation)
            #expect(joined["contexts"] == [.string(context)])
            let account = try #require(try await bob.json("identity", "show")["accountId"]?.stringValue)
            #expect(joined["memberAccount"] == .string(account))
            let members = try await alice.json("member", "list", namespace)["members"]?.arrayValue
            #expect(members?.count == 2)

            // Both write, both see and hear it.
            let ears = [try await alice.watch(context, count: 2), try await bob.watch(context, count: 2)]
            #expect(try await alice.mero("call", context, "set", #"{"key":"a","value":"from alice"}"#).status == 0)
            #expect(try await bob.mero("call", context, "get", #"{"key":"a"}"#).output == "\"from alice\"\n")
            #expect(try await bob.mero("call", context, "set", #"{"key":"b","value":"from bob"}"#).status == 0)
            #expect(try await alice.mero("call", context, "get", #"{"key":"b"}"#).output == "\"from bob\"\n")
            for ear in ears {
                let heard = await ear.outcome()
                #expect(heard.status == 0, "\(heard.errors)")
                let events = heard.documents.filter { $0["type"] == "event" }
                #expect(events.count == 2 && events.allSatisfy { $0["event"]?["type"] == "StateMutation" })
            }

            // What Bob may do is up to Alice.
            _ = try await alice.json("member", "revoke", namespace, account, "invite")
            try await bob.refused("invite", "create", namespace, status: 403)
            _ = try await alice.json("member", "grant", namespace, account, "invite")
            _ = try await bob.json("invite", "create", namespace)
            _ = try await alice.json("member", "revoke", namespace, account, "invite")
            try await bob.refused("invite", "create", namespace, status: 403)
            try await bob.refused("group", "rename", namespace, "bobs", status: 403)
            _ = try await alice.json("member", "role", namespace, account, "admin")
            _ = try await bob.json("group", "rename", namespace, "bobs")
            #expect(try await alice.json("namespace", "show", namespace)["name"] == "bobs")
            _ = try await alice.json("member", "role", namespace, account, "reader")
            try await bob.refused("group", "rename", namespace, "again", status: 403)
            let readOnly = try await bob.mero("call", context, "set", #"{"key":"c","value":"no"}"#, "--json")
            #expect(readOnly.error?["type"] == "ReadOnlyWriteRefused", "\(readOnly.output)\(readOnly.errors)")
            _ = try await alice.json("member", "role", namespace, account, "member")

            // A new version, with a migration.
            _ = try await alice.json("app", "install", "com.example.notes", "2.0.0")
            _ = try await bob.json("app", "install", "com.example.notes", "2.0.0")
            _ = try await alice.json("group", "upgrade", namespace, "--cascade", "--yes")
            for person in [alice, bob] {
                let isDone = try await eventually {
                    try await person.json("group", "upgrade-status", namespace)["status"] == "completed"
                }
                #expect(isDone, "\(person.name)")
                #expect(try await person.mero("call", context, "version").output == "\"2\"\n", "\(person.name)")
                #expect(try await person.mero("call", context, "get", #"{"key":"a"}"#).output == "\"from alice\"\n")
                #expect(try await person.json("context", "show", context)["applicationVersion"] == "2.0.0")
            }
            let migration = try await alice.json("namespace", "migration", namespace)["migration"]
            #expect(migration?["rollup"]?["total"]?.intValue == 2, "\(String(describing: migration))")

            // Bob leaves, and Alice puts the lights out.
            let unsure = try await bob.mero("namespace", "leave", namespace)
            #expect(unsure.status == ExitCode.usage.rawValue)
            _ = try await bob.json("namespace", "leave", namespace, "--yes")
            let rest = try await alice.json("member", "list", namespace)["members"]?.arrayValue
            #expect(rest?.count == 1)
            #expect(try await bob.mero("call", context, "get", #"{"key":"a"}"#).status == ExitCode.refused.rawValue)
            #expect(try await alice.json("namespace", "delete", namespace, "--yes")["deleted"] == true)
        }
    }
}
