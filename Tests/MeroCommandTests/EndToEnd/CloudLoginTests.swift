import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero cloud login")
struct CloudLoginTests {
    private static func mode(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test("the device is certified at the wallet, and only its owner can read what is kept")
    func signsIn() async throws {
        try await CloudBench.with { bench in
            try bench.cloud.assign(bench.peer, toAccount: bench.cloud.wallet.root.accountId)
            let (running, page) = try await bench.startLogin()
            let returned = try bench.cloud.wallet.visit(page)
            let reply = try await Web.deliver(returned)
            #expect(reply.status == 200 && reply.text.contains("signed in"), "\(reply.text)")
            let outcome = await running.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let said = try #require(outcome.documents.last)
            #expect(said["account"] == .string(bench.cloud.wallet.root.accountId))
            #expect(said["relayUrl"] == .string(bench.bench.url) && said["note"] == .null)
            // The profile's device is the one that was certified: what signs for relays is the same as for the cloud.
            let shown = try await bench.mero("account", "show", "--json")
            #expect(shown.document?["device"] == said["device"])
            let enrolled = try #require(bench.cloud.wallet.enrolled.first)
            #expect(shown.document?["signPublicKey"] == .string(enrolled.signPublicKey))
            for name in ["account.json", "cloud-device.json"] {
                #expect(try Self.mode(bench.profileFile(name)) == 0o600, "\(name)")
            }
            #expect(!(outcome.output + outcome.errors).contains(enrolled.credential))
            // The page is gone with the command.
            await #expect(throws: (any Error).self) { _ = try await Web.deliver(returned) }
        }
    }

    @Test("answers that belong to another sign-in, or come from another page, leave the wait as it is")
    func strangers() async throws {
        try await CloudBench.with { bench in
            let (running, page) = try await bench.startLogin()
            bench.cloud.wallet.next(.forge(.state), .forge(.missingState), .forge(.missingCredential))
            for _ in 0..<3 {
                let reply = try await Web.deliver(try bench.cloud.wallet.visit(page))
                #expect(reply.status == 400, "\(reply.text)")
            }
            let right = try bench.cloud.wallet.visit(page)
            #expect(try await Web.deliver(right, origin: "https://evil.example").status == 403)
            let bare = try #require(URL(string: String(right.absoluteString.prefix { $0 != "#" })))
            let rebound = try await Web.head(bare, host: "evil.example", in: bench.folder)
            #expect(rebound.hasPrefix("HTTP/1.1 421"), "\(rebound)")
            let root = try #require(URL(string: "/", relativeTo: bare)?.absoluteURL)
            #expect(try await Web.send("GET", root).status == 404)
            let head = try await Web.head(bare, in: bench.folder)
            #expect(head.contains("frame-ancestors 'none'") && head.contains("Cache-Control: no-store"))
            #expect(!running.hasEnded)
            #expect(try await Web.deliver(right).status == 200)
            #expect(await running.outcome().status == 0)
        }
    }

    @Test(
        "a wallet that says no, or lies, leaves nothing behind",
        arguments: [
            (DevWalletAnswer.deny, "not approved"), (.cancel, "not approved"),
            (.refuse(code: "maintenance"), "maintenance"),
            (.forge(.signature), "rejected"), (.forge(.signingKey), "rejected"), (.forge(.account), "rejected"),
        ])
    func refusals(answer: DevWalletAnswer, said: String) async throws {
        try await CloudBench.with { bench in
            let (running, page) = try await bench.startLogin()
            bench.cloud.wallet.next(answer)
            _ = try await Web.deliver(try bench.cloud.wallet.visit(page))
            let outcome = await running.outcome()
            #expect(outcome.status == ExitCode.refused.rawValue)
            #expect(outcome.error?["message"]?.stringValue?.contains(said) == true, "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: bench.profileFile("cloud-device.json").path))
            #expect(try await bench.mero("account", "show", "--json").document?["credential"] == .null)
        }
    }

    @Test("nobody comes: the wait ends by time, and by Ctrl-C")
    func nobodyComes() async throws {
        try await CloudBench.with { bench in
            let (running, _) = try await bench.startLogin("--wait", "0.2")
            let outcome = await running.outcome()
            #expect(outcome.status == ExitCode.unreachable.rawValue && outcome.errors.contains("--wait"))
            let (other, _) = try await bench.startLogin()
            other.send(SIGINT)
            #expect(await other.outcome().status == ExitCode.interrupted.rawValue)
            #expect(!FileManager.default.fileExists(atPath: bench.profileFile("cloud-device.json").path))
        }
    }

    /// Starts a login whose browser only notes what it was asked to open, and reads where that leads.
    private static func openBrowser(_ bench: CloudBench) async throws -> (
        running: RunningProgram, start: URL, file: URL
    ) {
        let (script, seen) = (bench.folder.file("browser"), bench.folder.file("seen"))
        try? FileManager.default.removeItem(at: seen)
        try Data("#!/bin/sh\nprintf '%s\\n' \"$*\" > '\(seen.path)'\n".utf8).write(to: script)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
        let running = try bench.bench.start(
            ["cloud", "login", "--cloud", bench.cloud.url.absoluteString], environment: ["BROWSER": script.path])
        #expect(try await eventually { ((try? Data(contentsOf: seen)) ?? Data()).last == UInt8(ascii: "\n") })
        let word = try String(contentsOf: seen, encoding: .utf8).trimmingCharacters(in: .newlines)
        let file = try #require(URL(string: word))
        let permissions = try mode(file)
        #expect(file.isFileURL && permissions == 0o600, "\(word)")
        let page = try String(contentsOf: file, encoding: .utf8)
        let link = try #require(page.components(separatedBy: "href=\"").last?.split(separator: "\"").first)
        return (running, try #require(URL(string: String(link))), file)
    }

    @Test("what the browser's command line shows tells nobody where the wallet is reached from")
    func browser() async throws {
        try await CloudBench.with { bench in
            let (running, start, file) = try await Self.openBrowser(bench)
            #expect(start.query == nil && start.host == "127.0.0.1")
            let first = try await Web.head(start, in: bench.folder)
            #expect(first.hasPrefix("HTTP/1.1 303"), "\(first)")
            let location = try #require(
                first.components(separatedBy: "Location: ").last?.split(separator: "\r\n").first)
            let wallet = try #require(URL(string: String(location)))
            let state = try #require(
                URLComponents(url: wallet, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "state" }?
                    .value)
            #expect(!start.absoluteString.contains(state) && !running.outputSoFar.contains(state))
            _ = try await Web.deliver(try bench.cloud.wallet.visit(wallet))
            let outcome = await running.outcome()
            #expect(outcome.status == 0 && outcome.output.contains("Signed in as account"), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("a page to the wallet that is opened twice ends the login: one of the two may be somebody else")
    func openedTwice() async throws {
        try await CloudBench.with { bench in
            let (running, start, file) = try await Self.openBrowser(bench)
            #expect(try await Web.head(start, in: bench.folder).hasPrefix("HTTP/1.1 303"))
            let second = try await Web.head(start, in: bench.folder)
            #expect(second.hasPrefix("HTTP/1.1 410"), "\(second)")
            let outcome = await running.outcome()
            #expect(outcome.status == ExitCode.refused.rawValue && outcome.errors.contains("opened twice"))
            for left in [file, bench.profileFile("cloud-device.json")] {
                #expect(!FileManager.default.fileExists(atPath: left.path))
            }
        }
    }

    @Test("words that others chose mean nothing to a shell")
    func shellWords() async throws {
        let folder = try TemporaryFolder()
        for word in ["https://h.example:1/p", "http://h/$(touch x);'\"`id`&|<>*?!#~", "", "-r", "a b"] {
            let outcome = try await Program("/bin/bash", ["-c", "printf '%s' \(word.shellWord)"]).run(in: folder)
            #expect(outcome.output == word && outcome.errors.isEmpty, "\(word.shellWord)")
        }
        #expect("https://h.example:1/p".shellWord == "https://h.example:1/p")
    }

    @Test("what a browser elsewhere ended at can be pasted")
    func pasted() async throws {
        try await CloudBench.with { bench in
            var tool = InProcess()
            tool.variables = ["XDG_CONFIG_HOME": bench.folder.file("config").path]
            tool.input = Pasting(wallet: bench.cloud.wallet, shown: tool.output)
            let code = await tool.run("cloud", "login", "--no-browser", "--cloud", bench.cloud.url.absoluteString)
            #expect(code == .done, "\(tool.errors.text)")
            #expect(tool.errors.text.contains("another sign-in") && tool.output.text.contains("Signed in as account"))
            let mode = try Self.mode(bench.profileFile("cloud-device.json"))
            #expect(mode == 0o600)
        }
    }

    @Test("when the terminal's input ends, the page can still answer")
    func endOfInput() async throws {
        try await CloudBench.with { bench in
            var tool = InProcess()
            tool.variables = ["XDG_CONFIG_HOME": bench.folder.file("config").path]
            tool.input = PreparedInput("\n", isTerminal: true)
            let ready = tool
            let url = bench.cloud.url.absoluteString
            let running = Task { await ready.run("cloud", "login", "--no-browser", "--cloud", url) }
            #expect(try await eventually { ready.output.text.contains("paste") })
            let page = try #require(ready.output.text.split(separator: "\n").first { $0.contains("http://") })
            let wallet = try #require(URL(string: page.trimmingCharacters(in: .whitespaces)))
            #expect(try await Web.deliver(try bench.cloud.wallet.visit(wallet)).status == 200)
            #expect(await running.value == .done, "\(ready.errors.text)")
        }
    }

    /// Somebody at a terminal, who first pastes what belongs to another sign-in.
    private final class Pasting: InputSource {
        let isTerminal = true
        private let wallet: DevWallet
        private let shown: MemorySink
        private let times = Locked(0)

        init(wallet: DevWallet, shown: MemorySink) {
            self.wallet = wallet
            self.shown = shown
        }

        func line(hidden: Bool, limit: Int) async throws -> [UInt8]? {
            let time = times.withLock { times in
                times += 1
                return times
            }
            let page = try #require(shown.text.split(separator: "\n").last { $0.contains("http://") })
            if time == 1 { wallet.next(.forge(.state)) }
            let url = try #require(URL(string: page.trimmingCharacters(in: .whitespaces)))
            return Array(try wallet.visit(url).absoluteString.utf8)
        }

        func everything(limit: Int) async throws -> [UInt8] { [] }
    }

    @Test("a profile that belongs to another account keeps it, unless told otherwise")
    func otherAccount() async throws {
        try await CloudBench.with { bench in
            #expect(try await bench.mero("account", "new").status == 0)
            let before = try Data(contentsOf: bench.profileFile("account.json"))
            let (running, page) = try await bench.startLogin()
            _ = try await Web.deliver(try bench.cloud.wallet.visit(page))
            let outcome = await running.outcome()
            #expect(outcome.status == ExitCode.refused.rawValue && outcome.errors.contains("--replace"))
            #expect(try Data(contentsOf: bench.profileFile("account.json")) == before)
            let (again, second) = try await bench.startLogin("--replace")
            _ = try await Web.deliver(try bench.cloud.wallet.visit(second))
            #expect(await again.outcome().status == 0)
            // Signing in again with the same account needs no such word.
            let (third, last) = try await bench.startLogin()
            _ = try await Web.deliver(try bench.cloud.wallet.visit(last))
            #expect(await third.outcome().status == 0)
        }
    }

    @Test("a device that is certified already signs in without the wallet")
    func certified() async throws {
        try await CloudBench.with { bench in
            let words = ["cloud", "login", "--certified", "--cloud", bench.cloud.url.absoluteString, "--json"]
            let nobody = try await bench.bench.start(words).outcome()
            #expect(nobody.status == ExitCode.notSignedIn.rawValue)
            let made = try await bench.mero("account", "new", "--json")
            let account = try #require(made.document?["account"]?.stringValue)
            try bench.cloud.assign(bench.peer, toAccount: account)
            let outcome = try await bench.bench.start(words).outcome()
            #expect(outcome.document?["account"] == .string(account), "\(outcome.errors)")
            #expect(outcome.document?["relayUrl"] == .string(bench.bench.url))
            #expect(bench.cloud.wallet.visits == 0)
            #expect(try await bench.mero("cloud", "connect", "--json").document?["reads"] == true)
            // A device that took this one's place has not signed in.
            #expect(try await bench.mero("account", "new", "--replace").status == 0)
            let replaced = try await bench.mero("cloud", "connect")
            #expect(replaced.status == ExitCode.notSignedIn.rawValue && replaced.errors.contains("another device"))
            // Nothing is kept of a login that the cloud did not hear of.
            #expect(try await bench.mero("cloud", "logout").status == 0)
            await bench.cloud.stop()
            #expect(try await bench.bench.start(words).outcome().status == ExitCode.unreachable.rawValue)
            #expect(!FileManager.default.fileExists(atPath: bench.profileFile("cloud-device.json").path))
        }
    }

    @Test("the cloud's user signs in by Google or by a linked account, never by an argument")
    func owner() async throws {
        try await CloudBench.with { bench in
            let url = bench.cloud.url.absoluteString
            let token = bench.cloud.googleIdToken("ada@example.com")
            let google = try await bench.mero(
                "cloud", "login", "--google-stdin", "--cloud", url, "--json", input: token)
            #expect(google.document?["user"] == "ada@example.com", "\(google.errors)")
            #expect(try Self.mode(bench.profileFile("cloud-owner.json")) == 0o600)
            #expect(!google.output.contains(token))

            let root = bench.cloud.wallet.root
            let words = ["cloud", "login", "--owner", "--phrase-stdin", "--cloud", url, "--profile", "second"]
            let unlinked = try await bench.bench.start(words, input: root.phrase).outcome()
            #expect(unlinked.status == ExitCode.notSignedIn.rawValue && unlinked.errors.contains("linked"))
            try bench.cloud.link(account: root.accountId, to: "ben@example.com")
            let linked = try await bench.bench.start(words, input: root.phrase).outcome()
            #expect(linked.status == 0 && linked.output.contains("ben@example.com"), "\(linked.errors)")
            let kept = try String(contentsOf: bench.profileFile("cloud-owner.json", profile: "second"), encoding: .utf8)
            #expect(!root.phrase.split(separator: " ").allSatisfy { kept.contains($0) })

            for (words, input) in [
                (["--google-stdin"], ""), (["--google-stdin", "--owner"], "x"), (["--phrase-stdin"], ""),
                (["--certified", "--owner"], ""),
            ] {
                let outcome = try await bench.bench.start(["cloud", "login", "--cloud", url] + words, input: input)
                    .outcome()
                #expect(outcome.status == ExitCode.usage.rawValue && outcome.isOneErrorLine, "\(words)")
            }
            let forged = try await bench.mero("cloud", "login", "--google-stdin", "--cloud", url, input: "a.b.c")
            #expect(forged.status == ExitCode.notSignedIn.rawValue)
            // The login of one cloud is shown to no other.
            let elsewhere = try await bench.mero("cloud", "namespaces", "--cloud", "http://127.0.0.1:1")
            #expect(elsewhere.status == ExitCode.notSignedIn.rawValue)
        }
    }

    @Test("signing out ends both sessions and keeps the device")
    func logout() async throws {
        try await CloudBench.with { bench in
            try bench.cloud.assign(bench.peer, toAccount: bench.cloud.wallet.root.accountId)
            try await bench.login()
            #expect(try await bench.mero("cloud", "connect").status == 0)
            let url = bench.cloud.url.absoluteString
            let token = bench.cloud.googleIdToken("ada@example.com")
            #expect(try await bench.mero("cloud", "login", "--google-stdin", "--cloud", url, input: token).status == 0)
            let out = try await bench.mero("cloud", "logout", "--json")
            #expect(out.document?["wasSignedIn"] == true && out.document?["cloudWasTold"] == true, "\(out.errors)")
            #expect(bench.cloud.handlerRuns("POST", "/api/auth/logout") == 1)
            #expect(bench.bench.node.requestCount("POST", "/auth/logout") == 1)
            for name in ["cloud-device.json", "cloud-owner.json", "cloud-relay-tokens.json"] {
                #expect(!FileManager.default.fileExists(atPath: bench.profileFile(name).path), "\(name)")
            }
            #expect(try await bench.mero("account", "show").status == 0)
            #expect(try await bench.mero("cloud", "logout", "--json").document?["wasSignedIn"] == false)
            let after = try await bench.mero("cloud", "connect", "--cloud", url)
            #expect(after.status == ExitCode.notSignedIn.rawValue && after.errors.contains("mero cloud login"))
        }
    }
}
