import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero identity pair, complete, scope, relink and link", .serialized)
struct PairingCommandTests {
    /// Two nodes: "default" is signed in to the one with the account, "new" to the other.
    private static func with(_ body: (Workbench, _ second: DevNode) async throws -> Void) async throws {
        try await Workbench.with { bench in
            var options = DevNodeOptions()
            options.users = [(Workbench.user, Workbench.password)]
            let second = try await DevNode.start(options)
            do {
                try await bench.login()
                let words = ["login", "--node", second.url.absoluteString, "--user", Workbench.user]
                let login = try await bench.start(
                    words + ["--password-stdin", "--profile", "new"], input: Workbench.password + "\n"
                ).outcome()
                #expect(login.status == 0, "\(login.errors)")
                try await body(bench, second)
            } catch {
                await second.stop()
                throw error
            }
            await second.stop()
        }
    }

    @Test("a second node becomes a device, is narrowed, repaired and withdrawn")
    func pairing() async throws {
        try await Self.with { bench, second in
            let application = DevNode.applicationId(of: KeyValueContract())
            let namespace = try bench.node.createNamespace(contract: KeyValueContract())
            let identity = try #require(try await bench.mero("identity", "show", "--json").document)
            let root = try #require(identity["accountRootPublicKey"]?.stringValue)
            let home = try #require(identity["accountNamespaceId"]?.stringValue)
            let asked = try await bench.mero("identity", "pair", root, home, "--profile", "new")
            #expect(asked.status == ExitCode.usage.rawValue && asked.errors.contains("--yes"))
            let shown = try await bench.mero("identity", "pair", root, home, "--profile", "new", "--yes")
            #expect(shown.errors.contains("mero identity complete"), "\(shown.errors)")
            let begun = try await bench.mero("identity", "pair", root, home, "--profile", "new", "--yes", "--json")
            let request = try #require(begun.document?["request"]?.stringValue, "\(begun.errors)")
            let code = try #require(begun.document?["confirmationCode"]?.stringValue)
            let device = try #require(begun.document?["deviceId"]?.stringValue)
            #expect(begun.document?["accountId"] == .string(bench.node.accountId))

            bench.node.clearRequests()
            let garbled = try await bench.mero("identity", "complete", String(request.dropLast(5)), code)
            #expect(garbled.status == ExitCode.usage.rawValue && bench.node.requests.isEmpty)
            let wrong = try await bench.mero("identity", "complete", request, "0000-0000-0000-0000", "--json")
            #expect(wrong.error?["status"]?.intValue == 400, "\(wrong.errors)")
            let done = try await bench.mero("identity", "complete", request, code, "--json")
            #expect(done.document?["deviceId"] == .string(device), "\(done.errors)")
            #expect(try await bench.mero("identity", "devices").output.contains(device))

            let all = try await bench.mero("identity", "scope", device, "all", "--json")
            #expect(all.document?["applications"] == [], "\(all.errors)")
            let narrowed = try await bench.mero("identity", "scope", device, application)
            #expect(narrowed.output.contains(application) && narrowed.output.contains(namespace), "\(narrowed.errors)")
            let unknown = try await bench.mero(
                "identity", "scope", device, String(repeating: "9", count: 64), "--json")
            #expect(unknown.error?["status"]?.intValue == 400, "\(unknown.output)")
            let repaired = try await bench.mero("identity", "relink", device)
            #expect(repaired.output.contains("in already"), "\(repaired.output)\(repaired.errors)")
            #expect(try await bench.mero("identity", "relink", device, "--json").document?["skipped"] != nil)
            let gone = try await bench.mero("identity", "revoke", namespace, device, "--yes", "--json")
            #expect(gone.document?["deviceId"] == .string(device), "\(gone.errors)")
            #expect(try await bench.mero("identity", "devices").output.contains("revoked"))
        }
    }

    @Test("another account's device is linked once")
    func linking() async throws {
        try await Self.with { bench, _ in
            let cleo = try DevAccount()
            let namespace = try bench.node.createNamespace(members: [cleo.accountId: .member])
            let scope = try cleo.root.scope(device: cleo.deviceId, applications: [])
            let first = try await bench.mero("identity", "link", namespace, cleo.credential, scope, "--json")
            #expect(first.document?["alreadyBound"] == false, "\(first.errors)")
            let again = try await bench.mero("identity", "link", namespace, cleo.credential, scope)
            #expect(again.output.contains("as before"), "\(again.errors)")
            let bad = try await bench.mero("identity", "link", namespace, "zz", scope, "--json")
            #expect(bad.error?["status"]?.intValue == 400)
        }
    }
}
