import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("Sessions from the command line", .serialized)
struct SessionTests {
    @Test("login, whoami, logout")
    func wholeLife() async throws {
        try await Workbench.with { bench in
            let login = try await bench.login()
            #expect(login.output.hasPrefix("Signed in to \(bench.url) as alice"))
            let whoami = try await bench.mero("whoami")
            #expect(whoami.status == 0)
            for text in [Workbench.user, bench.url, "admin", "access"] { #expect(whoami.output.contains(text)) }

            let logout = try await bench.mero("logout", "--json")
            #expect(logout.status == 0)
            #expect(logout.document?["wasSignedIn"] == true)
            #expect(bench.node.requestCount("POST", "/auth/logout") == 1)
            let after = try await bench.mero("whoami", "--json")
            #expect(after.status == 3)
            #expect(after.error?["kind"] == "not-signed-in")
            let again = try await bench.mero("logout", "--json")
            #expect(again.status == 0)
            #expect(again.document?["wasSignedIn"] == false)
        }
    }

    @Test("whoami for programs")
    func whoamiDocument() async throws {
        try await Workbench.with { bench in
            try await bench.login("--profile", "second")
            let outcome = try await bench.mero("whoami", "--json", environment: ["MERO_PROFILE": "second"])
            let document = try #require(outcome.document)
            #expect(document["user"] == .string(Workbench.user))
            #expect(document["node"] == .string(bench.url))
            #expect(document["profile"] == "second")
            #expect(document["permissions"] == ["admin"])
            #expect(document["tokenType"] == "access")
            let expiry = try #require(
                document["expiresAt"]?.stringValue.flatMap { ISO8601DateFormatter().date(from: $0) })
            #expect(expiry > Date())
            #expect(try await bench.mero("whoami").status == 3)
        }
    }

    @Test("what is kept, only its owner can read")
    func filePermissions() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let profile = Profile(name: "default", variables: ["XDG_CONFIG_HOME": bench.folder.file("config").path])
            #expect(FilePermissions.of(profile.folder) == 0o700)
            #expect(FilePermissions.of(profile.settingsFile) == 0o600)
            #expect(FilePermissions.of(bench.tokensFile) == 0o600)
            for name in try FileManager.default.contentsOfDirectory(atPath: profile.folder.path) {
                let content = String(
                    decoding: try Data(contentsOf: profile.folder.appendingPathComponent(name)), as: UTF8.self)
                #expect(!content.contains(Workbench.password))
            }
        }
    }

    @Test("a wrong password is refused in one line that does not repeat it")
    func wrongPassword() async throws {
        try await Workbench.with { bench in
            let outcome = try await bench.mero(
                "login", "--node", bench.url, "--user", "alice", "--password-stdin", input: "wrong-password\n")
            #expect(outcome.status == 3)
            #expect(outcome.isOneErrorLine)
            #expect(!outcome.errors.contains("wrong-password"))
            #expect(try await bench.mero("whoami").status == 3)
        }
    }

    @Test(
        "no password, or none that can be one, sends nothing secret",
        arguments: ["", "\n", String(repeating: "x", count: 5000)])
    func unusablePasswords(input: String) async throws {
        try await Workbench.with { bench in
            let outcome = try await bench.mero(
                "login", "--node", bench.url, "--user", "alice", "--password-stdin", input: input)
            #expect(outcome.status == 2)
            #expect(bench.node.requestCount("POST", "/auth/token") == 0)
        }
    }

    @Test("a password goes to nodes only")
    func otherServers() async throws {
        try await Workbench.with { bench in
            for fault in [DevFault.status(404), .answer(Data("<html>".utf8), contentType: "text/html")] {
                bench.node.inject(fault, on: "GET /auth/providers")
                let outcome = try await bench.mero(
                    "login", "--node", bench.url, "--user", "alice", "--password-stdin", input: Workbench.password)
                #expect(outcome.status == 5)
                #expect(outcome.isOneErrorLine)
            }
            #expect(bench.node.requestCount("POST", "/auth/token") == 0)
        }
    }

    @Test("without a terminal and without --password-stdin nothing is read")
    func noTerminal() async throws {
        try await Workbench.with { bench in
            let outcome = try await bench.mero(
                "login", "--node", bench.url, "--user", "alice", input: Workbench.password)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("--password-stdin"))
            #expect(bench.node.requestCount("POST", "/auth/token") == 0)
        }
    }

    #if os(Linux)
        @Test("the password is in no output, no file name, no argument and no variable of the process")
        func secrecy() async throws {
            try await Workbench.with { bench in
                bench.node.inject(.stall, on: "POST /auth/token")
                let login = try bench.start(
                    ["login", "--node", bench.url, "--user", Workbench.user, "--password-stdin"],
                    input: Workbench.password + "\n")
                #expect(try await eventually { bench.node.requestCount("POST", "/auth/token") == 1 })
                for name in ["cmdline", "environ", "comm"] {
                    let content = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(login.id)/\(name)"))
                    #expect(!content.isEmpty)
                    #expect(!String(decoding: content, as: UTF8.self).contains(Workbench.password))
                }
                login.send(SIGINT)
                let outcome = await login.outcome()
                #expect(outcome.status == 130)
                #expect(!(outcome.output + outcome.errors).contains(Workbench.password))
            }
        }

    #endif

    @Test("a session's token is shown to no other node")
    func tokensStayHome() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let other = try await DevNode.start()
            let outcome = try await bench.mero("call", bench.store, "len", "--node", other.url.absoluteString)
            let environment = ["MERO_NODE": other.url.absoluteString]
            let byVariable = try await bench.mero("whoami", environment: environment)
            let seen = other.requests
            await other.stop()
            #expect(outcome.status == 3)
            #expect(outcome.errors.contains("mero login --node"))
            #expect(byVariable.status == 3)
            #expect(seen.allSatisfy { $0.headers["authorization"] == nil })
        }
    }

    @Test("a profile keeps a session with each node")
    func severalNodes() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            var options = DevNodeOptions()
            options.users = [("bob", "bob-password")]
            let other = try await DevNode.start(options)
            let url = other.url.absoluteString
            let login = try await bench.mero(
                "login", "--node", url, "--user", "bob", "--password-stdin", input: "bob-password")
            let there = try await bench.mero("whoami", "--json")
            let here = try await bench.mero("whoami", "--json", "--node", bench.url + "/")
            _ = try await bench.mero("logout")
            let stillHere = try await bench.mero("whoami", "--node", bench.url)
            await other.stop()
            #expect(login.status == 0)
            #expect(there.document?["user"] == "bob" && there.document?["node"] == .string(url))
            #expect(here.status == 0)
            #expect(here.document?["user"] == .null, "the name of another session's user is not known")
            #expect(here.document?["subject"]?.stringValue != there.document?["subject"]?.stringValue)
            #expect(stillHere.status == 0)
        }
    }

    @Test("a session that cannot be saved is not called one")
    func unsavedSession() async throws {
        try await Workbench.with { bench in
            // A folder where the file should be stops everybody, root included.
            try FileManager.default.createDirectory(
                at: bench.tokensFile.appendingPathComponent("x"), withIntermediateDirectories: true)
            let outcome = try await bench.mero(
                "login", "--node", bench.url, "--user", Workbench.user, "--password-stdin", input: Workbench.password)
            #expect(outcome.status == 6)
            #expect(outcome.output.isEmpty)
        }
    }

    @Test("an expired session is renewed once and kept, also by commands that run at the same time")
    func renewal() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.expireAccessTokens()
            let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<4 { group.addTask { try await bench.mero("call", bench.store, "len").status } }
                return try await group.reduce(into: [Int32]()) { $0.append($1) }
            }
            #expect(statuses == [0, 0, 0, 0])
            #expect(bench.node.requestCount("POST", "/auth/refresh") == 1)
            #expect(try await bench.mero("call", bench.store, "len").status == 0)
            #expect(bench.node.requestCount("POST", "/auth/refresh") == 1)
        }
    }

    @Test("a revoked session is over, and forgotten")
    func revocation() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.revokeFamilies()
            let outcome = try await bench.mero("call", bench.store, "len", "--json")
            #expect(outcome.status == 3)
            #expect(outcome.error?["type"] == "token_revoked")
            let before = bench.node.requests.count
            #expect(try await bench.mero("call", bench.store, "len").status == 3)
            #expect(bench.node.requests.count == before, "without a session nothing is sent")
            #expect(try await bench.mero("whoami").errors.contains("mero login"))
        }
    }

    @Test("a second login needs neither node nor user again")
    func rememberedSettings() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            _ = try await bench.mero("logout")
            let outcome = try await bench.mero("login", "--password-stdin", "--json", input: Workbench.password)
            #expect(outcome.status == 0)
            #expect(outcome.document?["user"] == .string(Workbench.user))
        }
    }
}
