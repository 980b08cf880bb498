import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero tee, namespace prove, identity sign and member seal", .serialized)
struct TeeCommandTests {
    private static let zeros = String(repeating: "0", count: 96)
    private static let measured = ["--mrtd", zeros, "--rtmr1", zeros, "--rtmr2", zeros, "--rtmr3", zeros]

    private static func with(_ body: (Workbench, _ namespace: String) async throws -> Void) async throws {
        try await Workbench.with { bench in
            try await bench.login()
            try await body(bench, try bench.node.createNamespace(contract: KeyValueContract()))
        }
    }

    @Test("policies are shown, set and turned off")
    func policies() async throws {
        try await Self.with { bench, namespace in
            let info = try await bench.mero("tee", "info")
            #expect(info.output.contains("gcp") && info.output.contains(Self.zeros), "\(info.errors)")
            let none = try await bench.mero("tee", "policy", namespace)
            #expect(none.output.contains("no attested machine"), "\(none.errors)")
            let words = ["tee", "admit", namespace] + Self.measured
            let set = try await bench.start(
                words + ["--tcb", "UpToDate", "--tcb", "OutOfDate", "--accept-mock", "--as", "relay", "--yes"]
            ).outcome()
            #expect(set.status == 0 && set.output.contains("RelayTee"), "\(set.errors)")
            let shown = try await bench.mero("tee", "policy", namespace, "--json")
            #expect(shown.document?["namespaceId"] == .string(namespace), "\(shown.errors)")
            #expect(shown.document?["mode"] == "relay" && shown.document?["acceptMock"] == true)
            #expect(shown.document?["allowedTcbStatuses"] == ["UpToDate", "OutOfDate"])
            let table = try await bench.mero("tee", "policy", namespace)
            #expect(table.output.contains("RTMR3") && !table.output.contains("RTMR0"), "\(table.output)")
            let signed = try await bench.mero(
                "tee", "admit", namespace, "--tee-profile", "locked-read-only", "--min-release", "2.3.72", "--yes",
                "--json")
            #expect(signed.document?["signedRelease"]?["minReleaseVersion"] == "2.3.72", "\(signed.errors)")
            #expect(signed.document?["mode"] == "replica")
            let author = try await bench.mero("tee", "author", namespace, Self.zeros, "--yes", "--json")
            #expect(author.document?["allowedMrtd"] == [.string(Self.zeros)], "\(author.errors)")
            let off = try await bench.mero("tee", "no-author", namespace, "--yes")
            #expect(off.status == 0, "\(off.errors)")
            // What the node refuses is told in its words.
            let room = try bench.node.createGroup(parent: namespace)
            let refused = try await bench.start(["tee", "admit", room] + Self.measured + ["--yes", "--json"]).outcome()
            #expect(refused.status == ExitCode.refused.rawValue && refused.error?["status"]?.intValue == 400)
        }
    }

    @Test(
        "half a policy is refused before anything is sent",
        arguments: [
            [], ["--mrtd", "00"], ["--min-release", "1.0.0"], ["--tee-profile", "p", "--mrtd", "00"], ["--as", "boss"],
        ])
    func halves(options: [String]) async throws {
        try await Self.with { bench, namespace in
            bench.node.clearRequests()
            let outcome = try await bench.start(["tee", "admit", namespace, "--yes"] + options).outcome()
            #expect(outcome.status == ExitCode.usage.rawValue, "\(outcome.output)\(outcome.errors)")
            #expect(bench.node.requests.isEmpty)
        }
    }

    @Test("another owner's phrase signs here")
    func signedHere() async throws {
        try await Self.with { bench, namespace in
            let stranger = AccountRoot.generate()
            let words = ["tee", "no-author", namespace, "--sign", "--phrase-stdin", "--yes", "--json"]
            let outcome = try await bench.start(words, input: stranger.phrase + "\n").outcome()
            // The node tells a proof of somebody else's root from none.
            #expect(outcome.error?["status"]?.intValue == 403, "\(outcome.output)\(outcome.errors)")
            #expect(!outcome.errors.contains(stranger.phrase.split(separator: " ")[0]))
        }
    }

    @Test("an owner deletes a group once it holds nothing")
    func ownersDelete() async throws {
        try await Self.with { bench, namespace in
            let room = try bench.node.createGroup(parent: namespace)
            let context = try bench.node.createContext(KeyValueContract(), inGroup: room)
            let words = ["group", "delete", room, "--yes", "--json"]
            let full = try await bench.start(words + ["--as-owner"]).outcome()
            #expect(full.error?["status"]?.intValue == 409, "\(full.output)\(full.errors)")
            let half = try await bench.start(words + ["--sign"]).outcome()
            #expect(half.status == ExitCode.usage.rawValue && half.errors.contains("--as-owner"))
            let detach = try await bench.mero("group", "detach", room, context, "--yes")
            #expect(detach.status == 0, "\(detach.errors)")
            let deleted = try await bench.start(words + ["--as-owner"]).outcome()
            #expect(deleted.document?["deleted"] == true, "\(deleted.errors)")
            #expect(bench.node.members(group: room) == nil)
        }
    }

    @Test("a node outside of a TEE says so, at once")
    func noTee() async throws {
        try await Self.with { bench, _ in
            bench.node.setAttestation(.unsupported)
            let outcome = try await bench.mero("tee", "info", "--retry", "never")
            #expect(outcome.status == ExitCode.refused.rawValue && outcome.isOneErrorLine, "\(outcome.errors)")
            #expect(outcome.errors.contains("in no TEE"))
        }
    }

    @Test("a namespace is proven")
    func proofs() async throws {
        try await Self.with { bench, namespace in
            let context = try bench.node.createContext(KeyValueContract(), inGroup: namespace)
            let nonce = String(repeating: "ab", count: 16)
            for extra in [[], ["--context", context]] {
                let words = ["namespace", "prove", namespace, "--audience", "shop", "--subject", "s", "--nonce", nonce]
                let outcome = try await bench.start(words + extra + ["--json"]).outcome()
                let document = try #require(outcome.document, "\(outcome.errors)")
                let payload = try #require(Data(base64Encoded: document["signedPayload"]?.stringValue ?? ""))
                let claim = try JSONValue(jsonBytes: payload)
                #expect(claim["nonce"] == .string(nonce) && claim["audience"] == "shop")
                #expect(claim["context_id"] == .string(extra.last ?? ""))
                #expect((document["founding"] != nil) == extra.isEmpty)
            }
            let shown = try await bench.mero(
                "namespace", "prove", namespace, "--audience", "shop", "--subject", "s", "--valid", "60")
            #expect(shown.output.contains("signature") && shown.output.contains(bench.node.nodeKey), "\(shown.errors)")
            let missing = try await bench.mero("namespace", "prove", namespace, "--audience", "shop")
            #expect(missing.status == ExitCode.usage.rawValue && missing.errors.contains("--subject"))
            let long = try await bench.mero(
                "namespace", "prove", namespace, "--audience", "a", "--subject", "s", "--valid", "301")
            #expect(long.status == ExitCode.usage.rawValue)
        }
    }

    @Test("the root signs, and secrets are sealed without showing")
    func signingAndSealing() async throws {
        try await Self.with { bench, namespace in
            let signed = try await bench.mero("identity", "sign", "login", "challenge", "--json")
            let signature = Data(base64Encoded: signed.document?["signature"]?.stringValue ?? "")
            #expect(signature?.count == 64 && signed.document?["accountId"] == .string(bench.node.accountId))
            let hex = try await bench.mero("identity", "sign", "login", "6368616c6c656e6765", "--hex", "--json")
            #expect(hex.document?["signature"] == signed.document?["signature"], "\(hex.errors)")
            #expect(try await bench.mero("identity", "sign", "login", "x", "--hex").status == ExitCode.usage.rawValue)
            #expect(try await bench.mero("identity", "sign", "other", "x").status == ExitCode.usage.rawValue)
            let secret = "my secret words"
            let sealed = try await bench.mero(
                "member", "seal", namespace, bench.node.accountId, "--json", input: secret)
            let text = try #require(sealed.document?["ciphertext"]?.stringValue, "\(sealed.errors)")
            #expect(text.count == 2 * (secret.utf8.count + 16) && !sealed.output.contains("secret"))
            let shown = try await bench.mero("member", "seal", namespace, bench.node.accountId, input: secret)
            #expect(shown.output.contains("ciphertext") && !shown.output.contains(secret))
            let empty = try await bench.mero("member", "seal", namespace, bench.node.accountId)
            #expect(empty.status == ExitCode.usage.rawValue && empty.errors.contains("nothing to seal"))
        }
    }
}
