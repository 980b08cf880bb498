import Foundation
import Testing

@testable import MeroKit

@Suite("Warrants")
struct WarrantsTests {
    private static func write(_ input: ExactJSON) throws -> Warrants.WarrantInput {
        let text = try input.jsonText("argsJsonText")
        var warrant = Warrants.WarrantInput(
            context: try input.string("context"), authorAccount: try input.string("authorAccount"),
            executor: try input.string("executor"), executorKey: try input.string("executorKey"),
            releaseBytecodeId: try input.string("releaseBytecodeId"),
            releaseVersion: try input.string("releaseVersion"), method: try input.string("method"),
            argsJson: try JSONValue(jsonBytes: text), nonce: try input.integer("nonce"),
            notAfter: try input.integer("notAfter"))
        warrant.accountHeads = try input.strings("accountHeads")
        warrant.governanceFloor = try input.strings("governanceFloor")
        return warrant
    }

    private static func creation(_ input: ExactJSON) throws -> Warrants.CreationInput {
        try Warrants.CreationInput(
            group: input.string("group"), seed: input.string("seed"), authorAccount: input.string("authorAccount"),
            executor: input.string("executor"), executorKey: input.string("executorKey"),
            applicationId: input.string("applicationId"), serviceName: input.optionalString("serviceName"),
            name: input.optionalString("name"), initArgs: JSONValue(jsonBytes: input.jsonText("initArgsText")),
            nonce: input.integer("nonce"), notAfter: input.integer("notAfter"),
            accountHeads: input.strings("accountHeads"), governanceFloor: input.strings("governanceFloor"))
    }

    private static func governance(_ input: ExactJSON) throws -> Warrants.GovernanceInput {
        let kind = try #require(Warrants.GovernanceOp.Kind(rawValue: try input.integer("kind")))
        return try Warrants.GovernanceInput(
            scope: input.string("scope"), op: .init(kind: kind, bytes: input.bytes("op")),
            authorAccount: input.string("authorAccount"), executor: input.string("executor"),
            executorKey: input.string("executorKey"), nonce: input.integer("nonce"),
            notAfter: input.integer("notAfter"), accountHeads: input.strings("accountHeads"),
            governanceFloor: input.strings("governanceFloor"))
    }

    /// The published preimage if there is one, the warrant, and what a relay reads in it.
    private func check<W: SignedWarrant>(
        _ vector: CryptoVector, as type: W.Type, keys: DeviceKeys, preimage: Data, warrants: [String]
    ) throws -> W {
        if let expected = vector.expected["preimage"]?.text { #expect(Hex.encode(preimage) == expected) }
        let expected = try vector.expected.string("warrant")
        for warrant in warrants {
            try expectSameSigned(warrant, expected, key: keys.signPublicKeyBytes, message: preimage)
        }
        let bytes = try Hex.decodeUnsized(expected, label: "warrant")
        let read = try W(bytes)
        try read.verify()
        #expect(read.preimage == preimage)
        #expect(read.bytes(signature: read.signature) == bytes)
        return read
    }

    @Test("For writes", arguments: CryptoVector.load("warrants") { $0.error == nil })
    func writes(vector: CryptoVector) async throws {
        var input = try Self.write(vector.input)
        let keys = try DeviceKeys.signing(vector.input.bytes("deviceSecret"))
        let canonical = try CanonicalJSON.data(ofText: vector.input.jsonText("argsJsonText"))
        if let expected = vector.expected["canonicalArgs"]?.text { #expect(canonical == Data(expected.utf8)) }
        if vector.needs == "exactIntegers" { input.canonicalArguments = canonical }
        let hash = try vector.expected.string("intentHash")
        #expect(Hex.encode(Warrants.intentHash(method: input.method, canonicalArguments: canonical)) == hash)
        if vector.needs == nil {
            #expect(Hex.encode(Warrants.intentHash(method: input.method, argsJson: input.argsJson)) == hash)
        }
        let read = try check(
            vector, as: WriteWarrant.self, keys: keys,
            preimage: Warrants.warrantPreimage(input, devicePublicKey: keys.signPublicKeyBytes),
            warrants: [
                Warrants.signWarrant(input, keys: keys),
                await Warrants.signWarrant(input, signer: OpaqueSigner(keys)),
            ])
        #expect(Hex.encode(read.intentHash) == hash)
        #expect(read.method == input.method && read.releaseVersion == input.releaseVersion)
        #expect(read.tail.nonce == input.nonce && read.tail.notAfter == input.notAfter)
        #expect(read.tail.accountHeads.map { Hex.encode($0) } == input.accountHeads)
        #expect(read.tail.governanceFloor.map { Hex.encode($0) } == input.governanceFloor)
    }

    @Test("For new contexts", arguments: CryptoVector.load("creation-warrants") { $0.error == nil })
    func creations(vector: CryptoVector) async throws {
        let input = try Self.creation(vector.input)
        let keys = try DeviceKeys.signing(vector.input.bytes("deviceSecret"))
        #expect(Hex.encode(Warrants.creationInitHash(input.initArgs)) == (try vector.expected.string("initHash")))
        let read = try check(
            vector, as: CreationWarrant.self, keys: keys,
            preimage: Warrants.creationPreimage(input, devicePublicKey: keys.signPublicKeyBytes),
            warrants: [
                Warrants.signCreationWarrant(input, keys: keys),
                await Warrants.signCreationWarrant(input, signer: OpaqueSigner(keys)),
            ])
        #expect(read.serviceName == input.serviceName && read.name == input.name)
        #expect(Hex.encode(read.seed) == input.seed && Hex.encode(read.applicationId) == input.applicationId)
    }

    @Test("For ops on groups", arguments: CryptoVector.load("governance-warrants"))
    func governances(vector: CryptoVector) async throws {
        let input = try Self.governance(vector.input)
        let keys = try DeviceKeys.signing(vector.input.bytes("deviceSecret"))
        let hash = try vector.expected.string("opHash")
        #expect(Hex.encode(Warrants.governanceOpHash(input.op)) == hash)
        let read = try check(
            vector, as: GovernanceWarrant.self, keys: keys,
            preimage: Warrants.governancePreimage(input, devicePublicKey: keys.signPublicKeyBytes),
            warrants: [
                Warrants.signGovernanceWarrant(input, keys: keys),
                await Warrants.signGovernanceWarrant(input, signer: OpaqueSigner(keys)),
            ])
        #expect(read.kind == input.op.kind && Hex.encode(read.opHash) == hash && Hex.encode(read.scope) == input.scope)
    }

    @Test("What a node would refuse is not signed", arguments: CryptoVector.load("warrants") { $0.error != nil })
    func refusedWrites(vector: CryptoVector) async throws {
        #expect(vector.error == "invalidInput")
        let input = try Self.write(vector.input)
        let keys = try DeviceKeys.signing(vector.input.bytes("deviceSecret"))
        for attempt in [
            { try Warrants.signWarrant(input, keys: keys) },
            { try Warrants.warrantWire(input, devicePublicKey: Data(count: 32), signature: Data(count: 64)) },
            { Hex.encode(try Warrants.warrantPreimage(input, devicePublicKey: Data(count: 32))) },
        ] {
            guard case .invalidInput? = #expect(throws: AccountError.self, performing: { try attempt() }) else {
                Issue.record("another error")
                continue
            }
        }
        await #expect(throws: AccountError.self) { try await Warrants.signWarrant(input, signer: OpaqueSigner(keys)) }
    }

    @Test("Nor are new contexts", arguments: CryptoVector.load("creation-warrants") { $0.error != nil })
    func refusedCreations(vector: CryptoVector) throws {
        #expect(vector.error == "invalidInput")
        let keys = try DeviceKeys.signing(vector.input.bytes("deviceSecret"))
        var input = try Self.creation(vector.input)
        #expect(throws: AccountError.self) { try Warrants.signCreationWarrant(input, keys: keys) }
        (input.name, input.serviceName) = (input.serviceName, input.name)
        #expect(throws: AccountError.self) { try Warrants.signCreationWarrant(input, keys: keys) }
        input.serviceName = nil
        _ = try Warrants.signCreationWarrant(input, keys: keys)
        input.accountHeads = Array(repeating: input.group, count: 65)
        #expect(throws: AccountError.self) { try Warrants.signCreationWarrant(input, keys: keys) }
    }

    private static let id = String(repeating: "1a", count: 32)

    @Test("Keys and signatures of another size, and a lying signer, make no warrant")
    func sizes() async throws {
        let input = Warrants.GovernanceInput(
            scope: Self.id, op: try GovernanceOps.contextDetached(contextId: Self.id), authorAccount: Self.id,
            executor: Self.id, executorKey: Self.id, nonce: 1, notAfter: 2)
        #expect(throws: AccountError.self) {
            try Warrants.governancePreimage(input, devicePublicKey: Data(count: 31))
        }
        #expect(throws: AccountError.self) {
            try Warrants.governanceWire(input, devicePublicKey: Data(count: 32), signature: Data(count: 65))
        }
        await #expect(throws: AccountError.self) {
            try await Warrants.signGovernanceWarrant(input, signer: LyingSigner())
        }
    }

    @Test("The seed of a new context is a new one")
    func seeds() {
        func input() -> Warrants.CreationInput {
            Warrants.CreationInput(
                group: Self.id, authorAccount: Self.id, executor: Self.id, executorKey: Self.id,
                applicationId: Self.id, nonce: 1, notAfter: 2)
        }
        #expect(Hex.is32(input().seed))
        #expect(input().seed != input().seed)
        #expect(input().initArgs == [:])
    }

    @Test("Every changed bit of a warrant is found; so are truncations")
    func changedBits() throws {
        let keys = DeviceKeys.generate()
        let input = Warrants.CreationInput(
            group: Self.id, authorAccount: Self.id, executor: Self.id, executorKey: Self.id, applicationId: Self.id,
            serviceName: "s", nonce: 1, notAfter: 2, accountHeads: [Self.id], governanceFloor: [Self.id])
        let warrant = try Warrants.signCreationWarrant(input, keys: keys)
        let bytes = try Hex.decodeUnsized(warrant, label: "warrant")
        try CreationWarrant(bytes).verify()
        for bit in 0..<(8 * bytes.count) {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect((try? CreationWarrant(changed).verify()) == nil, "bit \(bit) of \(warrant)")
        }
        for count in 0..<bytes.count {
            #expect(throws: BorshError.self) { try CreationWarrant(bytes.prefix(count)) }
        }
    }

    @Test("A relay checks the limits too")
    func bounds() throws {
        let keys = DeviceKeys.generate()
        let head = Data(repeating: 1, count: 32)
        var writer = BorshWriter()
        writer.raw(head + head + (try keys.signPublicKeyBytes) + head + head + head)
        writer.string(String(repeating: "v", count: 257))
        writer.string("m")
        writer.raw(head)
        writer.list([])
        writer.list([])
        writer.u64(1)
        writer.u64(2)
        let long = try WriteWarrant(writer.data + Data(count: 64))
        #expect(throws: Warrants.Problem.releaseVersionTooLong) { try long.verify() }
        writer = BorshWriter()
        writer.raw(head)
        writer.u8(0)
        writer.raw(head + (try keys.signPublicKeyBytes) + head + head + head)
        writer.list([])
        writer.list(Array(repeating: head, count: 65))
        writer.u64(1)
        writer.u64(2)
        let many = try GovernanceWarrant(writer.data + Data(count: 64))
        #expect(throws: Warrants.Problem.tooManyHeads) { try many.verify() }
    }
}
