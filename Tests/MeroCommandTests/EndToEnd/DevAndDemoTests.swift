import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("Nodes and stories from the command line", .serialized)
struct DevAndDemoTests {
    @Test("a development node starts, serves, and stops cleanly on a signal", arguments: [SIGINT, SIGTERM])
    func devLife(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": folder.url.path]
        let dev = try Program(Program.mero, ["dev", "--port", "0", "--json"]).start(in: folder)
        #expect(try await eventually { dev.outputSoFar.contains("\n") })
        let ready = try JSONValue(jsonBytes: Array(dev.outputSoFar.utf8))
        #expect(ready["event"] == "ready")
        let url = try #require(ready["url"]?.stringValue)
        let context = try #require(ready["context"]?.stringValue)

        let login = try await Program(Program.mero, ["login", "--node", url, "--user", "dev", "--password-stdin"])
            .run(input: "dev-password", environment: environment, in: folder)
        #expect(login.status == 0, "\(login.errors)")
        let set = try await Program(Program.mero, ["call", context, "set", #"{"key":"a","value":"b"}"#])
            .run(environment: environment, in: folder)
        #expect(set.status == 0, "\(set.errors)")

        dev.send(signal)
        let outcome = await dev.outcome()
        #expect(outcome.status == 0)
        #expect(outcome.documents.last?["event"] == "stopped")
        #expect(outcome.errors.isEmpty)
        let after = try await Program(Program.mero, ["whoami", "--retry", "never"]).run(
            environment: environment, in: folder)
        #expect(after.status == 4)
    }

    @Test("a development node keeps its state in a folder, and its user's password to itself")
    func devData() async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": folder.url.path]
        let words = ["dev", "--port", "0", "--data", folder.file("data").path, "--user", "bob", "--password-stdin"]
        for round in 0..<2 {
            let dev = try Program(Program.mero, words).start(input: "bob-password\n", in: folder)
            #expect(try await eventually { dev.outputSoFar.contains("mero watch") })
            let url = try #require(dev.outputSoFar.split(separator: " ").first { $0.hasPrefix("http://") })
            let login = try await Program(
                Program.mero, ["login", "--node", String(url), "--user", "bob", "--password-stdin"]
            )
            .run(input: "bob-password", environment: environment, in: folder)
            #expect(login.status == 0, "\(login.errors)")
            let method = round == 0 ? ["set", #"{"key":"a","value":"kept"}"#] : ["get", #"{"key":"a"}"#]
            let call = try await Program(Program.mero, ["call", DevCommand.context] + method)
                .run(environment: environment, in: folder)
            #expect(call.status == 0)
            if round == 1 { #expect(call.output == "\"kept\"\n") }
            dev.send(SIGINT)
            let outcome = await dev.outcome()
            #expect(outcome.status == 0)
            #expect(!(outcome.output + outcome.errors).contains("bob-password"))
        }
    }

    @Test("--quiet prints the address and nothing else")
    func devQuiet() async throws {
        let folder = try TemporaryFolder()
        let dev = try Program(Program.mero, ["dev", "-q", "--port", "0"]).start(in: folder)
        #expect(try await eventually { dev.outputSoFar.hasSuffix("\n") })
        dev.send(SIGINT)
        let outcome = await dev.outcome()
        #expect(outcome.status == 0)
        #expect(NodeAddress(String(outcome.output.dropLast())) != nil, "\(outcome.output)")
    }

    @Test("a port that is taken is named")
    func devPortTaken() async throws {
        let node = try await DevNode.start()
        let folder = try TemporaryFolder()
        let outcome = try await Program(Program.mero, ["dev", "--port", "\(node.port)"]).run(in: folder)
        await node.stop()
        #expect(outcome.status == 6)
        #expect(outcome.isOneErrorLine && outcome.errors.contains("\(node.port)"))
    }

    @Test("the demo runs through")
    func demo() async throws {
        let folder = try TemporaryFolder()
        let people = try await Program(Program.mero, ["demo"]).run(in: folder)
        #expect(people.status == 0, "\(people.errors)")
        for text in [
            "FunctionCallError", "1 refresh", "all 50 answered", "authRevoked (token_revoked", "gap mark",
            "relay -> \"hello, relay\"", "2 warrants", "All 19 steps",
            "all to /sealed/v2",
            "To go on from here:", "dev --nodes 2", "MeroError.rpc | relay -> MeroError.http(400)",
        ] {
            #expect(people.output.contains(text), "\(text)")
        }
        #expect(!people.output.contains("\u{1B}"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.hasPrefix(".config") }
        )
    }

    @Test("the demo for programs")
    func demoDocuments() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program(Program.mero, ["demo", "--json"]).run(in: folder)
        #expect(outcome.status == 0)
        let steps = outcome.documents
        #expect(steps.count == outcome.output.split(separator: "\n").count)
        #expect(steps.dropLast().allSatisfy { $0["ok"] == true })
        let refresh = try #require(steps.first { $0["step"] == "refresh" })
        #expect(refresh["calls"] == 50 && refresh["refreshes"] == 1)
        #expect(steps.last?["done"] == true)
    }

    @Test("the demo against a node that runs already does what that allows, and leaves nothing behind")
    func remoteDemo() async throws {
        try await Workbench.with { bench in
            let words = [
                "demo", "--node", bench.url, "--context", bench.store, "--user", Workbench.user, "--password-stdin",
            ]
            let outcome = try await bench.start(words, input: Workbench.password).outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            for text in ["alive", "FunctionCallError", "permissions: admin", "StateMutation", "Left out"] {
                #expect(outcome.output.contains(text), "\(text)")
            }
            #expect(!outcome.output.contains(Workbench.password))
            #expect(bench.node.contextState(bench.store)?.isEmpty == true)
            #expect(bench.node.requestCount("POST", "/auth/logout") == 1)
            #expect(!FileManager.default.fileExists(atPath: bench.folder.file("config").path))
        }
    }

    @Test("a demo that goes wrong says where and fails")
    func failingDemo() async throws {
        try await Workbench.with { bench in
            let words = [
                "demo", "--json", "--node", bench.url, "--context", bench.probe, "--user", Workbench.user,
                "--password-stdin",
            ]
            let outcome = try await bench.start(words, input: Workbench.password).outcome()
            #expect(outcome.status == 1)
            #expect(outcome.documents.last?["ok"] == false)
            #expect(outcome.error?["message"]?.stringValue?.contains("Write through a contract") == true)
        }
    }
}
