import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero relay")
struct RelayCommandTests {
    /// A relay, a context in a namespace, and an account of the default profile that is a member there.
    private static func with(
        member: Bool = true,
        _ body: (Workbench, _ namespace: String, _ context: String, _ account: String) async throws -> Void
    ) async throws {
        try await Workbench.with { bench in
            let made = try await bench.mero("account", "new", "--json")
            let account = try #require(made.document?["account"]?.stringValue)
            let members: [String: DevRole] = member ? [account: .member] : [:]
            let namespace = try bench.node.createNamespace(members: members, contract: KeyValueContract())
            let context = try bench.node.createContext(KeyValueContract(), inGroup: namespace)
            try await body(bench, namespace, context, account)
        }
    }

    @Test func writesReadsAndDescribes() async throws {
        try await Self.with { bench, namespace, context, account in
            let arguments = #"{"key":"greeting","value":"hello"}"#
            let written = try await bench.mero("relay", "call", context, "set", arguments, "--relay", bench.url)
            #expect(written.status == 0, "\(written.errors)")
            #expect(bench.node.delegatedWrites.map(\.account) == [account])

            let key = #"{"key":"greeting"}"#
            let called = try await bench.mero("call", context, "get", key, "--relay", bench.url)
            #expect(called.output == "\"hello\"\n")
            let raw = try await bench.mero("relay", "query", context, "get", key, "--raw", "--relay", bench.url)
            #expect(raw.output == "hello\n", "\(raw.errors)")
            // No session was opened for it, and every number was spent once.
            #expect(bench.node.requestCount("POST", "/auth/token") == 0)

            // A method that writes is not run by a query.
            let refused = try await bench.mero("relay", "query", context, "clear", "--relay", bench.url, "--json")
            #expect(refused.status == ExitCode.refused.rawValue)
            #expect(refused.error?["status"]?.intValue == 409)
            #expect(bench.node.contextState(context)?.isEmpty == false)

            let described = try await bench.mero("relay", "describe", context, "--relay", bench.url, "--json")
            #expect(described.document?["executorAccount"] == .string(bench.node.accountId))
            #expect(described.document?["canAuthorOnBehalf"] == true)
            let group = try await bench.mero(
                "relay", "describe", "--group", namespace, "--relay", bench.url, "--json")
            #expect(group.document?["canActOnBehalf"] == true, "\(group.errors)")
            let neither = try await bench.mero("relay", "describe", "--relay", bench.url)
            #expect(neither.status == ExitCode.usage.rawValue && neither.isOneErrorLine)
        }
    }

    @Test func allDigitsArrive() async throws {
        try await Self.with { bench, _, context, _ in
            let arguments = #"{"key":"n","value":"18446744073709551615"}"#
            _ = try await bench.mero("relay", "call", context, "set", arguments, "--relay", bench.url)
            let odd = #"{"key":"n","unused":18446744073709551615}"#
            let read = try await bench.mero("relay", "query", context, "get", odd, "--relay", bench.url)
            let written = try await bench.mero("relay", "call", context, "get", odd, "--relay", bench.url)
            for outcome in [read, written] where outcome.status == 0 {
                #expect(outcome.output == "\"18446744073709551615\"\n")
            }
            #expect(bench.node.delegatedWrites.last?.argsJson.contains("18446744073709551615") == true)
        }
    }

    @Test func aContractsErrorIsTyped() async throws {
        try await Self.with { bench, _, context, _ in
            let outcome = try await bench.mero(
                "relay", "call", context, "get_result", #"{"key":"none"}"#, "--relay", bench.url, "--json")
            #expect(outcome.status == ExitCode.refused.rawValue)
            #expect(outcome.error?["type"] == "FunctionCallError")
        }
    }

    @Test func strangersAreRefused() async throws {
        try await Self.with(member: false) { bench, _, context, _ in
            let outcome = try await bench.mero("relay", "call", context, "clear", "--relay", bench.url, "--json")
            #expect(outcome.status == ExitCode.refused.rawValue)
            #expect(outcome.error?["status"]?.intValue == 403)
            #expect(bench.node.delegatedWrites.isEmpty)
        }
    }

    @Test func joinsWithAnInvitation() async throws {
        try await Self.with(member: false) { bench, namespace, context, account in
            let json = try bench.node.createInvitation(namespace: namespace)
            let token = try #require(InviteCodec.encode(json: json))
            let link = InviteLink.invitation(token: token, slug: "notes")
            let joined = try await bench.mero("relay", "join", link, "--relay", bench.url, "--json")
            #expect(joined.status == 0, "\(joined.errors)")
            #expect(joined.document?["namespaceId"] == .string(namespace))
            #expect(joined.document?["published"] == true)
            #expect(bench.node.members(group: namespace)?[account] == .member)
            let written = try await bench.mero(
                "relay", "call", context, "set", #"{"key":"a","value":"b"}"#, "--relay", bench.url)
            #expect(written.status == 0, "\(written.errors)")
            for bad in ["nonsense", "{}", "https://links.calimero.network/notes/join"] {
                let outcome = try await bench.mero("relay", "join", bad, "--relay", bench.url)
                #expect(outcome.status == ExitCode.usage.rawValue && outcome.isOneErrorLine, "\(bad)")
            }
        }
    }

    @Test func foundsANamespace() async throws {
        try await Self.with(member: false) { bench, _, _, account in
            let outcome = try await bench.mero(
                "relay", "found", "--executor", bench.node.accountId, "--node-key", bench.node.nodeKey,
                "--member-capabilities", "231", "--relay", bench.url, "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let namespace = try #require(outcome.document?["namespaceId"]?.stringValue)
            #expect(outcome.document?["defaultCapabilitiesSet"] == true)
            #expect(bench.node.members(group: namespace)?[account] == .admin)
            let wrongKey = try await bench.mero(
                "relay", "found", "--executor", bench.node.accountId, "--node-key", String(repeating: "0", count: 64),
                "--relay", bench.url)
            #expect(wrongKey.status == ExitCode.refused.rawValue && wrongKey.isOneErrorLine, "\(wrongKey.errors)")
            let half = try await bench.mero("relay", "found", "--executor", account, "--relay", bench.url)
            #expect(half.status == ExitCode.usage.rawValue)
        }
    }

    @Test func watchesAsTheAccount() async throws {
        try await Self.with { bench, _, context, _ in
            let running = try bench.start(["watch", context, "--relay", bench.url, "--json", "--count", "1"])
            let isOn = try await eventually {
                running.hasEnded || running.documents.contains { $0["type"] == "status" && $0.isSettledStatus }
            }
            #expect(isOn, "\(running.errorsSoFar)")
            let written = try await bench.mero(
                "relay", "call", context, "set", #"{"key":"a","value":"b"}"#, "--relay", bench.url)
            #expect(written.status == 0, "\(written.errors)")
            let outcome = await running.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.documents.contains { $0["type"] == "event" && $0["event"]?["type"] == "StateMutation" })
            #expect(bench.node.requestCount("POST", "/auth/token") == 0)
        }
    }

    @Test func withoutRelayOrAccount() async throws {
        try await Workbench.with { bench in
            let unnamed = try await bench.mero("relay", "call", bench.store, "len")
            #expect(unnamed.status == ExitCode.usage.rawValue && unnamed.errors.contains("--relay"))
            let nobody = try await bench.mero("relay", "call", bench.store, "len", "--relay", bench.url)
            #expect(nobody.status == ExitCode.notSignedIn.rawValue && nobody.errors.contains("mero account new"))
            #expect(try await bench.mero("account", "device", "new").status == 0)
            let uncertified = try await bench.mero("relay", "call", bench.store, "len", "--relay", bench.url)
            #expect(uncertified.status == ExitCode.notSignedIn.rawValue && uncertified.errors.contains("certified"))
            #expect(bench.node.requests.isEmpty)
        }
    }
}
