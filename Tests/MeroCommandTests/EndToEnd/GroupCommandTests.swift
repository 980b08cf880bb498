import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero namespace, group, member, invite and identity", .serialized)
struct GroupCommandTests {
    private static let stranger = String(repeating: "cd", count: 32)

    /// A session, an application, and a namespace around it that the command line founded.
    private static func with(
        _ body: (Workbench, _ application: String, _ namespace: String) async throws -> Void
    ) async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let application = try bench.node.applications.install(KeyValueContract(), package: "com.example.notes")
            let made = try await bench.mero(
                "namespace", "create", "--application", application, "--name", "team", "--json")
            #expect(made.status == 0, "\(made.errors)")
            let namespace = try #require(made.document?["namespaceId"]?.stringValue)
            #expect(made.document?["founderAccountId"] == .string(bench.node.accountId))
            try await body(bench, application, namespace)
        }
    }

    @Test("found, look at, join, leave and delete a namespace")
    func namespaces() async throws {
        try await Self.with { bench, application, namespace in
            let listed = try await bench.mero("namespace", "list")
            #expect(listed.output.contains(namespace) && listed.output.contains("team"), "\(listed.errors)")
            let filtered = try await bench.mero("namespace", "list", "--application", application, "--json")
            let ids = filtered.document?["namespaces"]?.arrayValue?.compactMap { $0["namespaceId"]?.stringValue }
            #expect(ids == [namespace], "\(filtered.errors)")
            let shown = try await bench.mero("namespace", "show", namespace, "--json")
            #expect(shown.document?["applicationId"] == .string(application), "\(shown.errors)")
            #expect(try await bench.mero("namespace", "show", namespace).output.contains("team"))
            let usage = try await bench.mero("namespace", "usage")
            #expect(usage.status == 0 && usage.output.contains(namespace), "\(usage.errors)")
            #expect(try await bench.mero("namespace", "usage", "--json").document?["namespaces"] != nil)
            let migration = try await bench.mero("namespace", "migration", namespace, "--json")
            #expect(migration.document?["migration"] != nil, "\(migration.errors)")
            let aborted = try await bench.mero("namespace", "abort-migration", namespace, "--yes", "--json")
            #expect(aborted.document?["aborted"] == false, "\(aborted.errors)")
            // The owner cannot go.
            let leave = try await bench.mero("namespace", "leave", namespace, "--yes", "--json")
            #expect(leave.status == ExitCode.refused.rawValue && leave.error?["status"]?.intValue == 403)
            let unnamed = try await bench.mero("namespace", "create", "--name", "x")
            #expect(unnamed.status == ExitCode.usage.rawValue && unnamed.errors.contains("--application"))
            let unknown = try await bench.mero("namespace", "create", "--application", Self.stranger, "--json")
            #expect(unknown.status == ExitCode.refused.rawValue && unknown.error?["status"]?.intValue == 404)
            let deleted = try await bench.mero("namespace", "delete", namespace, "--yes", "--json")
            #expect(deleted.document?["deleted"] == true, "\(deleted.errors)")
            #expect(try await bench.mero("namespace", "show", namespace).status == ExitCode.refused.rawValue)
        }
    }

    @Test("groups below a namespace")
    func groups() async throws {
        try await Self.with { bench, _, namespace in
            func make(_ words: String...) async throws -> String {
                let made = try await bench.start(["group", "create"] + words + ["--json"]).outcome()
                #expect(made.status == 0, "\(made.errors)")
                return try #require(made.document?["groupId"]?.stringValue)
            }
            let editors = try await make(namespace, "--name", "editors")
            let lobby = try await make(namespace, "--name", "lobby", "--open")
            let inner = try await make(editors, "--name", "inner", "--open")
            for (group, visibility) in [(editors, "restricted"), (lobby, "open"), (inner, "open")] {
                let shown = try await bench.mero("group", "show", group, "--json")
                #expect(shown.document?["visibility"] == .string(visibility), "\(shown.output)\(shown.errors)")
                #expect(shown.document?["namespaceId"] == .string(namespace))
            }
            let all = try await bench.mero("group", "list", namespace, "--json").document?["groups"]?.arrayValue
            #expect(Set(all?.compactMap { $0["groupId"]?.stringValue } ?? []) == [editors, lobby, inner])
            #expect(try await bench.mero("group", "list", editors).output.contains(inner))

            #expect(try await bench.mero("group", "visibility", editors, "open").status == 0)
            #expect(try await bench.mero("group", "show", editors).output.contains("open"))
            let named = try await bench.mero("group", "rename", editors, "writers", "--json")
            #expect(named.document?["name"] == "writers", "\(named.errors)")
            #expect(bench.node.name(ofGroup: editors) == "writers")
            let moved = try await bench.mero("group", "move", inner, lobby, "--json")
            #expect(moved.document?["moved"] == true, "\(moved.errors)")
            #expect(bench.node.subgroups(of: lobby) == [inner])

            let granted = try await bench.mero("group", "grant", lobby, "invite", "manage-metadata", "--json")
            let words = granted.document?["defaultCapabilities"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(words.contains("invite") && words.contains("manage-metadata"), "\(granted.errors)")
            let revoked = try await bench.mero("group", "revoke", lobby, "invite")
            #expect(revoked.status == 0 && !revoked.output.contains("invite"), "\(revoked.output)\(revoked.errors)")
            let again = try await bench.mero("group", "revoke", lobby, "invite", "--json")
            #expect(again.document?["changed"] == false)

            let made = try await bench.mero("context", "create", lobby, "--name", "notes", "--json")
            let context = try #require(made.document?["contextId"]?.stringValue, "\(made.errors)")
            #expect(try await bench.mero("group", "contexts", lobby).output.contains(context))
            let renamed = try await bench.mero("context", "rename", context, "ideas")
            #expect(renamed.status == 0, "\(renamed.errors)")
            let contexts = try await bench.mero("group", "contexts", lobby, "--json")
            #expect(contexts.document?["contexts"]?.arrayValue?.first?["name"] == "ideas", "\(contexts.output)")
            let synced = try await bench.mero("group", "sync", lobby, "--json")
            #expect(synced.document?["contexts"] == [.string(context)], "\(synced.errors)")
            #expect(try await bench.mero("group", "join", lobby).status == 0)

            let none = try await bench.mero("group", "upgrade-status", lobby, "--json")
            #expect(none.document?["status"] == .null, "\(none.errors)")
            let retry = try await bench.mero("group", "upgrade-retry", lobby, "--json")
            #expect(retry.error?["status"]?.intValue == 404)
            let same = try await bench.mero("group", "upgrade", lobby, "--yes", "--json")
            #expect(same.error?["status"]?.intValue == 409, "\(same.errors)")

            let detached = try await bench.mero("group", "detach", lobby, context, "--yes", "--json")
            #expect(detached.document?["detached"] == true, "\(detached.errors)")
            #expect(bench.node.contexts(ofGroup: lobby)?.isEmpty == true)
            let root = try await bench.mero("group", "leave", namespace, "--yes", "--json")
            #expect(root.error?["status"]?.intValue == 400, "\(root.errors)")
            let deleted = try await bench.mero("group", "delete", lobby, "--yes", "--json")
            #expect(deleted.document?["deleted"] == true, "\(deleted.errors)")
            #expect(bench.node.members(group: inner) == nil)
        }
    }

    @Test("members, their roles and what they may do")
    func members() async throws {
        try await Self.with { bench, _, namespace in
            let added = try await bench.mero("member", "add", namespace, Self.stranger, "--role", "reader", "--json")
            #expect(added.document?["role"] == "ReadOnly", "\(added.errors)")
            #expect(bench.node.members(group: namespace)?[Self.stranger] == .readOnly)
            let listed = try await bench.mero("member", "list", namespace, "--json").document?["members"]?.arrayValue
            #expect(listed?.count == 2)
            #expect(try await bench.mero("member", "list", namespace).output.contains("ReadOnly"))

            let promoted = try await bench.mero("member", "role", namespace, Self.stranger, "member")
            #expect(promoted.status == 0, "\(promoted.errors)")
            #expect(bench.node.members(group: namespace)?[Self.stranger] == .member)
            let granted = try await bench.mero("member", "grant", namespace, Self.stranger, "invite", "act-for-others")
            #expect(granted.output.contains("invite") && granted.output.contains("act-for-others"), "\(granted.errors)")
            let revoked = try await bench.mero("member", "revoke", namespace, Self.stranger, "invite", "--json")
            let words = revoked.document?["capabilities"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(words.contains("act-for-others") && !words.contains("invite"), "\(revoked.errors)")
            let renamed = try await bench.mero("member", "rename", namespace, Self.stranger, "bob")
            #expect(renamed.status == 0, "\(renamed.errors)")
            let shown = try await bench.mero("member", "show", namespace, Self.stranger, "--json")
            #expect(shown.document?["name"] == "bob" && shown.document?["role"] == "Member", "\(shown.errors)")
            #expect(try await bench.mero("member", "show", namespace, Self.stranger).output.contains("act-for-others"))
            let nobody = try await bench.mero("member", "show", namespace, String(repeating: "ef", count: 32))
            #expect(nobody.status == ExitCode.refused.rawValue && nobody.isOneErrorLine)

            let devices = try await bench.mero("member", "devices", namespace)
            #expect(devices.output.contains(bench.node.deviceId), "\(devices.errors)")
            #expect(try await bench.mero("member", "devices", namespace, "--json").document?["devices"] != nil)
            let me = bench.node.accountId
            let follow = try await bench.mero(
                "member", "follow", namespace, me, "--new-contexts", "on", "--new-groups", "off", "--json")
            #expect(follow.document?["newContexts"] == true, "\(follow.errors)")
            let half = try await bench.mero("member", "follow", namespace, me, "--new-contexts", "on")
            #expect(half.status == ExitCode.usage.rawValue)

            // The last admin stays one.
            let demoted = try await bench.mero("member", "role", namespace, me, "reader", "--json")
            #expect(demoted.status == ExitCode.refused.rawValue, "\(demoted.errors)")
            let refused = try await bench.mero("member", "remove", namespace, Self.stranger)
            #expect(refused.status == ExitCode.usage.rawValue && refused.errors.contains("--yes"))
            let removed = try await bench.mero("member", "remove", namespace, Self.stranger, "--yes", "--json")
            #expect(removed.document?["removed"] == [.string(Self.stranger)], "\(removed.errors)")
            #expect(bench.node.members(group: namespace)?[Self.stranger] == nil)
        }
    }

    @Test("ownership goes to another admin")
    func ownership() async throws {
        try await Self.with { bench, _, namespace in
            let early = try await bench.mero("group", "transfer", namespace, Self.stranger, "--yes", "--json")
            #expect(early.status == ExitCode.refused.rawValue, "\(early.errors)")
            _ = try await bench.mero("member", "add", namespace, Self.stranger)
            let admin = try await bench.mero("namespace", "admin", namespace, Self.stranger, "--yes", "--json")
            #expect(admin.document?["admin"] == .string(Self.stranger), "\(admin.errors)")
            let phrase = try await bench.mero("group", "transfer", namespace, Self.stranger, "--phrase-stdin", "--yes")
            #expect(phrase.status == ExitCode.usage.rawValue)
            // A root, but somebody else's.
            let other = try await bench.mero(
                "group", "transfer", namespace, Self.stranger, "--sign", "--phrase-stdin", "--yes", "--json",
                input: AccountRoot.generate().phrase + "\n")
            #expect(other.status == ExitCode.refused.rawValue, "\(other.errors)")
            _ = try await bench.mero("member", "role", namespace, Self.stranger, "admin")
            let moved = try await bench.mero("group", "transfer", namespace, Self.stranger, "--yes", "--json")
            #expect(moved.document?["owner"] == .string(Self.stranger), "\(moved.errors)")
        }
    }

    @Test("invitations: tokens, links, what they say")
    func invitations() async throws {
        try await Self.with { bench, _, namespace in
            let token = try await bench.mero("invite", "create", namespace)
            #expect(token.status == 0 && token.output.split(separator: "\n").count == 1, "\(token.errors)")
            let shown = try await bench.mero("invite", "show", "-", "--json", input: token.output)
            #expect(shown.document?["groupId"] == .string(namespace), "\(shown.errors)")
            #expect(shown.document?["expired"] == false && shown.document?["role"] == "member")
            let link = try await bench.mero(
                "invite", "create", namespace, "--expires", "3600", "--slug", "notes", "--admitter",
                bench.node.accountId, "--json")
            let text = try #require(link.document?["link"]?.stringValue, "\(link.errors)")
            let people = try await bench.mero("invite", "show", text)
            #expect(people.output.contains(namespace) && people.output.contains(bench.node.accountId))

            let group = try await bench.mero("group", "create", namespace, "--name", "editors", "--json")
            let editors = try #require(group.document?["groupId"]?.stringValue)
            let recursive = try await bench.mero("invite", "create", namespace, "--recursive", "--json")
            let invited = recursive.document?["invitations"]?.arrayValue?.compactMap { $0["groupId"]?.stringValue }
            #expect(Set(invited ?? []) == [namespace, editors], "\(recursive.errors)")
            let lines = try await bench.mero("invite", "create", namespace, "--recursive")
            #expect(lines.output.split(separator: "\n").count == 2)
            let below = try await bench.mero("invite", "create", editors, "--json")
            #expect(below.document?["groupId"] == .string(editors), "\(below.errors)")

            for bad in ["nonsense", "{}", "https://links.calimero.network/notes/join"] {
                for verb in ["show", "accept"] {
                    let outcome = try await bench.mero("invite", verb, bad)
                    #expect(outcome.status == ExitCode.usage.rawValue && outcome.isOneErrorLine, "\(bad)")
                }
            }
            let account = try await bench.mero("invite", "create", namespace, "--admitter", "abc")
            #expect(account.status == ExitCode.usage.rawValue && account.errors.contains("--admitter"))
        }
    }

    @Test("who the node is")
    func identity() async throws {
        try await Self.with { bench, application, namespace in
            let shown = try await bench.mero("identity", "show", "--json")
            #expect(shown.document?["accountId"] == .string(bench.node.accountId), "\(shown.errors)")
            #expect(try await bench.mero("identity", "show").output.contains(bench.node.deviceId))
            let devices = try await bench.mero("identity", "devices")
            #expect(devices.output.contains(bench.node.deviceId) && devices.output.contains("this node"))
            #expect(try await bench.mero("identity", "devices", "--json").document?["devices"] != nil)
            let applications = try await bench.mero("identity", "applications")
            #expect(applications.output.contains(application), "\(applications.errors)")
            #expect(try await bench.mero("identity", "applications", "--json").document?["applications"] != nil)
            let label = try await bench.mero("identity", "label", bench.node.deviceId, "laptop", "--json")
            #expect(label.document?["label"] == "laptop", "\(label.errors)")
            let key = try await bench.mero("identity", "new")
            #expect(Hex.is32(key.output.trimmingCharacters(in: .newlines)), "\(key.errors)")
            // Not its own device.
            let own = try await bench.mero("identity", "revoke", namespace, bench.node.deviceId, "--yes", "--json")
            #expect(own.status == ExitCode.refused.rawValue, "\(own.output)")
        }
    }
}
