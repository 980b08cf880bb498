import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero cloud and mero invite")
struct CloudCommandTests {
    @Test("a relay that does not answer is given up in the time that was given, by every act of the device")
    func timeouts() async throws {
        try await CloudBench.with { bench in
            try bench.cloud.assign(bench.peer, toAccount: bench.cloud.wallet.root.accountId)
            try await bench.login()
            let node = bench.bench.node
            let silence = node.inject(.stall, on: "POST /admin-api/tee/attest", times: nil)
            let start = ProcessInfo.processInfo.systemUptime
            let mute = try await bench.mero("cloud", "connect", "--timeout", "1", "--json")
            #expect(mute.document?["reads"] == false && mute.status == 0, "\(mute.errors)")
            #expect(mute.document?["readNote"]?.stringValue?.contains("1.0 seconds") == true, "\(mute.output)")
            silence.remove()
            let whole = try await bench.mero("cloud", "connect", "--json")
            #expect(whole.document?["reads"] == true, "\(whole.errors)")
            node.inject(.stall, on: "POST /auth/logout", times: nil)
            let out = try await bench.mero("cloud", "logout", "--timeout", "1", "--json")
            #expect(out.status == 0 && out.document?["wasSignedIn"] == true, "\(out.errors)")
            #expect(node.requestCount("POST", "/auth/logout") == 1)
            #expect(ProcessInfo.processInfo.systemUptime - start < 60)
        }
    }

    @Test("a certificate authority that cannot be read is told before anything is sent")
    func authority() async throws {
        try await CloudBench.with { bench in
            try await bench.login()
            bench.cloud.clearRequests()
            let missing = bench.folder.file("none.pem").path
            for words in [["cloud", "relays"], ["cloud", "connect"], ["cloud", "login", "--certified"]] {
                let outcome = try await bench.bench.start(words + ["--cacert", missing], input: "").outcome()
                #expect(outcome.status == ExitCode.localFile.rawValue, "\(words): \(outcome.errors)")
                #expect(outcome.errors.contains("--cacert"))
            }
            #expect(bench.cloud.requests.isEmpty)
            // Signing out here needs nobody's trust.
            let out = try await bench.mero("cloud", "logout", "--cacert", missing)
            #expect(out.status == 0 && out.errors.contains("Not everybody was told"), "\(out.errors)")
        }
    }

    @Test("an account without a node joins, reads, writes and invites the next one")
    func accountStory() async throws {
        try await CloudBench.with { bench in
            let account = try await bench.login()["account"]?.stringValue
            let me = try #require(account)
            // Signed in, and a member of nothing.
            let lonely = try await bench.mero("cloud", "connect")
            #expect(lonely.status == ExitCode.refused.rawValue && lonely.errors.contains("invite accept"))

            let joined = try await bench.mero(
                "invite", "accept", try bench.invitation(role: .admin), "--as-account", "--json")
            #expect(joined.status == 0, "\(joined.errors)")
            #expect(joined.document?["member"] == true)
            #expect(joined.document?["contexts"] == [.string(bench.context)])
            #expect(joined.document?["relayUrl"] == .string(bench.bench.url))

            let connected = try await bench.mero("cloud", "connect", "--json")
            #expect(connected.document?["reads"] == true, "\(connected.errors)")
            #expect(connected.document?["nodeKey"] == .string(bench.bench.node.nodeKey))
            #expect(connected.document?["namespaces"]?.arrayValue?.contains(.string(bench.namespace)) == true)
            let relays = try await bench.mero("cloud", "relays", "--json")
            #expect(relays.document?["relays"]?.arrayValue?.first?["used"] == true, "\(relays.errors)")
            let table = try await bench.mero("cloud", "relays")
            #expect(table.output.contains(bench.bench.url) && table.output.contains("alive"))
            let anybody = try await bench.mero("cloud", "relays", bench.namespace, "--json")
            #expect(anybody.document?["relays"]?.arrayValue?.first?["canAdmit"] == true, "\(anybody.errors)")

            let written = try await bench.mero(
                "call", bench.context, "set", #"{"key":"k","value":"v"}"#, "--relay", bench.bench.url)
            #expect(written.status == 0, "\(written.errors)")
            #expect(bench.bench.node.delegatedWrites.map(\.account) == [me])

            // The next one, whose wallet is another one's.
            let made = try await bench.mero("invite", "create", bench.namespace, "--as-account", "--json")
            #expect(made.status == 0, "\(made.errors)")
            let link = try await bench.mero(
                "invite", "link", made.document?["token"]?.stringValue ?? "", "--slug", "com.example.notes")
            #expect(link.output.hasPrefix("https://links.calimero.network/com.example.notes/join?invitation="))
            let shown = try await bench.mero("invite", "show", "-", "--json", input: link.output)
            #expect(shown.document?["groupId"] == .string(bench.namespace))
            #expect(shown.document?["inviterAccount"] == .string(me), "\(shown.output)")
            bench.cloud.wallet.root = .generate()
            try await bench.login(profile: "other")
            let next = try await bench.mero(
                "invite", "accept", link.output, "--as-account", "--json", "--profile", "other")
            #expect(next.document?["member"] == true, "\(next.errors)")
            let read = try await bench.mero(
                "call", bench.context, "get", #"{"key":"k"}"#, "--relay", bench.bench.url, "--profile", "other")
            #expect(read.output == "\"v\"\n", "\(read.errors)")
        }
    }

    @Test("a namespace is claimed, hosted and written to by its owner")
    func ownerStory() async throws {
        try await CloudBench.with { bench in
            let url = bench.cloud.url.absoluteString
            try await bench.bench.login()
            let early = try await bench.mero("cloud", "claim", bench.namespace, "--cloud", url)
            #expect(early.status == ExitCode.notSignedIn.rawValue && early.errors.contains("--owner"))
            let token = bench.cloud.googleIdToken("ada@example.com")
            #expect(try await bench.mero("cloud", "login", "--google-stdin", "--cloud", url, input: token).status == 0)
            let none = try await bench.mero("cloud", "namespaces")
            #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("No namespaces"))

            let own = try bench.bench.node.createNamespace(contract: KeyValueContract())
            let context = try bench.bench.node.createContext(KeyValueContract(), inGroup: own)
            let claimed = try await bench.mero("cloud", "claim", own)
            #expect(claimed.status == 0 && claimed.output.contains("ada@example.com"), "\(claimed.errors)")
            #expect(bench.cloud.owner(ofNamespace: own) == "ada@example.com")
            let enabled = try await bench.mero("cloud", "ha", "enable", own, "--announce-node", "--json")
            #expect(enabled.document?["status"] == "enabled", "\(enabled.errors)")
            let listed = try await bench.mero("cloud", "namespaces", "--json")
            #expect(listed.document?["namespaces"]?.arrayValue?.first?["haStatus"] == "enabled")
            let relays = try await bench.mero("cloud", "relays", own)
            #expect(relays.output.contains(bench.bench.url) && relays.output.contains("writes"), "\(relays.errors)")

            // The owner writes as an account of this device's; the relay is the cloud's choice.
            let connectedEarly = try await bench.mero("cloud", "connect", own)
            #expect(connectedEarly.status == ExitCode.notSignedIn.rawValue)
            let made = try await bench.mero("account", "new", "--json")
            let account = try #require(made.document?["account"]?.stringValue)
            let connected = try await bench.mero("cloud", "connect", own, "--json")
            #expect(connected.document?["relayUrl"] == .string(bench.bench.url), "\(connected.errors)")
            #expect(connected.document?["account"] == .string(account))
            #expect(!context.isEmpty)

            let other = try await bench.mero("cloud", "connect", bench.namespace)
            #expect(other.status == ExitCode.notSignedIn.rawValue && other.errors.contains("owns no namespace"))
            let asked = try await bench.mero("cloud", "ha", "disable", own)
            #expect(asked.status == ExitCode.usage.rawValue && asked.errors.contains("--yes"))
            let disabled = try await bench.mero("cloud", "ha", "disable", own, "--yes", "--json")
            #expect(disabled.document?["status"] == "disabled", "\(disabled.errors)")
        }
    }

    @Test("the login's token that the cloud replaces is kept, even when the call fails")
    func rollingSession() async throws {
        try await CloudBench.with { bench in
            let url = bench.cloud.url.absoluteString
            let token = bench.cloud.googleIdToken("ada@example.com")
            #expect(try await bench.mero("cloud", "login", "--google-stdin", "--cloud", url, input: token).status == 0)
            let before = try Data(contentsOf: bench.profileFile("cloud-owner.json"))
            bench.cloud.clock.advance(by: 3601)
            let unknown = try await bench.mero("cloud", "relays", String(repeating: "ab", count: 32), "--json")
            #expect(unknown.status == ExitCode.refused.rawValue && unknown.error?["status"] == 404, "\(unknown.errors)")
            let after = try Data(contentsOf: bench.profileFile("cloud-owner.json"))
            #expect(after != before)
            #expect(String(decoding: after, as: UTF8.self).contains("ada@example.com"))
            // Connecting replaces it as well.
            #expect(try await bench.mero("account", "new").status == 0)
            bench.cloud.clock.advance(by: 3601)
            let none = try await bench.mero("cloud", "connect", String(repeating: "ab", count: 32))
            #expect(none.status == ExitCode.notSignedIn.rawValue && none.errors.contains("owns no namespace"))
            let rolled = try Data(contentsOf: bench.profileFile("cloud-owner.json"))
            #expect(rolled != after && String(decoding: rolled, as: UTF8.self).contains("ada@example.com"))
            bench.cloud.endSessions(of: "ada@example.com")
            let over = try await bench.mero("cloud", "namespaces")
            #expect(over.status == ExitCode.notSignedIn.rawValue && over.errors.contains("mero cloud login"))
        }
    }

    @Test("a cloud that fails is told in its own words")
    func cloudFailures() async throws {
        try await CloudBench.with { bench in
            let url = bench.cloud.url.absoluteString
            let token = bench.cloud.googleIdToken("ada@example.com")
            #expect(try await bench.mero("cloud", "login", "--google-stdin", "--cloud", url, input: token).status == 0)
            bench.cloud.inject(.status(500), on: "GET /api/cloud/me/namespaces")
            let failed = try await bench.mero("cloud", "namespaces")
            #expect(failed.status == ExitCode.refused.rawValue && failed.errors.contains("The cloud failed"))
            await bench.cloud.stop()
            let gone = try await bench.mero("cloud", "namespaces", "--timeout", "2")
            #expect(gone.status == ExitCode.unreachable.rawValue && gone.errors.contains("cloud"))
        }
    }

    @Test("an invitation that is over is not sent, and one that is too large for a token can be looked into")
    func invitationsThatAreOver() async throws {
        try await CloudBench.with { bench in
            try await bench.bench.login()
            let json = try bench.bench.node.createInvitation(namespace: bench.namespace, validFor: -3600)
            for words in [["invite", "accept", "-"], ["invite", "accept", "-", "--subgroup"]] {
                let over = try await bench.bench.start(words, input: json).outcome()
                #expect(over.status == ExitCode.usage.rawValue && over.errors.contains("expired"), "\(over.errors)")
            }
            #expect(bench.bench.node.requestCount("POST", "/admin-api/namespaces/\(bench.namespace)/join") == 0)

            let noise = Hex.encode(randomBytes(40_000))
            let large = "{\"x\":\"\(noise)\",\"invitation\":\(json)}"
            let shown = try await bench.mero("invite", "show", "-", "--json", input: large)
            #expect(shown.document?["groupId"] == .string(bench.namespace), "\(shown.errors)")
            #expect(shown.document?["token"] == .null && shown.document?["expired"] == true)
            let link = try await bench.mero("invite", "link", "-", "--slug", "com.example.notes", input: large)
            #expect(link.status == ExitCode.usage.rawValue && link.errors.contains("too large"), "\(link.errors)")
        }
    }

    @Test("a join that was taken and not passed on is not told as one")
    func unpublished() async throws {
        try await CloudBench.with { bench in
            try await bench.login()
            bench.bench.node.inject(
                .status(200, body: Data(#"{"data":{"published":false}}"#.utf8)),
                on: "POST /admin-api/namespaces/*/admit")
            let joined = try await bench.mero("invite", "accept", try bench.invitation(), "--as-account")
            #expect(!joined.output.contains("lets account") && joined.errors.contains("not passed it on"))
            #expect(joined.errors.contains("no member yet"), "\(joined.errors)")
        }
    }

    @Test("what does not go together is refused before anything is sent")
    func wrongWords() async throws {
        try await CloudBench.with { bench in
            let token = try bench.invitation()
            for words in [
                ["invite", "create", bench.namespace, "--as-account", "--recursive"],
                ["invite", "accept", token, "--as-account", "--subgroup"],
                ["invite", "accept", token, "--relay", bench.bench.url],
                ["invite", "link", token], ["cloud", "ha", "enable", "no id"],
            ] {
                let outcome = try await bench.bench.start(words).outcome()
                #expect(outcome.status == ExitCode.usage.rawValue && outcome.isOneErrorLine, "\(words)")
            }
            #expect(bench.cloud.requests.isEmpty)
        }
    }

    @Test("mero dev --with-cloud: the commands that it prints work as printed")
    func dev() async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": folder.url.path, "BROWSER": "/nonexistent"]
        let dev = try Program(Program.mero, ["dev", "--port", "0", "--with-cloud"]).start(in: folder)
        #expect(try await eventually { dev.outputSoFar.contains("mero cloud relays") })
        let lines = dev.outputSoFar.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        func line(_ start: String) throws -> String { try #require(lines.first { $0.hasPrefix(start) }, "\(start)") }
        func run(_ line: String) async throws -> Program.Outcome {
            let command = line.replacingOccurrences(of: "mero ", with: "\(Program.mero) ")
            return try await Program("/bin/bash", ["-c", command]).run(environment: environment, in: folder)
        }
        let login = try Program(
            "/bin/bash", ["-c", try line("mero cloud login").replacing("mero ", with: "exec \(Program.mero) ")]
        )
        .start(environment: environment, in: folder)
        #expect(try await eventually { login.hasEnded || login.outputSoFar.contains("account-enroll") })
        let page = try #require(login.outputSoFar.split(separator: "\n").last { $0.contains("http://") })
        let wallet = try #require(URL(string: page.trimmingCharacters(in: .whitespaces)))
        let head = try await Web.head(wallet, in: folder)
        let location = try #require(head.components(separatedBy: "Location: ").last?.split(separator: "\r\n").first)
        _ = try await Web.deliver(try #require(URL(string: String(location))))
        #expect(await login.outcome().status == 0)
        for start in [
            "mero invite accept", "mero call 6b762d73746f7265", "echo ey", "echo dev-password", "mero cloud claim",
            "mero cloud ha enable", "mero cloud relays",
        ] {
            let command =
                try start.hasPrefix("mero call") || start.hasPrefix("mero invite")
                ? #require(lines.last { $0.hasPrefix(start) }) : line(start)
            let outcome = try await run(command)
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
        }
        dev.send(SIGINT)
        #expect(await dev.outcome().status == 0)
    }
}
