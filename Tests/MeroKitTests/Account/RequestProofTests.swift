import Foundation
import Testing

@testable import MeroKit

@Suite("Request proofs")
struct RequestProofTests {
    static func vectors(_ prefix: String) -> [CryptoVector] {
        CryptoVector.load("request-proofs") { $0.id.hasPrefix(prefix) }
    }

    private func request(_ input: ExactJSON) throws -> RequestSignature {
        try RequestSignature(
            method: input.string("method"), path: input.string("path"), body: input.bytes("bodyHex"),
            issuedAt: input.integer("issuedAt"), expiresAt: input.integer("expiresAt"))
    }

    @Test("Proofs that a client makes", arguments: vectors("proof-"))
    func proofs(vector: CryptoVector) async throws {
        let input = vector.input
        let keys = try DeviceKeys.signing(input.bytes("deviceSecret"))
        let request = try request(input)
        #expect(Hex.encode(request.bodyHash) == (try vector.expected.string("bodyHash")))
        #expect(Hex.encode(request.preimage) == (try vector.expected.string("preimage")))
        let lifetime = request.expiresAt - request.issuedAt
        let expected = try vector.expected.string("header")
        let credential = try input.string("credential")
        let signed = request.signed(try keys.sign(request.preimage))
        try expectSameSigned(
            CallerProof.headerValue(credential: Hex.decodeUnsized(credential, label: "credential"), request: signed),
            expected, key: keys.signPublicKeyBytes, message: request.preimage)
        let read = try CallerProof(Hex.decodeUnsized(expected, label: "header"))
        try read.verify(
            method: request.method, path: request.path, body: input.bytes("bodyHex"), node: Data(count: 32),
            now: request.issuedAt)
        #expect(read.session == nil)
        // The public front makes none that live shorter or longer.
        guard (1...300).contains(lifetime) else { return }
        for proof in [
            ProofCredential(credential: credential, keys: keys, validForSeconds: lifetime),
            ProofCredential(
                credential: credential.uppercased(), signer: OpaqueSigner(keys), validForSeconds: lifetime),
        ] {
            let header = try await proof.proof(
                method: request.method, path: input.string("path"), body: input.bytes("bodyHex"),
                issuedAt: request.issuedAt)
            try expectSameSigned(header, expected, key: keys.signPublicKeyBytes, message: request.preimage)
        }
    }

    @Test("The signed request alone", arguments: vectors("request-sig"))
    func signature(vector: CryptoVector) throws {
        let keys = try DeviceKeys.signing(vector.input.bytes("deviceSecret"))
        let request = try request(vector.input)
        #expect(Hex.encode(request.bodyHash) == (try vector.expected.string("bodyHash")))
        #expect(Hex.encode(request.preimage) == (try vector.expected.string("preimage")))
        let signed = request.signed(try keys.sign(request.preimage))
        try expectSameSigned(
            Hex.encode(signed.bytes), vector.expected.string("requestSig"), key: keys.signPublicKeyBytes,
            message: request.preimage)
    }

    @Test("A node's decisions", arguments: vectors("verify-"))
    func verification(vector: CryptoVector) throws {
        let input = vector.input
        let proof = try CallerProof(Hex.decodeUnsized(input.string("header"), label: "header"))
        let problem: CallerProof.Problem?
        do throws(CallerProof.Problem) {
            let (method, path, body, node): (String, String, Data, Data)
            let (now, skew): (UInt64, UInt64)
            do {
                (method, path) = try (input.string("method"), input.string("path"))
                (body, node) = try (input.bytes("bodyHex"), input.bytes("node"))
                (now, skew) = try (input.integer("now"), input.integer("skew"))
            } catch {
                Issue.record(error)
                return
            }
            try proof.verify(method: method, path: path, body: body, node: node, now: now, skew: skew)
            problem = nil
        } catch {
            problem = error
        }
        let names: [CallerProof.Problem: String] = [
            .covers: "covers", .requestTooLong: "requestTooLong", .requestNotYetValid: "requestNotYetValid",
            .requestExpired: "requestExpired", .sessionTooLong: "sessionTooLong", .node: "node",
            .requestSignature: "requestSignature", .sessionDevice: "sessionDevice",
            .credential(.signature): "signature",
        ]
        guard let problem else {
            #expect(vector.error == nil)
            #expect(Hex.encode(proof.certificate.account) == (try vector.expected.string("account")))
            #expect(Hex.encode(proof.certificate.device) == (try vector.expected.string("device")))
            return
        }
        #expect(names[problem] == vector.error, "\(problem)")
    }

    @Test(
        "Paths that are none are refused before anything is signed; an empty one is the root",
        arguments: ["x", "?a", "/a?b", "*"])
    func paths(path: String) async throws {
        let proof = ProofCredential(credential: "02", keys: .generate())
        await #expect(throws: AccountError.self) {
            try await proof.headers(method: "GET", path: path, body: nil)
        }
        #expect(
            try RequestSignature(method: "GET", path: "", body: Data(), issuedAt: 1, expiresAt: 2).preimage
                == RequestSignature(method: "GET", path: "/", body: Data(), issuedAt: 1, expiresAt: 2).preimage)
    }

    @Test("One header, for now; a credential that is none fails at the signature")
    func headers() async throws {
        let root = AccountRoot.generate()
        let keys = DeviceKeys.generate()
        let credential = try root.certify(
            device: DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16)),
            signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
        let proof = ProofCredential(credential: credential, keys: keys)
        try proof.checkCredential()
        let before = UInt64(Date().timeIntervalSince1970)
        let headers = try await proof.headers(method: "POST", path: "/a", body: Data("{}".utf8))
        #expect(Array(headers.keys) == ["X-Calimero-Proof"])
        let read = try CallerProof(Hex.decodeUnsized(headers["X-Calimero-Proof"] ?? "", label: "header"))
        try read.verify(
            method: "POST", path: "/a", body: Data("{}".utf8), node: Data(), now: UInt64(Date().timeIntervalSince1970))
        #expect(read.request.issuedAt >= before)
        #expect(read.request.expiresAt - read.request.issuedAt == 300)
        // No body and an empty one are the same.
        let bare = try await proof.headers(method: "GET", path: "/a", body: nil)
        #expect(
            try CallerProof(Hex.decodeUnsized(bare["X-Calimero-Proof"] ?? "", label: "header")).request.bodyHash
                == RequestSignature.hash(Data()))
        for (asked, given) in [(0, 1), (301, 300), (UInt64.max, 300), (7, 7)] as [(UInt64, UInt64)] {
            #expect(ProofCredential(credential: "", keys: keys, validForSeconds: asked).validForSeconds == given)
        }
        for bad in ["", "xyz", "abc"] {
            let proof = ProofCredential(credential: bad, keys: keys)
            #expect(throws: AccountError.self) { try proof.checkCredential() }
            await #expect(throws: AccountError.self) {
                try await proof.headers(method: "GET", path: "/", body: nil)
            }
        }
        await #expect(throws: AccountError.self) {
            try await ProofCredential(credential: credential, signer: LyingSigner())
                .headers(method: "GET", path: "/", body: nil)
        }
        #expect(!"\(proof)".contains(keys.deviceSecret))
    }

    @Test("Every changed bit of a header is found; so are truncations")
    func changedBits() async throws {
        let root = AccountRoot.generate()
        let keys = DeviceKeys.generate()
        let credential = try root.certify(
            device: DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16)),
            signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
        let header = try await ProofCredential(credential: credential, keys: keys)
            .proof(method: "GET", path: "/x", body: nil, issuedAt: 1_000)
        let bytes = try Hex.decodeUnsized(header, label: "header")
        func holds(_ bytes: Data) -> Bool {
            guard let proof = try? CallerProof(bytes) else { return false }
            return (try? proof.verify(method: "GET", path: "/x", body: Data(), node: Data(), now: 1_000)) != nil
        }
        #expect(holds(bytes))
        for bit in 0..<(8 * bytes.count) {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!holds(changed), "bit \(bit) of \(header)")
        }
        for count in 0..<bytes.count {
            #expect(throws: BorshError.self) { try CallerProof(bytes.prefix(count)) }
        }
    }

    @Test("At most 16 presented handoffs")
    func manyHandoffs() throws {
        let request = try RequestSignature(method: "GET", path: "/", body: Data(), issuedAt: 1, expiresAt: 2)
        for (count, expected) in [(16, CallerProof.Problem.requestSignature), (17, .tooManyHandoffs)] {
            let credential =
                Data([2]) + Data(count: 32) + LittleEndian.u32(UInt32(count)) + Data(count: count * 132 + 200)
            let proof = try CallerProof(credential + Data([0]) + request.signed(Data(count: 64)).bytes)
            #expect(throws: expected) {
                try proof.verify(method: "GET", path: "/", body: Data(), node: Data(), now: 1)
            }
        }
    }
}

extension CallerProof.Problem: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine("\(self)") }
}
