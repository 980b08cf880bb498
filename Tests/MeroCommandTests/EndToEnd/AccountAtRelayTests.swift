import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

/// An account that finds its way at a relay, by the command line alone.
@Suite("An account at a relay", .serialized)
struct AccountAtRelayTests {
    private static func with(
        _ body: (Workbench, _ namespace: String, _ context: String, _ account: String) async throws -> Void
    ) async throws {
        try await Workbench.with { bench in
            let account = try await bench.mero("account", "new", "--json").document?["account"]?.stringValue
            let namespace = try bench.node.createNamespace(contract: KeyValueContract())
            let context = try bench.node.createContext(KeyValueContract(), inGroup: namespace)
            try await body(bench, namespace, context, try #require(account))
        }
    }

    @Test("it joins, is told its contexts, lists, calls, watches and is present, the relay coming from the environment")
    func life() async throws {
        try await Self.with { bench, namespace, context, account in
            let relay = ["MERO_RELAY": bench.url]
            let invitation = try #require(
                InviteCodec.encode(json: try bench.node.createInvitation(namespace: namespace)))
            let joined = try await bench.mero("relay", "join", invitation, "--json", environment: relay)
            #expect(joined.document?["contexts"] == [.string(context)], "\(joined.errors)")
            let contexts = try await bench.mero("context", "list", "--json", environment: relay)
            #expect(contexts.document?["contexts"]?.arrayValue?.map { $0["contextId"] } == [.string(context)])
            let namespaces = try await bench.mero("namespace", "list", "--json", "--relay", bench.url)
            #expect(namespaces.document?["namespaces"]?.arrayValue?.map { $0["namespaceId"] } == [.string(namespace)])
            for (list, id) in [("context", context), ("namespace", namespace)] {
                let application = DevNode.applicationId(of: KeyValueContract())
                let own = try await bench.mero(list, "list", "--application", application, environment: relay)
                #expect(own.output.contains(id), "\(own.errors)")
                let other = try await bench.mero(list, "list", "--application", id, environment: relay)
                #expect(other.status == 0 && !other.output.contains(id), "\(other.errors)")
            }
            let written = try await bench.mero(
                "call", context, "set", #"{"key":"a","value":"b"}"#, environment: relay)
            #expect(written.status == 0, "\(written.errors)")
            #expect(bench.node.delegatedWrites.map(\.account) == [account])
            let present = try await bench.mero(
                "presence", context, "--set", #"{"status":"here"}"#, "--watch", "--count", "1", "--timeout", "20",
                "--json", environment: relay)
            #expect(present.status == 0, "\(present.errors)")
            #expect(present.documents.first { $0["type"] == "join" }?["account"] == .string(account))
            // A node on the line outranks the environment: there is no session there.
            let onNode = try await bench.mero("call", context, "len", "--node", bench.url, environment: relay)
            #expect(onNode.status == ExitCode.notSignedIn.rawValue && onNode.errors.contains("mero login"))
        }
    }

    @Test("who has an account and no login is told of the account")
    func whoami() async throws {
        try await Self.with { bench, _, _, account in
            for words in [["whoami"], ["whoami", "--node", bench.url]] {
                let outcome = try await bench.start(words).outcome()
                #expect(outcome.status == ExitCode.notSignedIn.rawValue && outcome.isOneErrorLine)
                #expect(outcome.errors.contains(account), "\(outcome.errors)")
            }
        }
    }

    @Test("refusals say what would help")
    func refusals() async throws {
        try await Self.with { bench, namespace, context, account in
            func refused(_ words: String...) async throws -> Program.Outcome {
                try await bench.start(words + ["--relay", bench.url]).outcome()
            }
            let invitation = try #require(
                InviteCodec.encode(json: try bench.node.createInvitation(namespace: namespace)))
            #expect(try await refused("relay", "join", invitation).status == 0)

            // A method that writes, read.
            let query = try await refused("relay", "query", context, "clear")
            #expect(query.errors.contains("mero relay call") && query.isOneErrorLine, "\(query.errors)")
            // A contract's error has its type, in text as well.
            let own = try await refused("call", context, "get_result", #"{"key":"none"}"#)
            #expect(own.errors.contains("The call failed: FunctionCallError: "), "\(own.errors)")
            // A relay that may not act: the command that lets it.
            try bench.node.setAuthorship(false, group: namespace)
            let read = try await refused("call", context, "get", #"{"key":"a"}"#)
            let grant = "mero member grant $NAMESPACE \(bench.node.accountId) act-for-others"
            #expect(read.errors.contains(grant) && !read.errors.contains("written"), "\(read.errors)")
            // A join that is refused: the relay's own words come first.
            let damaged = try bench.node.createInvitation(namespace: namespace, validFor: -60)
            let late = try await refused("relay", "join", try #require(InviteCodec.encode(json: damaged)))
            #expect(late.status != 0 && late.isOneErrorLine, "\(late.errors)")
            if let usually = late.errors.range(of: "(usually: ") {
                #expect(late.errors[..<usually.lowerBound].contains("expire"), "\(late.errors)")
            }
        }
    }

    @Test("a node that is no relay, and an address in the environment that is none")
    func noRelay() async throws {
        let node = try await DevNode.start()
        try await Self.with { bench, _, _, _ in
            for words in [["call", bench.store, "len"], ["context", "list"], ["relay", "describe", bench.store]] {
                let outcome = try await bench.start(
                    words, environment: ["MERO_RELAY": node.url.absoluteString]
                ).outcome()
                #expect(outcome.isOneErrorLine && outcome.errors.contains("Is this node a relay?"), "\(outcome.errors)")
                #expect(!outcome.errors.contains("mero login"))
            }
            let odd = try await bench.mero(
                "call", bench.store, "len", environment: ["MERO_RELAY": "http://u:SECRET@h"])
            #expect(odd.status == ExitCode.usage.rawValue && odd.errors.contains("MERO_RELAY"), "\(odd.errors)")
            #expect(!odd.errors.contains("SECRET"))
        }
        await node.stop()
    }

    @Test("a package that the registry does not have is asked for once")
    func unknownPackage() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.clearRequests()
            let missing = try await bench.mero("app", "install", "com.example.nothing", "1.0.0")
            #expect(missing.status == ExitCode.refused.rawValue && !missing.errors.contains("Try again"))
            #expect(bench.node.requestCount("POST", "/admin-api/install-application") == 1)
            // What runs without having been installed is no second application.
            #expect(try await bench.mero("app", "install", "kv-store", "1.0.0").status == 0)
            let apps = try await bench.mero("app", "list", "--json").document?["applications"]?.arrayValue
            #expect(apps?.filter { $0["package"] == "kv-store" }.count == 1)
        }
    }

    @Test("two nodes of one process join each other")
    func twoNodes() async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": folder.url.path]
        let dev = try Program(Program.mero, ["dev", "--nodes", "2", "--port", "0", "--json"]).start(in: folder)
        #expect(try await eventually { dev.outputSoFar.contains("\n") })
        let ready = try #require(dev.documents.first)
        #expect(ready["applications"] == ["kv-store 1.0.0", "probe 1.0.0"])
        let urls = ready["nodes"]?.arrayValue?.compactMap { $0["url"]?.stringValue } ?? []
        #expect(urls.count == 2 && urls.first == ready["url"]?.stringValue)
        @Sendable func mero(_ words: String..., input: String = "") async throws -> Program.Outcome {
            try await Program(Program.mero, words).run(input: input, environment: environment, in: folder)
        }
        for (profile, url) in zip(["default", "other"], urls) {
            let login = try await mero(
                "login", "--profile", profile, "--node", url, "--user", "dev", "--password-stdin",
                input: "dev-password")
            #expect(login.status == 0, "\(login.errors)")
        }
        let accepted = try await mero(
            "invite", "accept", ready["invitation"]?.stringValue ?? "", "--profile", "other")
        #expect(accepted.status == 0, "\(accepted.errors)")
        let context = ready["context"]?.stringValue ?? ""
        #expect(try await mero("call", context, "set", #"{"key":"a","value":"b"}"#).status == 0)
        let read = Locked("")
        #expect(
            try await eventually {
                let outcome = try await mero("call", context, "get", #"{"key":"a"}"#, "--profile", "other")
                read.withLock { $0 = outcome.output + outcome.errors }
                return outcome.output == "\"b\"\n"
            }, "\(read.withLock { $0 })")
        dev.send(SIGINT)
        #expect(await dev.outcome().status == 0)
    }
}
