import Foundation
import Testing

@testable import MeroKit

/// A mirror can only fail to answer: another release than the one asked for is refused, however well it is signed. Spec: 80,
/// sections 7.4 to 7.6.
@Suite("Mirrors that hand out another release") struct NodeReleaseMirrorTests {
    private let file = TrustFixture.json("node-release.json")

    private func release(_ name: String? = nil) throws -> NodeRelease {
        let json = TrustCase(json: try #require(name.map { file["others"]?[$0] } ?? file["release"]))
        return NodeRelease(
            version: try json.text("version"), publishedMrtds: try json.text("publishedMrtds"),
            bundle: try json.text("bundle"))
    }

    private static func reply(_ json: JSONValue) throws -> String {
        let body = String(decoding: try JSONWriter.bytes(of: json), as: UTF8.self)
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A node that attests and names its release, and a mirror.
    private final class Rig: Sendable {
        let node: ScriptedServer
        let mirror: ScriptedServer

        init(_ file: JSONValue, _ handedOut: NodeRelease) throws {
            let image = try #require(file["osImage"])
            let named = try NodeReleaseMirrorTests.reply([
                "data": ["cloudProvider": "gcp", "osImage": image, "mrtd": .string(String(repeating: "00", count: 48))]
            ])
            let key = JSONValue.string(Hex.encode(try X25519.publicKey(secret: randomBytes(32))))
            let attested = try NodeReleaseMirrorTests.reply([
                "data": [
                    "quoteB64": try #require(file["quote"]), "collateral": try #require(file["collateral"]),
                    "transportPublicKey": key, "boundPublicKey": key,
                ]
            ])
            node = try ScriptedServer.answering { $0.method == "GET" ? named : attested }
            let answer = try NodeReleaseMirrorTests.reply([
                "data": [
                    "version": .string(handedOut.version), "publishedMrtds": .string(handedOut.publishedMrtds),
                    "bundle": .string(handedOut.bundle),
                ]
            ])
            mirror = try ScriptedServer.answering { _ in answer }
        }

        func stop() {
            node.stop()
            mirror.stop()
        }
    }

    private func verifier(
        _ rig: Rig, profile: String = "locked-read-only", source: NodeReleaseSource? = nil
    ) throws -> SignedReleaseVerifier {
        let now = Date(timeIntervalSince1970: try #require(file["now"]?.doubleValue))
        let mirror = try #require(URL(string: rig.mirror.url))
        return try SignedReleaseVerifier(
            admin: AdminApi(http: URLSessionHttpClient(baseURL: RelayOrigin.url(rig.node.url), retryPolicy: .never)),
            profile: profile, minReleaseVersion: "2.3.99",
            trustRoot: SigstoreTrustRoot(json: #require(file["trustRoot"])), rootCA: Data(file.hex("rootCaDer")),
            clock: { now }, source: source ?? { try await fetchNodeRelease($0, mirror: mirror) })
    }

    private func refusal(_ verifier: SignedReleaseVerifier) async throws -> AttestationError? {
        let (quote, nonce, suffix) = try (
            #require(file["quote"]?.stringValue), #require(file["nonce"]?.stringValue),
            #require(file["suffix"]?.stringValue)
        )
        let error = await failure(of: {
            try await verifier.verify(
                quoteB64: quote, nonce: nonce, reportDataSuffix: suffix, collateral: file["collateral"])
        })
        return try error.map { try #require($0 as? AttestationError) }
    }

    /// What is handed out, under which name, and why it is refused.
    struct Substitution: Sendable, CustomTestStringConvertible {
        /// Nil: what was asked for.
        let release: String?
        /// Nil: its own.
        var label: String?
        let kind: AttestationError.Kind
        let reason: String
        var testDescription: String { "\(release ?? "the one asked for") as \(label ?? "itself")" }
    }

    static let substitutions = [
        Substitution(
            release: "older", kind: .refused, reason: "The mirror did not answer with the release that was asked for"),
        Substitution(
            release: "newer", kind: .refused, reason: "The mirror did not answer with the release that was asked for"),
        Substitution(
            release: "older", label: "2.3.100", kind: .refused, reason: "The signed release is 2.3.99, not 2.3.100"),
        Substitution(
            release: "newer", label: "2.3.100", kind: .refused, reason: "The signed release is 2.3.101, not 2.3.100"),
        Substitution(
            release: nil, label: "2.3.101", kind: .refused,
            reason: "The mirror did not answer with the release that was asked for"),
        // The same number once more, signed by the same workflow, of another image.
        Substitution(
            release: "changed", kind: .refused, reason: "The measurements are not an image this verifier trusts"),
    ]

    private func handedOut(_ substitution: Substitution) throws -> NodeRelease {
        var release = try release(substitution.release)
        release.version = substitution.label ?? release.version
        return release
    }

    /// They are what they are said to be: each holds when it is the one that is wanted.
    @Test(arguments: ["older", "newer", "changed"]) func allAreSigned(name: String) throws {
        let other = try release(name)
        let trusted = try trustSignedRelease(
            other, profile: "locked-read-only", minReleaseVersion: "2.3.99",
            trustRoot: SigstoreTrustRoot(json: #require(file["trustRoot"])))
        #expect(trusted.allowedMeasurements.count == 1)
        let own = try trustSignedRelease(
            release(), profile: "locked-read-only", minReleaseVersion: "2.3.99",
            trustRoot: SigstoreTrustRoot(json: #require(file["trustRoot"])))
        #expect((trusted.allowedMeasurements == own.allowedMeasurements) == (name != "changed"))
    }

    @Test(arguments: substitutions) func aMirrorsSubstitution(substitution: Substitution) async throws {
        let rig = try Rig(file, handedOut(substitution))
        defer { rig.stop() }
        let error = try await refusal(verifier(rig))
        #expect(
            error?.kind == substitution.kind && error?.reason == substitution.reason, "\(String(describing: error))")
        #expect(rig.mirror.requests.map(\.target) == ["/api/tee/node-releases/2.3.100"])
    }

    /// The same of an app's own source, which is trusted no more than a mirror.
    @Test(arguments: substitutions) func anotherSourcesSubstitution(substitution: Substitution) async throws {
        let other = try handedOut(substitution)
        let rig = try Rig(file, other)
        defer { rig.stop() }
        let error = try await refusal(verifier(rig, source: { _ in other }))
        let reason = substitution.reason.replacingOccurrences(
            of: "The mirror did not answer with the release that was asked for",
            with: "The release is not the one that was asked for")
        #expect(error?.kind == substitution.kind && error?.reason == reason, "\(String(describing: error))")
        #expect(rig.mirror.requests.isEmpty)
    }

    /// Halves of two signed releases are none.
    @Test func aFileWithTheSignatureOfAnother() async throws {
        for name in ["older", "newer", "changed"] {
            let (own, other) = (try release(), try release(name))
            for (text, bundle) in [(own.publishedMrtds, other.bundle), (other.publishedMrtds, own.bundle)] {
                let rig = try Rig(file, NodeRelease(version: own.version, publishedMrtds: text, bundle: bundle))
                let error = try await refusal(verifier(rig))
                #expect(error?.kind == .unverified && error?.reason == "The file's SHA-256 is not the one Rekor logged")
                rig.stop()
            }
        }
    }

    /// The call that needs the key fails with the reason, and the node is not spoken to, sealed or otherwise.
    @Test(arguments: substitutions) func nothingIsSealedToSuchANode(substitution: Substitution) async throws {
        let rig = try Rig(file, handedOut(substitution))
        defer { rig.stop() }
        let url = RelayOrigin.url(rig.node.url)
        let http = URLSessionHttpClient(
            baseURL: url, hooks: TransportHooks(getAuthToken: { "the-token-of-a-session" }),
            options: HttpOptions(sealing: .node(at: url, verifier: try verifier(rig))))
        let error = await failure(of: { try await http.sendVoid(HttpRequest(path: "/jsonrpc", method: .post)) })
        let refusal = try #require(error as? AttestationError)
        #expect(refusal.kind == substitution.kind && refusal.reason == substitution.reason)
        #expect(refusal.localizedDescription.contains(substitution.reason))
        // Asked once: a refusal is final, and nothing is tried again.
        #expect(
            rig.node.requests.map { "\($0.method) \($0.target)" } == [
                "POST /admin-api/tee/attest", "GET /admin-api/tee/info",
            ])
        #expect((rig.node.requests + rig.mirror.requests).allSatisfy { $0.values("Authorization").isEmpty })
        // A relay's key is not learnt either.
        let relay = await failure(of: {
            try await RelayNodeKey.attest(
                relayURL: rig.node.url, verifier: AttestedRelayKeyVerifier(verifier(rig)))
        })
        guard case AccountError.relayKeyUnavailable(let reason)? = relay else {
            Issue.record("\(String(describing: relay))")
            return
        }
        #expect(reason.contains(substitution.reason))
    }

    /// With the release that was asked for the same node fails only for its quote, which is of another nonce.
    @Test func theReleaseThatWasAskedFor() async throws {
        let rig = try Rig(file, release())
        defer { rig.stop() }
        #expect(try await refusal(verifier(rig)) == nil)
        let url = RelayOrigin.url(rig.node.url)
        let http = URLSessionHttpClient(
            baseURL: url, options: HttpOptions(sealing: .node(at: url, verifier: try verifier(rig))))
        let error = await failure(of: { try await http.sendVoid(HttpRequest(path: "/jsonrpc", method: .post)) })
        let refusal = try #require(error as? AttestationError)
        #expect(refusal.kind == .unverified)
        #expect(refusal.reason.contains("does not commit to this nonce and binding"))
    }
}
