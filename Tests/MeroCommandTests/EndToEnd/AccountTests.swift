import Foundation
import MeroKit
import Testing

@testable import mero

@Suite("mero account")
struct AccountTests {
    @Test func newShowExportImport() async throws {
        let desk = try Desk()
        let made = try await desk.mero("account", "new", "--json")
        #expect(made.status == 0, "\(made.errors)")
        let account = try #require(made.document)
        let phrase = try #require(account["recoveryPhrase"]?.stringValue)
        #expect(try AccountRoot(phrase: phrase).accountId == account["account"]?.stringValue)
        let credential = try #require(account["credential"]?.stringValue)
        #expect(try DeviceCertificates.verify(credential).device == account["device"]?.stringValue)

        let shown = try await desk.mero("account", "show", "--json")
        #expect(shown.document?["account"] == account["account"])
        #expect(shown.document?["recoveryPhrase"] == nil)
        #expect(!shown.output.contains("sign_sk"))
        // Nothing kept on disk stands for the account itself.
        let kept = try String(contentsOf: desk.profileFile("default"), encoding: .utf8)
        #expect(!phrase.split(separator: " ").allSatisfy { kept.contains($0) })

        let file = desk.folder.file("device.json").path
        #expect(try await desk.mero("account", "export", file).status == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try await desk.mero("account", "export", file)
        #expect(again.status == ExitCode.localFile.rawValue)
        #expect(again.isOneErrorLine)

        let moved = try await desk.mero("account", "import", file, "--profile", "other", "--json")
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.document?["device"] == account["device"])
        #expect(moved.document?["profile"] == "other")

        // By the phrase: the same account, another device. As people write it down.
        let lines = phrase.uppercased().split(separator: " ").enumerated().map { "\($1)\($0 % 4 == 3 ? "\n" : "  ")" }
        let third = try await desk.mero(
            "account", "import", "--phrase-stdin", "--profile", "third", "--json", input: lines.joined())
        #expect(third.status == 0, "\(third.errors)")
        #expect(third.document?["account"] == account["account"])
        #expect(third.document?["device"] != account["device"])
    }

    @Test func keysAreNeverLostInPassing() async throws {
        let desk = try Desk()
        #expect(try await desk.mero("account", "new").status == 0)
        let before = try Data(contentsOf: desk.profileFile("default"))
        for words in [["new"], ["import", "--phrase-stdin"], ["device", "new"]] {
            let outcome = try await desk.run(["account"] + words, input: "")
            #expect(outcome.status == ExitCode.usage.rawValue)
            #expect(outcome.isOneErrorLine)
        }
        #expect(try Data(contentsOf: desk.profileFile("default")) == before)
        #expect(try await desk.mero("account", "new", "--replace").status == 0)
        #expect(try Data(contentsOf: desk.profileFile("default")) != before)
    }

    @Test func anotherMachineCertifies() async throws {
        let desk = try Desk()
        let phrase = AccountRoot.generate().phrase
        let made = try await desk.mero("account", "device", "new", "--json")
        let keys = try #require(made.document)
        #expect(keys["account"] == .null)
        let sign = try #require(keys["signPublicKey"]?.stringValue)
        let kem = try #require(keys["kemPublicKey"]?.stringValue)
        let certified = try await desk.mero("account", "device", "certify", sign, kem, "--phrase-stdin", input: phrase)
        #expect(certified.status == 0, "\(certified.errors)")
        let credential = certified.output.trimmingCharacters(in: .whitespacesAndNewlines)

        // A certificate for other keys, and a damaged one.
        let other = DeviceKeys.generate()
        let foreign = try await desk.mero(
            "account", "device", "certify", other.signPublicKey, other.kemPublicKey, "--phrase-stdin", input: phrase)
        let damaged = String(credential.dropLast()) + (credential.hasSuffix("0") ? "1" : "0")
        for bad in [foreign.output.trimmingCharacters(in: .whitespacesAndNewlines), damaged] {
            let refused = try await desk.mero("account", "device", "accept", bad)
            #expect(refused.status == ExitCode.refused.rawValue)
            #expect(refused.isOneErrorLine)
        }
        let accepted = try await desk.mero("account", "device", "accept", credential, "--json")
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(accepted.document?["account"] == .string(try AccountRoot(phrase: phrase).accountId))
    }

    @Test(
        arguments: [
            "", "abandon", Array(repeating: "abandon", count: 24).joined(separator: " "),
            Array(repeating: "zzz", count: 24).joined(separator: " "), String(repeating: "word ", count: 2_000),
        ])
    func wrongPhrases(phrase: String) async throws {
        let desk = try Desk()
        let outcome = try await desk.mero("account", "import", "--phrase-stdin", input: phrase)
        #expect(outcome.status == ExitCode.usage.rawValue)
        #expect(outcome.isOneErrorLine)
        // Not a word of it comes back.
        #expect(!outcome.errors.contains("abandon") && !outcome.errors.contains("zzz"))
        #expect(!FileManager.default.fileExists(atPath: desk.profileFile("default").path))
    }

    @Test func noAccountYet() async throws {
        let desk = try Desk()
        for words in [["show"], ["export", "x"], ["device", "accept", "00"]] {
            let outcome = try await desk.run(["account"] + words, input: "")
            #expect(outcome.status == ExitCode.notSignedIn.rawValue)
            #expect(outcome.errors.contains("mero account new"))
        }
    }

    /// A home folder and the built `mero`, without any node.
    private struct Desk {
        let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        func mero(_ words: String..., input: String = "") async throws -> Program.Outcome {
            try await run(words, input: input)
        }

        func run(_ words: [String], input: String) async throws -> Program.Outcome {
            try await Program(Program.mero, words).start(
                input: input, environment: ["XDG_CONFIG_HOME": folder.file("config").path], in: folder
            ).outcome()
        }

        func profileFile(_ name: String) -> URL {
            folder.file("config/mero/profiles/\(name)/account.json")
        }
    }
}
