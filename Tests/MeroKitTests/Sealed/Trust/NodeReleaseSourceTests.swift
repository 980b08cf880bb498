import Foundation
import MeroDevNode
import MeroKitTestSupport
import Testing

@testable import MeroKit

/// A node that names its release and attests, and a mirror: what is asked of them, and in which order.
@Suite("Releases and keys over HTTP") struct NodeReleaseSourceTests {
    private let file = TrustFixture.json("node-release.json")

    private func reply(_ json: JSONValue, status: Int = 200) throws -> String {
        let body = String(decoding: try JSONWriter.bytes(of: json), as: UTF8.self)
        return
            "HTTP/1.1 \(status) Status\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func release() throws -> JSONValue { ["data": try #require(file["release"])] }

    private func info(_ image: String? = nil) throws -> JSONValue {
        let image = try image ?? #require(file["osImage"]?.stringValue)
        return [
            "data": [
                "cloudProvider": "gcp", "osImage": .string(image), "mrtd": .string(String(repeating: "00", count: 48)),
            ]
        ]
    }

    private let sealedRequired: JSONValue = ["error": ["code": "sealed_required", "message": "seal it"]]

    private func client(_ server: ScriptedServer) throws -> URLSessionHttpClient {
        URLSessionHttpClient(baseURL: try #require(URL(string: server.url)), retryPolicy: .never)
    }

    // MARK: The mirror

    @Test func aMirrorIsAskedForOneVersion() async throws {
        let answer = try reply(release())
        let mirror = try ScriptedServer.answering { _ in answer }
        defer { mirror.stop() }
        let release = try await fetchNodeRelease("2.3.100", mirror: #require(URL(string: mirror.url)))
        #expect(release.version == "2.3.100")
        #expect(release.publishedMrtds == file["release"]?["publishedMrtds"]?.stringValue)
        #expect(release.bundle == file["release"]?["bundle"]?.stringValue)
        let request = try #require(mirror.requests.first)
        #expect(request.line == "GET /api/tee/node-releases/2.3.100")
        #expect(request.values("accept") == ["application/json"] && request.values("authorization").isEmpty)
    }

    @Test func mirrorsThatDoNotAnswerWithARelease() async throws {
        for answer: JSONValue in [
            [:], ["data": nil], ["data": ["version": "2.3.100", "publishedMrtds": "x"]],
            ["data": ["version": "2.3.100", "publishedMrtds": [:], "bundle": "x"]], "x",
        ] {
            let text = try reply(answer)
            let mirror = try ScriptedServer.answering { _ in text }
            let error = await attestationError { _ = try await fetchNodeRelease("2.3.100", from: client(mirror)) }
            #expect(error?.reason.contains("did not answer with a signed node release") == true)
            mirror.stop()
        }
        let text = try reply(release())
        let mirror = try ScriptedServer.answering { _ in text }
        defer { mirror.stop() }
        let error = await attestationError { _ = try await fetchNodeRelease("2.3.99", from: client(mirror)) }
        #expect(error?.kind == .refused)
        // Nothing that could be another path is sent.
        let asked = mirror.requests.count
        for bad in ["", "..", "../2.3.87", "2.3.87/..", "2.3.87?x", "v2.3.87", "2.3.87 "] {
            let error = await attestationError { _ = try await fetchNodeRelease(bad, from: client(mirror)) }
            #expect(error?.kind == .invalidInput)
        }
        #expect(mirror.requests.count == asked)
        _ = await attestationError { _ = try await fetchNodeRelease("2.3.87+a", from: client(mirror)) }
        #expect(mirror.requests.last?.line == "GET /api/tee/node-releases/2.3.87%2Ba")
    }

    /// What does not answer is not refused: it may be asked again.
    @Test func mirrorsThatAreDown() async throws {
        let text = try reply(["error": "gone"], status: 502)
        let mirror = try ScriptedServer.answering { _ in text }
        defer { mirror.stop() }
        let error = await #expect(throws: MeroError.self) {
            try await fetchNodeRelease("2.3.100", from: client(mirror))
        }
        #expect(error?.httpStatus == 502)
    }

    // MARK: The node's release

    @Test func aNodeNamesItsRelease() async throws {
        func version(_ answer: JSONValue, status: Int = 200, releaseVersion: String? = nil) async throws -> String {
            let text = try reply(answer, status: status)
            let node = try ScriptedServer.answering { _ in text }
            defer { node.stop() }
            return try await fetchNodeReleaseVersion(
                admin: AdminApi(http: client(node)), releaseVersion: releaseVersion)
        }
        #expect(try await version(info()) == "2.3.100")
        #expect(try await version(info(), releaseVersion: "1.0.0") == "2.3.100")
        #expect(try await version(sealedRequired, status: 403, releaseVersion: "2.3.99") == "2.3.99")
        let unnamed = await attestationError { _ = try await version(sealedRequired, status: 403) }
        #expect(unnamed?.kind == .unsupported)
        let bad = await attestationError { _ = try await version(sealedRequired, status: 403, releaseVersion: "v1") }
        #expect(bad?.kind == .invalidInput)
        let other = await attestationError { _ = try await version(info("unknown")) }
        #expect(other?.reason.contains("is not the image of a mero-tee node release") == true)
        // Only that code at that status speaks of sealing.
        for (answer, status) in [
            (sealedRequired, 500), (["error": "sealed_required"], 403), (["error": ["code": "x"]], 403),
        ] {
            let error = await #expect(throws: MeroError.self) {
                try await version(answer, status: status, releaseVersion: "2.3.99")
            }
            #expect(error?.httpStatus == status)
        }
    }

    @Test func refusalsAboutSealing() {
        func refusal(_ body: String?) -> SealedRefusal? {
            HTTPError(status: 403, statusText: "Forbidden", url: "u", headers: [:], bodyText: body).sealedRefusal
        }
        #expect(
            refusal(#"{"error":{"code":"busy","message":"later"}}"#) == SealedRefusal(code: "busy", message: "later"))
        #expect(refusal(#"{"error":{"code":7,"message":"later"}}"#) == SealedRefusal(code: nil, message: "later"))
        for body in [
            nil, "", "x", "{}", #"{"error":"busy"}"#, #"{"error":{}}"#, #"{"error":{"code":7}}"#, #"{"code":"busy"}"#,
        ] {
            #expect(refusal(body) == nil)
        }
    }

    // MARK: All of it

    private func verifier(
        _ node: ScriptedServer, mirror: ScriptedServer, floor: String = "2.3.99", profile: String = "locked-read-only"
    ) throws -> SignedReleaseVerifier {
        let now = Date(timeIntervalSince1970: try #require(file["now"]?.doubleValue))
        let url = try #require(URL(string: mirror.url))
        return try SignedReleaseVerifier(
            admin: AdminApi(http: client(node)), profile: profile, minReleaseVersion: floor,
            trustRoot: SigstoreTrustRoot(json: #require(file["trustRoot"])), rootCA: Data(file.hex("rootCaDer")),
            clock: { now }, source: { try await fetchNodeRelease($0, mirror: url) })
    }

    private func verify(_ verifier: SignedReleaseVerifier) async throws -> Bool {
        try await verifier.verify(
            quoteB64: #require(file["quote"]?.stringValue), nonce: #require(file["nonce"]?.stringValue),
            reportDataSuffix: #require(file["suffix"]?.stringValue), collateral: file["collateral"])
    }

    @Test func aQuoteOfASignedRelease() async throws {
        let (named, signed) = (try reply(info()), try reply(release()))
        let node = try ScriptedServer.answering { _ in named }
        let mirror = try ScriptedServer.answering { _ in signed }
        defer {
            node.stop()
            mirror.stop()
        }
        let good = try verifier(node, mirror: mirror)
        #expect(good.includeCollateral)
        #expect(try await verify(good))
        #expect(node.requests.map(\.line) == ["GET /admin-api/tee/info"])
        #expect(mirror.requests.count == 1)
        let old = try verifier(node, mirror: mirror, floor: "2.3.101")
        #expect(await attestationError { _ = try await verify(old) }?.reason.contains("older than the minimum") == true)
        let debug = try verifier(node, mirror: mirror, profile: "debug")
        #expect(
            await attestationError { _ = try await verify(debug) }?.reason.contains("not an image this verifier trusts")
                == true)
        // Under Sigstore's own roots nobody signed it.
        let real = try SignedReleaseVerifier(
            admin: AdminApi(http: client(node)), minReleaseVersion: "2.3.99",
            source: { [mirror] in try await fetchNodeRelease($0, mirror: #require(URL(string: mirror.url))) })
        #expect(await attestationError { _ = try await verify(real) }?.kind == .unverified)
        for (floor, version) in [("2.3", nil), ("2.3.99", "v1")] {
            #expect(throws: AttestationError.self) {
                try SignedReleaseVerifier(
                    admin: AdminApi(http: client(node)), minReleaseVersion: floor, releaseVersion: version)
            }
        }
    }

    // MARK: Transport keys

    private func attested(
        _ answer: [String: JSONValue], applicationId: String? = nil, applicationHash: String? = nil,
        verifier: Scripted
    ) async throws -> (key: Data, asked: JSONValue?) {
        let text = try reply(["data": .object(answer)])
        let node = try ScriptedServer.answering { _ in text }
        defer { node.stop() }
        let key = try await fetchAttestedTransportKey(
            admin: AdminApi(http: client(node)), verifier: verifier, applicationId: applicationId,
            applicationHash: applicationHash)
        return (key, try node.requests.first.map { try JSONValue(jsonBytes: $0.body) })
    }

    @Test func transportKeys() async throws {
        let key = String(repeating: "AB", count: 32)
        let hash = String(repeating: "0c", count: 32)
        let seen = Locked<[[String]]>([])
        let trusting = Scripted { asked in
            seen.withLock { $0.append(asked) }
            return true
        }
        // The node's rendering of the quote is not read, whatever it is.
        let answer: [String: JSONValue] = ["quoteB64": "AAAA", "quote": 7, "transportPublicKey": .string(key)]
        let plain = try await attested(answer, verifier: trusting)
        #expect(Hex.encode(plain.key) == key.lowercased())
        #expect(plain.asked?["bindTransportKey"] == true && plain.asked?["includeCollateral"] == true)
        #expect(plain.asked?["applicationId"] == nil && plain.asked?["bindNodeKey"] == nil)
        let nonce = try #require(plain.asked?["nonce"]?.stringValue)
        #expect(
            seen.withLock { $0[0] } == ["AAAA", nonce, Hex.encode(try ReportDataBinding.suffix(transportKey: key))])
        let bound = try await attested(answer, applicationId: "app", applicationHash: hash, verifier: trusting)
        #expect(bound.asked?["applicationId"] == "app" && bound.asked?["nonce"]?.stringValue != nonce)
        let suffix = try ReportDataBinding.suffix(applicationHash: hash, transportKey: key)
        #expect(seen.withLock { $0[1][2] } == Hex.encode(suffix))

        for (id, hash) in [("app", nil), (nil, hash), ("app", "00")] as [(String?, String?)] {
            let error = await attestationError {
                _ = try await attested(answer, applicationId: id, applicationHash: hash, verifier: trusting)
            }
            #expect(error?.kind == .invalidInput)
        }
        for (named, kind) in [
            (nil, AttestationError.Kind.unsupported), (.null, .unsupported), ("ab", .malformed),
            (.string(key + "00"), .malformed),
        ] as [(JSONValue?, AttestationError.Kind)] {
            var answer = answer
            answer["transportPublicKey"] = named
            let error = await attestationError { _ = try await attested(answer, verifier: trusting) }
            #expect(error?.kind == kind)
        }
        #expect(seen.withLock { $0.count } == 2)
        let refusing = await attestationError { _ = try await attested(answer, verifier: Scripted { _ in false }) }
        #expect(refusing?.kind == .refused)
        await #expect(throws: CancellationError.self) {
            _ = try await attested(answer, verifier: Scripted { _ in throw CancellationError() })
        }
    }

    /// A development node attests with mock quotes; a verifier that checks signatures takes none.
    @Test func developmentNodes() async throws {
        let node = try await DevNode.start()
        let admin = AdminApi(http: URLSessionHttpClient(baseURL: node.url))
        let nodeKey = node.nodeKey
        let sound = try SoundAttestation()
        let register = String(repeating: "00", count: 48)
        let image = TdMeasurements(mrtd: register, rtmr0: register, rtmr1: register, rtmr2: register, rtmr3: register)
        let strict = try QuoteVerifier(
            allowedMeasurements: [image], fetchCollateral: { [sound] _ in .object(sound.collateral) })
        let error = await #expect(throws: AccountError.self) {
            try await RelayNodeKey.attest(
                relayURL: node.url.absoluteString, verifier: AttestedRelayKeyVerifier(strict))
        }
        guard case .relayKeyUnavailable(let reason)? = error else {
            Issue.record("another error")
            return
        }
        #expect(reason.contains("mock quote"))
        // One that goes by the binding alone learns the key.
        let lenient = MockQuoteVerifier()
        #expect(
            try await RelayNodeKey.attest(
                relayURL: node.url.absoluteString, verifier: AttestedRelayKeyVerifier(lenient)) == nodeKey)
        #expect(try await fetchAttestedTransportKey(admin: admin, verifier: lenient) == node.sealed.transportKey)
        var options = DevNodeOptions()
        options.sealing.isOffered = false
        let older = try await DevNode.start(options)
        let predates = await attestationError {
            _ = try await fetchAttestedTransportKey(
                admin: AdminApi(http: URLSessionHttpClient(baseURL: older.url)), verifier: lenient)
        }
        #expect(predates?.reason.contains("predates sealed transport") == true)
        await older.stop()
        await node.stop()
        let quote = Data("MOCK_TDX_QUOTE_V1".utf8) + Data(repeating: 7, count: 64) + Data(count: 175)
        let half = String(repeating: "07", count: 32)
        func taken(_ quote: Data, _ nonce: String, _ suffix: String) async -> AttestationError? {
            await attestationError {
                _ = try await lenient.verify(
                    quoteB64: quote.base64EncodedString(), nonce: nonce, reportDataSuffix: suffix, collateral: nil)
            }
        }
        #expect(await taken(quote, half, half) == nil)
        #expect(await taken(quote, half, String(repeating: "08", count: 32))?.kind == .unverified)
        #expect(await taken(Data(sound.quote), half, half)?.kind == .refused)
        #expect(await taken(Data(), half, half)?.kind == .malformed)
    }

    private func attestationError(_ work: () async throws -> Void) async -> AttestationError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? AttestationError
        }
    }
}

extension ScriptedRequest {
    fileprivate var line: String { "\(method) \(target)" }
}
