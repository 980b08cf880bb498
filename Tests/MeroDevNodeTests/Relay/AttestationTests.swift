import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct AttestationTests {
    private static let path = "/admin-api/tee/attest"
    private static let nonce = String(repeating: "0b", count: 32)

    private func reportData(_ answer: Answer) throws -> Data {
        let text = try #require(answer.data?["quoteB64"]?.stringValue)
        let quote = try #require(Data(base64Encoded: text))
        #expect(quote.count == 256)
        #expect(quote.starts(with: Data("MOCK_TDX_QUOTE_V1".utf8)))
        return try RelayNodeKey.reportData(of: quote).reportData
    }

    @Test func theQuoteBindsTheNodesKey() async throws {
        try await withNode { fixture async throws in
            let answer = try await fixture.post(
                Self.path, ["nonce": .string(Self.nonce), "bindNodeKey": true, "includeCollateral": true])
            #expect(answer.status == 200)
            #expect(answer.data?.names == ["quoteB64", "quote", "boundPublicKey"])
            let data = try reportData(answer)
            #expect(Hex.encode(Data(data.prefix(32))) == Self.nonce)
            #expect(Data(data.suffix(32)) == (try RelayNodeKey.keyBinding(fixture.node.nodeKey)))
            #expect(answer.data?["boundPublicKey"] == .string(fixture.node.nodeKey))
            #expect(answer.data?["quote"]?["body"]?["reportdata"] == .string(Hex.encode(data)))
            let identity = try await fixture.call(
                "GET", "/admin-api/identity", token: fixture.node.mintTokens().accessToken)
            #expect(identity.data?["publicKey"] == .string(fixture.node.nodeKey))
        }
    }

    @Test func whatIsNotAskedForIsNotBound() async throws {
        try await withNode { fixture async throws in
            let plain = try await fixture.post(Self.path, ["nonce": .string(Self.nonce), "bindTransportKey": false])
            #expect(plain.data?.names == ["quoteB64", "quote"])
            #expect(Data(try reportData(plain).suffix(32)) == Data(count: 32))
            let application = DevNode.applicationId(of: KeyValueContract())
            let bound = try await fixture.post(
                Self.path, ["nonce": .string(Self.nonce), "applicationId": .string(application)])
            #expect(
                Hex.encode(Data(try reportData(bound).suffix(32)))
                    == ReleaseCatalog.bytecodeId(package: "kv-store", version: "1.0.0"))
        }
    }

    /// Spec: 80, section 2.4.
    @Test func theTransportKeyIsBoundAroundAllElse() async throws {
        try await withNode { fixture async throws in
            let key = fixture.node.sealed.transportKey
            for (asked, inner) in [
                ([:], Data(count: 32)), (["bindNodeKey": true], try RelayNodeKey.keyBinding(fixture.node.nodeKey)),
            ] as [([String: JsonTree], Data)] {
                let body = asked.merging(["nonce": .string(Self.nonce), "bindTransportKey": true]) { $1 }
                let answer = try await fixture.post(
                    Self.path,
                    .object(body.sorted { $0.key < $1.key }.map { JsonMember(name: $0.key, value: $0.value) }))
                #expect(answer.data?["transportPublicKey"] == .string(Hex.encode(key)))
                let bound = sha256(Data("calimero.tee-attest.transport-key.v1".utf8) + inner + key)
                #expect(Data(try reportData(answer).suffix(32)) == bound)
            }
        }
    }

    /// A node of before knows no transport key and says nothing of it.
    @Test func aNodeWithoutSealingBindsNone() async throws {
        var options = DevNodeOptions()
        options.sealing.isOffered = false
        try await withNode(options) { fixture async throws in
            let answer = try await fixture.post(Self.path, ["nonce": .string(Self.nonce), "bindTransportKey": true])
            #expect(answer.data?.names == ["quoteB64", "quote"])
            #expect(Data(try reportData(answer).suffix(32)) == Data(count: 32))
        }
    }

    @Test(arguments: [
        (#"{"nonce":"zz"}"#, 400), (#"{"nonce":"00"}"#, 400), ("{}", 400), (#"{"nonce":7}"#, 400), ("{", 400),
        (#"{"nonce":"\#(nonce)","bindTlsKey":true}"#, 400), (#"{"nonce":"\#(nonce)","bindNodeKey":1}"#, 400),
        (#"{"nonce":"\#(nonce)","applicationId":"\#(nonce)"}"#, 404),
    ])
    func badRequests(body: String, status: Int) async throws {
        try await withNode { fixture async throws in
            let answer = try await fixture.call("POST", Self.path, json: body)
            #expect(answer.status == status)
            #expect(answer.error?.isEmpty == false)
        }
    }
}
